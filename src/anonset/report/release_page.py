"""The page of one release: self-contained, readable on screen and on paper; an internal and an external version."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from anonset.attack import AttackResult
from anonset.measure import MEASURES
from anonset.measure.workload import QueryCounts
from anonset.model.dataset import Dataset
from anonset.model.labels import GeneralizedItems, UncertainItems
from anonset.model.release import Release
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
    map: tuple[Point, ...] = ()
    command: str = ""
    seconds: float = 0.0


def release_page(original: Dataset, release: Release, findings: Findings, *, external: bool = False) -> str:
    """The HTML of a release's page. The external one holds nothing raw: no counts, files or hashes of the original."""
    return render(
        "release.html",
        external=external,
        facts=_facts(original, release),
        parameters=_parameters(release, external=external),
        release=release,
        guarantees=[
            (guarantee.id, (type(guarantee).__doc__ or "").strip(), _promise(guarantee)) for guarantee in release.guarantees
        ],
        findings=findings,
        measures=[
            (id, value, MEASURES[id].meaning if id in MEASURES else _meaning(id)) for id, value in findings.measures.items()
        ],
        attacks=None if external else findings.attacks,
        plots=_published_plots(release) if external else _plots(original, release, findings),
        wide=[] if external else _wide_plots(original, release, findings),
        examples=_examples(release),
        worst=[] if external or findings.counts is None else points.worst_queries(findings.counts),
        sources=() if external else original.sources,
        command="" if external else findings.command,
    )


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
    if isinstance(release.items, GeneralizedItems):
        bars.append(points.item_frequency_bars(original, release))
    bars += [points.column_bars(original, release, column.name) for column in release.quasi]
    if findings.counts is not None:
        bars.append(points.error_by_size_bars(findings.counts))
    return [svg(draw_bars(chart)) for chart in bars if chart.bars]


def _wide_plots(original: Dataset, release: Release, findings: Findings) -> list[str]:
    drawn = []
    if isinstance(release.items, GeneralizedItems) and original.item_hierarchy is not None:
        drawn.append(svg(draw_cut(points.cut_blocks(original.item_hierarchy, release, original))))
    if findings.map:
        drawn.append(svg(draw_ru_map(findings.map)))
    return drawn


def _published_plots(release: Release) -> list[str]:
    return [svg(draw_bars(chart)) for chart in _published_bars(release) if chart.bars]


def _published_bars(release: Release) -> list[points.Bars]:
    bars = [points.label_size_bars(release)] if isinstance(release.items, GeneralizedItems) else []
    return [*bars, points.group_size_bars(release)] if release.quasi else bars


def _examples(release: Release) -> list[tuple[str, str]]:
    """A few generalized values and what they mean."""
    found: list[tuple[str, str]] = []
    for column in release.quasi:
        if len(column.labels):
            text = column.labels.texts[int(np.bincount(column.codes[column.codes >= 0], minlength=len(column.labels)).argmax())]
            found.append((f"{column.name} = {text}", "the value is one of those this stands for; about.json lists them"))
    if isinstance(release.items, GeneralizedItems):
        items = release.items
        for a in np.argsort(-items.labels.sizes, kind="stable")[:3]:
            members = items.labels.members[items.labels.offsets[a] : items.labels.offsets[a + 1]]
            if len(members) > 1:
                names = ", ".join(items.domain[i] for i in members[:8]) + (", ..." if len(members) > 8 else "")
                found.append((items.labels.texts[a], f"at least one of: {names}"))
    elif isinstance(release.items, UncertainItems):
        found.append(("item?", "the record may differ here; at most as many of its marked items are wrong as the bound says"))
    return found


def _promise(guarantee: Any) -> str:
    values = {name: getattr(guarantee, name) for name in guarantee.__slots__}
    return ", ".join(f"{name} = {value}" for name, value in values.items() if isinstance(value, int | float))


def _meaning(id: str) -> str:
    return "mean relative error of counting queries: 0 all exact" if id == "are" else ""
