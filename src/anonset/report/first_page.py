"""What an officer reads first: plain data in the words of a language, for the page and for its machine-readable twin."""

from typing import Any

import polars as pl

from anonset import __version__
from anonset.model.cover import Cover
from anonset.model.dataset import Dataset
from anonset.model.labels import UncertainItems
from anonset.model.release import Release
from anonset.model.schema import Fate
from anonset.releases.frames import dataset_frame, frame_in_order
from anonset.releases.gates import Admission
from anonset.report.attack_annex import attack_annex, risk
from anonset.report.findings import Findings
from anonset.report.promises import people_alike, promises
from anonset.report.uses import uses
from anonset.report.words import Words

ROWS, LONGEST = 10, 70


def first_page(original: Dataset, release: Release, found: Findings, cover: Cover, words: Words) -> dict[str, Any]:
    """The report for the owner of the data: it compares the release with the original, and shows rows of both."""
    named = original.sources[0].name if original.sources else ""
    published = len(release) if found.whole is None else found.whole.records
    certain, alike = not isinstance(release.items, UncertainItems), people_alike(release.guarantees)
    return {
        "kind": "report",
        **opening(release, cover, words, untitled=named),
        "records": {"published": published, "left_out": len(original) - len(release)},
        "sample": len(release) if found.whole else None,
        "holds": found.verdict.holds,
        "accepted": accepted_words(found.accepted, words),
        "outside": outside_words(found.accepted, words),
        "promises": promises(release, original.item_column, words),
        "counted": counted_words(original, words),
        "risk": None if found.attacks is None else risk(found.attacks, original, words),
        "columns": [_column(fate, found, release, words) for fate in _fates(original)],
        "uses": uses(found, alike, words, certain=certain)._asdict(),
        "rows": _rows(original, release),
        "annex": None if found.attacks is None else attack_annex(original, release, found.attacks, words),
    }


def opening(release: Release, cover: Cover, words: Words, *, untitled: str) -> dict[str, Any]:
    """What stands at the top of both pages."""
    return {
        "language": words.language,
        "title": cover.title or untitled or words("page.untitled"),
        "by": cover.by,
        "date": cover.date,
        "made_with": f"anonset {release.provenance.version or __version__}",
        "algorithm": release.provenance.algorithm,
    }


def counted_words(original: Dataset, words: Words) -> dict[str, Any]:
    """What the promises count, and how rows of a person became one record."""
    kind = "accepted" if original.repeats else original.unit
    said = [words(f"unit_of.{kind}")]
    if (gathered := original.gathered) is not None and gathered.rows > gathered.people:
        values = {"rows": words.number(gathered.rows), "number": words.number(gathered.people), "column": gathered.key}
        said.append(words("unit_of.gathered", **values))
    return {"unit": original.unit, "words": " ".join(said)}


def accepted_words(admission: Admission | None, words: Words) -> list[str]:
    """What was published although it is refused otherwise."""
    if admission is None:
        return []
    said = []
    for name, found in admission.exposed.items():
        rare = {"role": words(f"role.{found.role}"), "share": words.percent(found.share), "k": found.k} if found.k else {}
        said.append(words(f"accepted.{found.kind}", column=name, **rare))
    return said + [words("accepted.lost", column=name, share=words.percent(lost)) for name, lost in admission.lost.items()]


def outside_words(admission: Admission | None, words: Words) -> list[str]:
    """What is published as it is, whom it singles out, and how many values few people have; none of these values."""
    if admission is None or not admission.exact:
        return []
    share, names = words.percent(admission.singled_out), ", ".join(admission.exact)
    said = [words("outside.exact", columns=names, share=share, k=admission.k)]
    for name, (values, records) in admission.rare.items():
        few = {"values": words.number(values), "records": words.number(records), "k": admission.k}
        said.append(words("outside.rare", column=name, **few))
    return said


def frame_rows(frame: pl.DataFrame) -> list[list[str]]:
    """The cells of a table as people read them; long ones are cut."""
    return [[_cell(value) for value in row] for row in frame.rows()]


def doubt_words(items: UncertainItems, words: Words) -> str:
    """What became of items that are shown with doubt."""
    return words("fate.doubt", most=words.number(int(items.threshold.max(initial=0))))


def _fates(original: Dataset) -> tuple[Fate, ...]:
    if original.fates:
        return original.fates
    columns = tuple(Fate(c.name, c.role, c.kind, "", given=True) for c in original.columns)
    items = (Fate(original.item_column, "items", "items", "", given=True),) if original.transactions is not None else ()
    return columns + items


def _column(fate: Fate, found: Findings, release: Release, words: Words) -> dict[str, Any]:
    said = words(f"fate.{fate.role}")
    useful, kept = found.useful, None
    if fate.role == "items" and isinstance(release.items, UncertainItems):
        said = doubt_words(release.items, words)
    elif fate.role == "items" and useful is not None and useful.exact is not None and useful.lost is not None:
        kept = {"exact": useful.exact, "lost": useful.lost}
    elif useful is not None and useful.columns and fate.column in useful.columns:
        kept = dict(useful.columns[fate.column]._asdict())
    if kept is not None:
        shares = {name: words.percent(share) for name, share in kept.items()}
        said = words("fate.unchanged") if kept["exact"] == 1.0 else words("fate.kept", **shares)
    return {"name": fate.column, "role": fate.role, "is": words(f"role.{fate.role}"), "fate": said, "kept": kept}


def _rows(original: Dataset, release: Release) -> dict[str, Any]:
    """The first records of the input that are published, and what is published of them: only the owner may see both."""
    picked = release.take(release.rows.argsort(kind="stable")[:ROWS])
    after = frame_in_order(picked, original)
    before = dataset_frame(original.take(picked.rows))
    before = before.select([name for name in before.columns if name in after.columns])
    return {
        "before": {"header": before.columns, "rows": frame_rows(before)},
        "after": {"header": after.columns, "rows": frame_rows(after)},
    }


def _cell(value: object) -> str:
    text = "" if value is None else ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
