"""The first page of the report: the guarantees, and what the release is good for and what not, in one language."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields
from itertools import takewhile
from typing import Any, NamedTuple

import polars as pl

from anonset import __version__
from anonset.algorithms import ALGORITHMS
from anonset.attacks import AttackResult
from anonset.attacks.attackers import AttackerKnowledge
from anonset.attacks.linkage import Linkage, SideExposure
from anonset.measure.usefulness import SizedError, Usefulness
from anonset.model.cover import Cover
from anonset.model.dataset import Dataset
from anonset.model.guarantees import BasePopulation, Guarantee, KmMap, Part, promise_words
from anonset.model.labels import UncertainItems
from anonset.model.release import Provenance, Release
from anonset.model.schema import Fate
from anonset.releases.frames import dataset_frame, frame_in_order
from anonset.releases.gates import Admission
from anonset.report.evidence import actor_words, measured_risk, not_covered
from anonset.report.findings import Findings
from anonset.report.words import Words

SHARES = ("share", "suppression")


def promises(release: Release, item_column: str, words: Words) -> list[dict[str, str]]:
    """Each guarantee as a sentence, with its technical name; policies of the owner are counted, not listed."""
    known = [column.name for column in release.quasi]
    return [{"id": g.id, "name": promise_words(g), "words": promise(g, known, item_column, words)} for g in release.guarantees]


def promise(guarantee: Guarantee, known: Sequence[str], item_column: str, words: Words) -> str:
    """One guarantee as a sentence: that of the catalogue, or the guarantee's own where the language has none."""
    estimated = isinstance(guarantee, KmMap) and guarantee.records
    sentence = "promise.km-map-estimate" if estimated else f"promise.{guarantee.id}"
    if sentence not in words.texts:
        return guarantee.words(words.unit)
    values: dict[str, Any] = {f.name: _said(f.name, getattr(guarantee, f.name), words) for f in fields(guarantee)}
    return words(sentence, **{"known": words.listed(known), "items": item_column} | values)


def people_alike(guarantees: Iterable[Guarantee]) -> int | None:
    """How many people of the file look alike at least, by what is promised about linking; None where nothing is."""
    linked = [g for g in guarantees if g.covers & {"quasi", "items"} and not isinstance(g, BasePopulation)]
    return min((getattr(g, "k", getattr(g, "l", 1)) for g in linked), default=None)


def people_fitting(guarantees: Iterable[Guarantee]) -> tuple[int | None, str]:
    """How many people of the population fit what is shown at least, and whether they were counted; None without population."""
    found = [g for g in guarantees if isinstance(g, BasePopulation)]
    return min((g.k for g in found), default=None), "estimate" if any(g.records for g in found) else "population"


def about(release: Release, parts: set[Part], item_column: str, words: Words) -> str:
    """What the promises say of some kind of attack."""
    known = [column.name for column in release.quasi]
    said = [promise(g, known, item_column, words) for g in release.guarantees if g.covers & parts]
    return words("annex.covered", promise=" ".join(said)) if said else words("annex.not_covered")


def _said(name: str, value: Any, words: Words) -> Any:
    if name in SHARES:
        return words.percent(value)
    return len(value) if isinstance(value, tuple) else words.number(value) if isinstance(value, int) else value


RIGHT = 0.1  # largest mean error of counts that are called reliable
MOSTLY, HARDLY = 0.8, 0.5
LEARNT = 0.05  # more right predictions than by the commonest value, for a model to be worth speaking of
LARGE = 100  # least people whose counts have a figure


class Uses(NamedTuple):
    """Three figures with what they are, and what the data are good for and not."""

    figures: list[dict[str, Any]]
    good: list[str]
    bad: list[str]


def figure(words: Words, share: float, key: str, **values: object) -> dict[str, Any]:
    """A large figure, as people read it and as a number."""
    return {"of": key.removeprefix("use."), "said": words.percent(share), "value": share, "words": words(key, **values)}


def people(words: Words, alike: int) -> dict[str, Any]:
    """How many people look alike, as a large figure."""
    return {"of": "alike", "said": words.number(alike), "value": alike, "words": words("use.alike")}


def uses(found: Findings, alike: int | None, words: Words, *, certain: bool) -> Uses:
    """What the comparison with the original says; `certain`: everything shown is true."""
    useful = found.useful
    if useful is None:
        return Uses([], [], [words("use.person")])
    figures, good = list(_figures(useful, found, alike, words)), [*_good(useful, words)]
    good += [words("use.true")] if certain else []
    return Uses(figures[:3], good, list(_bad(useful, words)))


