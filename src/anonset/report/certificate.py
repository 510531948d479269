"""The page that is handed out, with nothing but what follows from the published files; and a release as a notebook shows it to
its owner.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from anonset.measure.usefulness import Usefulness
from anonset.model.cover import Cover
from anonset.model.dataset import Dataset
from anonset.model.labels import GeneralizedItems, PublishedColumn, UncertainItems
from anonset.model.release import Provenance, Release
from anonset.model.verdict import Verdict
from anonset.notebook import bullets, card, heading, line, side_by_side, table
from anonset.releases.about import Exactness
from anonset.releases.frames import dataset_frame, frame_in_order
from anonset.releases.gates import Admission
from anonset.report.evidence import actor_words, not_covered, promised_risk
from anonset.report.first_page import ROWS as FIRST_PAGE_ROWS
from anonset.report.first_page import (
    about,
    accepted_words,
    counted_words,
    doubt_words,
    figure,
    frame_rows,
    inversion_words,
    opening,
    outside_words,
    people,
    people_alike,
    people_fitting,
    promises,
)
from anonset.report.words import Words, words_of


def certificate(
    original: Dataset,
    release: Release,
    guide: Mapping[str, Any],
    admission: Admission,
    cover: Cover,
    words: Words,
    seen: Exactness,
    *,
    whole: bool = True,
) -> dict[str, Any]:
    """The certificate as plain data; `guide` is the published about.json, which has what was admitted too.

    Of the original it takes the names of what labels stand for, and the column of the items: both are published. `seen` is of
    all records, where the release is one part of them and not the `whole`.
    """
    public = without_private_half(release)
    alike, (fitting, counted) = people_alike(public.guarantees), people_fitting(public.guarantees)
    some = np.unique(np.linspace(0, max(0, len(public) - 1), FIRST_PAGE_ROWS).astype(np.int64))[: len(public)]
    frame = frame_in_order(public.take(some), original)
    linking = about(public, {"quasi", "items"}, original.item_column, words)
    return {
        "kind": "certificate",
        **opening(public, cover, words, untitled=""),
        **({} if fitting is None else {"attacker": actor_words(cover, words) | {"holds": words("holds.population")}}),
        "recounted": fitting is None,
        "data": guide["file"],
        "limits": promised_risk(alike, words) if fitting is None else promised_risk(fitting, words, f"limits.{counted}"),
        "not_covered": not_covered(original, public, words, whole=whole),
        "records": {"published": guide["records"], "left_out": guide["suppressed_records"]},
        "holds": True,
        "accepted": accepted_words(admission, words),
        "outside": [*outside_words(admission, words), *inversion_words(release.provenance, words)],
        "promises": promises(public, original.item_column, words),
        "counted": counted_words(replace(original, gathered=None), words),
        "risk": _risk(alike, "risk.bound", words) if fitting is None else _risk(fitting, f"risk.{counted}", words),
        "columns": column_rows(public, seen, original.item_column, words),
        "uses": _uses(public, seen, guide, original.item_column, words),
        "rows": {"after": {"header": frame.columns, "rows": frame_rows(frame)}},
        "annex": {
            "singling": {"promise": linking},
            "linking": {"promise": linking},
            "inferring": {"promise": about(public, {"sensitive"}, original.item_column, words)},
        },
    }


def _risk(alike: int | None, bound: str, words: Words) -> dict[str, Any]:
    if alike is None:
        return {"said": "", "words": words("risk.none")}
    return {"said": words("risk.one_in", k=words.number(alike)), "words": words(bound)}


def without_private_half(release: Release) -> Release:
    """The release as readers of its published half know it."""
    made = release.provenance
    return replace(
        release,
        rows=np.arange(len(release), dtype=np.int64),
        assignments=None,
        trace=(),
        provenance=Provenance(made.algorithm, {}, made.version, made.ends),
    )


def column_rows(release: Release, seen: Exactness, item_column: str, words: Words) -> list[dict[str, Any]]:
    """Every published column with its role and how much of it is exact."""
    found = [
        _row(column.name, column.role, _fate(column, seen.column(j), words), words) for j, column in enumerate(release.columns)
    ]
    items = release.items
    if isinstance(items, GeneralizedItems):
        found.append(_row(item_column, "items", _exactness(seen.items, words), words))
    elif items is not None:
        found.append(_row(item_column, "items", doubt_words(items, words), words))
    return found


def _row(name: str, role: str, fate: str, words: Words) -> dict[str, Any]:
    return {"name": name, "role": role, "is": words(f"role.{role}"), "fate": fate}


def _fate(column: PublishedColumn, exact: float, words: Words) -> str:
    if column.role != "quasi":
        return words(f"fate.{column.role}")
    return _exactness(exact, words)


def _exactness(exact: float, words: Words) -> str:
    return words("fate.unchanged") if exact == 1.0 else words("fate.shown", exact=words.percent(exact))


def _uses(release: Release, seen: Exactness, guide: Mapping[str, Any], item_column: str, words: Words) -> dict[str, Any]:
    """Three figures and two lists, from the published records alone."""
    figures, items = [], release.items
    if isinstance(items, GeneralizedItems):
        figures.append(figure(words, seen.items, "use.exact_items", items=item_column))
    if release.quasi:
        shares = [seen.column(j) for j, column in enumerate(release.columns) if column.role == "quasi"]
        figures.append(figure(words, sum(shares) / len(shares), "use.exact_values"))
    if seen.width is not None:
        said = {"said": words.number(seen.width, 1), "value": seen.width, "words": words("use.labels", items=item_column)}
        figures.append({"of": "labels", **said})
    published, left_out = guide["records"], guide["suppressed_records"]
    figures.append(figure(words, published / max(1, published + left_out), "use.kept_records"))
    bad = [words("use.person"), words("use.order")]
    alike = people_alike(release.guarantees)
    if alike is not None:
        figures.append(people(words, alike))
        bad.insert(1, words("use.rare", k=words.number(alike)))
    good = [words("use.counting_shown"), *([] if isinstance(items, UncertainItems) else [words("use.true")])]
    return {"figures": figures[:3], "good": good, "bad": bad}


ROWS = 5


def release_card(
    original: Dataset, release: Release, *, verdict: Verdict | None, useful: Usefulness | None, refused: str, aligned: bool
) -> str:
    """The notebook card of a release."""
    words = words_of("en").counting(original.unit)
    kept = promises(release, original.item_column, words)
    return card(
        f"{repr(release)[1:-1].partition(';')[0]}",
        heading("The promise"),
        bullets(f"{p['words']} ({p['name']})" for p in kept) or line(words("verdict.no_promise")),
        _verdict_line(verdict),
        line(f"It would not be handed out: {refused}", mark="✗") if refused else "",
        heading("Still good for"),
        bullets(useful.sentences) if useful is not None else line("release.usefulness() tells."),
        _rows(original, release) if aligned else "",
    )


def _verdict_line(verdict: Verdict | None) -> str:
    if verdict is None:
        return line("Not yet checked: release.verify() does.")
    if verdict.holds:
        return line(f"The check finds that it holds: {', '.join(finding.guarantee for finding in verdict.findings)}.", mark="✓")
    worst = next(finding for finding in verdict.findings if finding.state != "holds") if verdict.findings else None
    told = "nothing was checked" if worst is None else f"{worst.guarantee} {worst.state}: {worst.worst}"
    return line(f"The check does NOT find that it holds: {told}", mark="✗")


def _rows(original: Dataset, release: Release) -> str:
    """The first rows, and what is published of them: only the owner may see both."""
    picked = release.take(release.rows.argsort(kind="stable")[:ROWS])
    after = frame_in_order(picked, original)
    before = dataset_frame(original.take(picked.rows))
    before = before.select([name for name in before.columns if name in after.columns])
    note = heading("The first rows before and after: this view is for the owner of the data")
    return note + side_by_side(_table(before, "before"), _table(after, "after"))


def _table(frame: pl.DataFrame, caption: str) -> str:
    return table(frame.columns, [[_text(value) for value in row] for row in frame.rows()], caption=caption)


def _text(value: object) -> object:
    return ", ".join(map(str, value)) if isinstance(value, list) else value
