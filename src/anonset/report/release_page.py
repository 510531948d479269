"""The page of one release: self-contained, readable on screen and on paper; an internal and an external version."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any

import numpy as np

from anonset.algorithms import ALGORITHMS
from anonset.algorithms.identity import Identity
from anonset.attacks import AttackResult
from anonset.measure import MEASURES
from anonset.measure.itemsets import Preservation
from anonset.measure.protected import smallest_protected
from anonset.measure.usefulness import Usefulness
from anonset.measure.workload import QueryCounts
from anonset.model.dataset import Dataset
from anonset.model.fates import Fate
from anonset.model.labels import GeneralizedItems, Labels, Ranges, UncertainItems
from anonset.model.release import Release
from anonset.model.transactions import item_order
from anonset.model.verdict import Verdict
from anonset.report import points
from anonset.report.drawing import draw_bars, draw_cut, draw_ru_map, svg
from anonset.report.template import render
from anonset.study.ru_map import Point


@dataclass(frozen=True, slots=True)
class Findings:
    """All that a page tells about a release, besides the release itself."""

    verdict: Verdict
    measures: dict[str, float]
    attacks: AttackResult | None = None
    counts: QueryCounts | None = None
    itemsets: tuple[float, Preservation] | None = None  # at a support
    map: tuple[Point, ...] = ()
    command: str = ""
    inputs: Mapping[str, str] = field(default_factory=dict)  # hashes by name; those of the original, if none
    hashes: Mapping[str, str] = field(default_factory=dict)  # of the published files
    accepted: tuple[str, ...] = ()  # what was published although it is refused otherwise
    useful: Usefulness | None = None


def release_page(original: Dataset, release: Release, findings: Findings, *, external: bool = False) -> str:
    """The HTML of a release's page. The external one holds nothing raw: no counts, files or hashes of the original."""
    if external:
        findings = Findings(findings.verdict, findings.measures, accepted=findings.accepted)
    return render(
        "release.html",
        external=external,
        facts=_facts(original, release),
        columns=_columns(original, release, external=external),
        parameters=_parameters(release, external=external),
        release=release,
        guarantees=[
            (guarantee.id, (type(guarantee).__doc__ or "").strip(), _promise(guarantee)) for guarantee in release.guarantees
        ],
        findings=findings,
        risks=[] if external else _risks(original, release),
        measures=_measures(findings),
        attacks=findings.attacks,
        found="" if findings.attacks is None else svg(draw_bars(points.found_bars(findings.attacks), width=10.0)),
        plots=_published_plots(release) if external else _plots(original, release, findings),
        cut="" if external else _cut(original, release),
        map=svg(draw_ru_map(findings.map, width=9.5, here=point_of(release, findings.map))) if findings.map else "",
        examples=reading_examples(original, release),
        worst=[] if findings.counts is None else findings.counts.worst(),
        queries=0 if findings.counts is None else len(findings.counts.workload),
        inputs={} if external else findings.inputs or {source.name: source.sha256 for source in original.sources},
        repeatable=is_repeatable(release),
    )


def _columns(original: Dataset, release: Release, *, external: bool) -> list[tuple[str, str, str]]:
    """The name, the role and the fate of each column; the external page knows only what is published."""
    shown = {column.name for column in release.columns} | ({original.item_column} if release.items is not None else set())
    fates = original.fates or tuple(
        Fate(column.name, column.role, column.kind, "", given=True) for column in original.columns if column.name in shown
    )
    return [(f.column, f.role, f.fate) for f in fates if not external or f.column in shown or f.role == "items"]


def _risks(original: Dataset, release: Release) -> list[tuple[str, int, int]]:
    """For each guarantee that protects groups or itemsets: the smallest support of one, in the raw data and in the release."""
    if isinstance(release.items, UncertainItems):
        return []
    raw = Identity(k=1).anonymize(original)
    found = [(g.id, smallest_protected(original, raw, g), smallest_protected(original, release, g)) for g in release.guarantees]
    return [(id, before, after) for id, before, after in found if before and after]


def _measures(findings: Findings) -> list[tuple[str, float, str]]:
    rows = [(id, value, MEASURES[id].meaning if id in MEASURES else "") for id, value in findings.measures.items()]
    if findings.counts is not None and "are" not in findings.measures and len(findings.counts.workload):
        error = float(findings.counts.relative_errors().mean())
        rows.append(("are", error, f"mean relative error of {len(findings.counts.workload)} counting queries: 0 all right"))
    if findings.itemsets is not None:
        support, kept = findings.itemsets
        sets = f"of the {kept.itemsets} itemsets in {support:.0%} of the records or more"
        rows.append(("itemset-recall", kept.recall, f"the share {sets} that still are: 1 all"))
        rows.append(("itemset-precision", kept.precision, "the share of those frequent in the release that were before: 1 all"))
        rows.append(("itemset-support-error", kept.support_error, f"mean relative error of the supports {sets}: 0 all right"))
    return rows


def is_repeatable(release: Release) -> bool:
    """Whether the same request gives the same release: nothing was drawn at random, or from a seed."""
    given = release.provenance.parameters
    algorithm = ALGORITHMS.get(release.provenance.algorithm)
    return algorithm is None or not algorithm.randomized or given.get("seed") is not None