def _figures(useful: Usefulness, found: Findings, alike: int | None, words: Words) -> Iterator[dict[str, Any]]:
    if useful.exact is not None:
        yield figure(words, useful.exact, "use.exact_items", items=useful.items)
    if useful.columns:
        exact = [kept.exact for kept in useful.columns.values()]
        yield figure(words, sum(exact) / len(exact), "use.exact_values")
    if useful.counts:
        low, error = large_error(useful.counts)
        yield figure(words, error, "use.count_error", low=words.number(low))
    if found.counts is not None and len(found.counts.workload):
        error = float(found.counts.relative_errors().mean())
        yield figure(words, error, "use.query_error", queries=words.number(len(found.counts.workload)))
    yield figure(words, 1.0 - useful.left_out / max(1, useful.records), "use.kept_records")
    if alike is not None:
        yield people(words, alike)


def large_error(counts: Sequence[SizedError]) -> tuple[int, float]:
    """The average error in common counts, and the least number of people in them."""
    large = [sized for sized in counts if sized.low >= LARGE] or [counts[-1]]
    return large[0].low, sum(sized.error * sized.counts for sized in large) / sum(sized.counts for sized in large)


def _good(useful: Usefulness, words: Words) -> Iterator[str]:
    reliable = _reliable(useful)
    if reliable:
        worst, low = max(sized.error for sized in reliable), words.number(reliable[-1].low)
        yield words("use.counts", low=low, error=words.percent(worst)) if worst else words("use.exact_counts", low=low)
    if useful.exact is not None and useful.exact >= HARDLY:
        yield words("use.items_kept", items=useful.items, exact=words.percent(useful.exact))
    for name, kept in (useful.columns or {}).items():
        if kept.exact >= HARDLY:
            yield words("use.column_kept", column=name, exact=words.percent(kept.exact))
    if (kept_sets := _mined(useful, words)) and useful.mined is not None and _lower(useful) >= MOSTLY:
        yield words("use.mined", **kept_sets)
    if _can_be_predicted(useful) and useful.prediction is not None and useful.prediction.kept >= MOSTLY:
        yield words("use.predicted", **_predicted(useful, words))


def _bad(useful: Usefulness, words: Words) -> Iterator[str]:
    yield words("use.person")
    if useful.counts:
        small, (low, error) = useful.counts[0], large_error(useful.counts)
        if not _reliable(useful):
            yield words("use.large", low=words.number(low), error=words.percent(error))
        elif small.high is not None and small.error > RIGHT:
            yield words("use.few", high=words.number(small.high), error=words.percent(small.error))
    if useful.lost is not None and useful.lost > RIGHT:
        yield words("use.items_lost", items=useful.items, lost=words.percent(useful.lost))
    elif useful.exact is not None and useful.exact < HARDLY:
        yield words("use.items_coarse", items=useful.items, exact=words.percent(useful.exact))
    if useful.bound is not None and useful.bound < 1:
        key = "use.bound_with_columns" if useful.columns else "use.bound"
        yield words(key, items=useful.items, bound=words.percent(useful.bound))
    for name, kept in (useful.columns or {}).items():
        if kept.lost > HARDLY:
            yield words("use.column_lost", column=name, lost=words.percent(kept.lost))
        elif kept.exact < HARDLY:
            yield words("use.column_coarse", column=name, exact=words.percent(kept.exact))
    if (kept_sets := _mined(useful, words)) and _lower(useful) < HARDLY:
        yield words("use.not_mined", **kept_sets)
    if _can_be_predicted(useful) and useful.prediction is not None and useful.prediction.kept < HARDLY:
        yield words("use.not_predicted", **_predicted(useful, words))


def _can_be_predicted(useful: Usefulness) -> bool:
    """Whether a model learns something from the original, so that it can be lost."""
    p = useful.prediction
    return p is not None and p.trained_on_original > p.commonest + LEARNT


def _reliable(useful: Usefulness) -> list[SizedError]:
    """The sizes from which on counts are right, the largest first."""
    return list(takewhile(lambda sized: sized.error <= RIGHT, reversed(useful.counts)))


def _lower(useful: Usefulness) -> float:
    """The lower of what is still found and what is right of it."""
    sets = useful.mined.itemsets if useful.mined is not None else None
    return 1.0 if sets is None else min(sets.recall, sets.precision)


def _mined(useful: Usefulness, words: Words) -> dict[str, str]:
    if useful.mined is None or not useful.mined.itemsets.number:
        return {}
    sets = useful.mined.itemsets
    said = {"recall": words.percent(sets.recall), "precision": words.percent(sets.precision)}
    return said | {"number": words.number(sets.number)}


def _predicted(useful: Usefulness, words: Words) -> dict[str, str]:
    assert useful.prediction is not None
    p = useful.prediction
    return {"column": p.column, "after": words.percent(p.trained_on_release), "before": words.percent(p.trained_on_original)}


def knowledge_words(knowledge: AttackerKnowledge, original: Dataset, words: Words) -> str:
    """What attackers of a kind know, in words."""
    parts = [words("knows.quasi", known=words.listed([c.name for c in original.quasi]))] if knowledge.quasi else []
    if knowledge.items:
        said = {"items": original.item_column, "choice": words(f"choice.{knowledge.choice}")}
        one = knowledge.items == 1
        parts.append(words("knows.item", **said) if one else words("knows.several", m=knowledge.items, **said))
    return words.listed(parts)


def brief_knowledge(knowledge: AttackerKnowledge, words: Words) -> str:
    """The same in few words, for a drawing."""
    parts = [words("knows.columns")] if knowledge.quasi else []
    parts += [words("knows.items", m=knowledge.items, choice=words(f"choice.{knowledge.choice}"))] if knowledge.items else []
    return " + ".join(parts)


def strongest(attacks: AttackResult) -> Linkage | None:
    """The attackers who found most in the original."""
    return max(
        attacks.linkages, key=lambda x: (x.before.singled_out.value, x.before.prosecutor, x.knowledge.items), default=None
    )


def risk(attacks: AttackResult, original: Dataset, words: Words) -> dict[str, Any] | None:
    """Who could be found before and after, by the attackers who found most before."""
    x = strongest(attacks)
    if x is None:
        return None
    known = knowledge_words(x.knowledge, original, words)
    return {
        "lead": words("risk.lead", attackers=words.number(x.attackers), known=known),
        "before": {"singled": x.before.singled_out.value, "worst": x.before.prosecutor},
        "after": {"singled": x.after.singled_out.value, "worst": x.after.prosecutor},
    }


def attack_annex(original: Dataset, release: Release, attacks: AttackResult, words: Words) -> dict[str, Any]:
    """The three questions, each with its answer, what is promised about it, and the figures."""
    linking = about(release, {"quasi", "items"}, original.item_column, words)
    rows = [(knowledge_words(x.knowledge, original, words), x) for x in attacks.linkages]
    return {
        "singling": {"answer": _singled(attacks, original, words), "promise": linking, "rows": [_single(*row) for row in rows]},
        "linking": {"answer": _linked(attacks, words), "promise": linking, "rows": [_link(*row) for row in rows]},
        "inferring": {
            "answer": _inferred(attacks, words),
            "promise": about(release, {"sensitive"}, original.item_column, words) if attacks.inferences else "",
            "rows": [
                {
                    "secret": i.secret,
                    "knows": knowledge_words(i.knowledge, original, words),
                    "attackers": i.attackers,
                    **{side: getattr(i, side)._asdict() for side in ("before", "after", "control")},
                    "leak": i.leak,
                }
                for i in attacks.inferences
            ],
        },
    }


def _single(known: str, x: Linkage) -> dict[str, Any]:
    sides = {"before": x.before.singled_out._asdict(), "after": x.after.singled_out._asdict()}
    return {"knows": known, "attackers": x.attackers, **sides}


def _link(known: str, x: Linkage) -> dict[str, Any]:
    def side(found: SideExposure) -> dict[str, Any]:
        return {"average": found.marketer._asdict(), "worst": found.prosecutor, "journalist": found.journalist}

    return {"knows": known, "before": side(x.before), "after": side(x.after)}


def _singled(attacks: AttackResult, original: Dataset, words: Words) -> str:
    worst = max(attacks.linkages, key=lambda x: x.after.singled_out.value, default=None)
    if worst is None or worst.after.singled_out.value == 0:
        return words("annex.singling_no", attackers=words.number(sum(x.attackers for x in attacks.linkages)))
    share, known = worst.after.singled_out.value, knowledge_words(worst.knowledge, original, words)
    return words("annex.singling_yes", share=words.exactly(share), known=known)


def _linked(attacks: AttackResult, words: Words) -> str:
    mean = max((x.after.marketer.value for x in attacks.linkages), default=0.0)
    return words("annex.linking_found", chance=words.exactly(attacks.worst), mean=words.exactly(mean))