def point_of(release: Release, map: Sequence[Point]) -> Point | None:
    """The point of a study whose setting is that of the release, its seed aside: what a label leaves out is the default."""
    algorithm = ALGORITHMS.get(release.provenance.algorithm)
    defaults: dict[str, Any] = (
        {f.name: f.default for f in fields(algorithm)} if algorithm is not None and is_dataclass(algorithm) else {}
    )
    given = {name: value for name, value in release.provenance.parameters.items() if name != "seed"}
    asked = {f"{name}={value}" for name, value in given.items()}
    special = {f"{name}={value}" for name, value in given.items() if value != defaults.get(name)}
    for point in map:
        name, *words = point.label.split(" (")[0].split()
        told = {word for word in words if not word.startswith("seed=")}
        if name == release.provenance.algorithm and special <= told <= asked:
            return point
    return None


def _parameters(release: Release, *, external: bool) -> dict[str, Any]:
    """What was asked for; the external page leaves out seeds and policies, which name what the publisher worries about."""
    given = release.provenance.parameters
    plain = {name: value for name, value in given.items() if isinstance(value, bool | int | float | str)}
    return {name: value for name, value in plain.items() if name != "seed"} if external else dict(given)


def _facts(original: Dataset, release: Release) -> list[tuple[str, str]]:
    facts = [("records published", f"{len(release):,}")]
    if len(original) != len(release):
        facts.append(("records left out", f"{len(original) - len(release):,}"))
    facts.append(("quasi attributes", ", ".join(column.name for column in release.quasi) or "none"))
    if isinstance(release.items, GeneralizedItems):
        items = release.items
        facts.append(
            ("published items", f"{len(items.labels):,}, of which {int((items.labels.sizes > 1).sum()):,} are generalized")
        )
        facts.append(("suppressed items", f"{len(items.suppressed):,}"))
        facts.append(
            ("recoding", "global: every item is published in one way" if items.is_global else "local: by group of records")
        )
    elif isinstance(release.items, UncertainItems):
        facts.append(("uncertain items in a record, at most", f"{int(release.items.threshold.max(initial=0)):,}"))
    return facts


def _plots(original: Dataset, release: Release, findings: Findings) -> list[str]:
    bars = [points.column_loss_bars(original, release)] if release.quasi or isinstance(release.items, GeneralizedItems) else []
    bars += _published_bars(release)
    if findings.counts is not None:
        bars.append(points.error_by_size_bars(findings.counts))
    if release.items is not None:
        bars.append(points.item_frequency_bars(original, release))
    bars += [points.column_bars(original, release, column.name) for column in release.quasi]
    return [svg(draw_bars(chart)) for chart in bars if chart.bars]


def _cut(original: Dataset, release: Release) -> str:
    """The hierarchy of the items with what is published of it; nothing where items are not published along it."""
    if not isinstance(release.items, GeneralizedItems) or original.item_hierarchy is None:
        return ""
    blocks = points.cut_blocks(original.item_hierarchy, release, original)
    if not any(block.in_cut for block in blocks):
        return ""
    where = "published" if release.items.is_global else "published in some group of records"
    return svg(draw_cut(blocks, f"The hierarchy of the items; what is {where} is filled"))


def _published_plots(release: Release) -> list[str]:
    return [svg(draw_bars(chart)) for chart in _published_bars(release) if chart.bars]


def _published_bars(release: Release) -> list[points.Bars]:
    bars = [points.label_size_bars(release)] if isinstance(release.items, GeneralizedItems) else []
    if isinstance(release.items, UncertainItems):
        return [points.doubt_bars(release)]
    return [*bars, points.group_size_bars(release)] if release.quasi else bars


def reading_examples(original: Dataset, release: Release) -> list[tuple[str, str]]:
    """A few published values and what they mean: of every quasi column the commonest, of the items the widest."""
    found: list[tuple[str, str]] = []
    for column in release.quasi:
        if len(column.labels):
            a = int(np.bincount(column.codes[column.codes >= 0], minlength=len(column.labels)).argmax())
            found.append(
                (
                    f"{column.name} = {column.labels.texts[a]}",
                    _value_meaning(column.labels, a, original.column(column.name).domain),
                )
            )
    if isinstance(release.items, GeneralizedItems):
        labels = release.items.labels
        for a in np.argsort(-labels.sizes, kind="stable")[:3].tolist():
            if labels.sizes[a] > 1:
                found.append((labels.texts[a], f"at least one of: {_members(labels, a, release.items.domain, by_name=True)}"))
    elif isinstance(release.items, UncertainItems):
        found.append(("item?", "the record may differ here; at most as many of its marked items are wrong as the bound says"))
    return found


def _value_meaning(labels: Labels | Ranges, a: int, domain: Sequence[str]) -> str:
    if isinstance(labels, Ranges):
        low, high = labels.low[a], labels.high[a]
        return "the value itself" if low == high else f"a number from {low:g} to {high:g}, both included"
    return "the value itself" if labels.sizes[a] == 1 else f"one of: {_members(labels, a, domain)}"


def _members(labels: Labels, a: int, domain: Sequence[str], most: int = 10, *, by_name: bool = False) -> str:
    names = [domain[i] for i in labels.members[labels.offsets[a] : labels.offsets[a + 1]]]
    some = (item_order(names) if by_name else names)[:most]
    return ", ".join(some) + (f" and {len(names) - most} more" if len(names) > most else "")


def _promise(guarantee: Any) -> str:
    values = {name: getattr(guarantee, name) for name in guarantee.__slots__}
    return ", ".join(f"{name} = {value}" for name, value in values.items() if isinstance(value, int | float))