def _inferred(attacks: AttackResult, words: Words) -> str:
    if not attacks.inferences:
        return words("annex.inferring_none")
    return words("annex.inferring_found", leak=words.exactly(max(i.leak for i in attacks.inferences)))


ROWS = 10


def first_page(original: Dataset, release: Release, found: Findings, cover: Cover, words: Words) -> dict[str, Any]:
    """The report for the owner of the data: it compares the release with the original, and shows rows of both."""
    named = original.sources[0].name if original.sources else ""
    published = len(release) if found.whole is None else found.whole.records
    certain, alike = not isinstance(release.items, UncertainItems), people_alike(release.guarantees)
    return {
        "kind": "report",
        **opening(release, cover, words, untitled=untitled_words(named, words)),
        "data": ", ".join(found.inputs or [source.name for source in original.sources]),
        "limits": measured_risk(found.attacks, cover, words),
        "not_covered": not_covered(original, release, words, whole=found.whole is None),
        "records": {"published": published, "left_out": len(original) - len(release)},
        "sample": len(release) if found.whole else None,
        "holds": found.verdict.holds,
        "accepted": accepted_words(found.accepted, words),
        "outside": [*outside_words(found.accepted, words), *inversion_words(release.provenance, words)],
        "promises": promises(release, original.item_column, words),
        "counted": counted_words(original, words),
        "risk": None if found.attacks is None else risk(found.attacks, original, words),
        "columns": [_column(fate, found, release, words) for fate in _fates(original)],
        "uses": uses(found, alike, words, certain=certain)._asdict(),
        "rows": _rows(original, release),
        "annex": None if found.attacks is None else attack_annex(original, release, found.attacks, words),
    }


def opening(release: Release, cover: Cover, words: Words, *, untitled: str) -> dict[str, Any]:
    """The opening of both pages."""
    return {
        "language": words.language,
        "title": cover.title or untitled or words("page.untitled"),
        "by": cover.by,
        "date": cover.date,
        "recipient": cover.recipient,
        "purpose": cover.purpose,
        "contact": cover.contact,
        "licence": cover.licence,
        "valid_until": cover.valid_until,
        "context": cover.context,
        "residual_risk": cover.residual_risk,
        "attacker": actor_words(cover, words),
        "made_with": f"anonset {release.provenance.version or __version__}",
        "algorithm": release.provenance.algorithm,
    }


def untitled_words(file: str, words: Words) -> str:
    """A title for data that nobody gave one: it names the file without its suffixes."""
    stem = file.partition(".")[0]
    return words("page.release_of", name=stem) if stem else ""


def counted_words(original: Dataset, words: Words) -> dict[str, Any]:
    """What the promises count, and how rows of a person became one record."""
    kind = "accepted" if original.repeats else original.unit
    if original.sampling is not None:
        said = [words("unit_of.sampling", share=words.percent(original.sampling))]
    elif original.population is not None:
        said = [words("unit_of.population", number=words.number(len(original.population)))]
    else:
        said = [words(f"unit_of.{kind}")]
    if (gathered := original.gathered) is not None and gathered.rows > gathered.people:
        values = {"rows": words.number(gathered.rows), "number": words.number(gathered.people), "column": gathered.key}
        said.append(words("unit_of.gathered", **values))
    return {"unit": original.unit, "words": " ".join(said)}


def accepted_words(admission: Admission | None, words: Words) -> list[str]:
    """Sentences on the exposures that the owner accepted."""
    if admission is None:
        return []
    said = []
    for name, found in admission.exposed.items():
        rare = {"role": words(f"role.{found.role}"), "share": words.percent(found.share), "k": found.k} if found.k else {}
        said.append(words(f"accepted.{found.kind}", column=name, **rare))
    said += [words("accepted.lost", column=name, share=words.percent(lost)) for name, lost in admission.lost.items()]
    return said + ([words("accepted.earlier", k=admission.k)] if admission.earlier else [])


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


def inversion_words(provenance: Provenance, words: Words) -> list[str]:
    """What somebody who knows the algorithm may exclude, where that can leave fewer candidates than promised."""
    algorithm = ALGORITHMS.get(provenance.algorithm)
    closed = algorithm is not None and algorithm.inversion == "none found"
    if closed or provenance.parameters.get("protect") == "inversion":
        return []
    return [words("outside.inversion", algorithm=provenance.algorithm)]


def frame_rows(frame: pl.DataFrame) -> list[list[str]]:
    """The cells of a table as people read them, whole."""
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
    return "" if value is None else ", ".join(map(str, value)) if isinstance(value, list) else str(value)
