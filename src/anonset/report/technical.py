"""The technical side of a page: parameters, measures, plots, and how to make the release again."""

from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from anonset.algorithms import ALGORITHMS
from anonset.algorithms.identity import Identity
from anonset.measure import MEASURES
from anonset.measure.risk import smallest_protected
from anonset.model.dataset import Dataset, item_order
from anonset.model.labels import GeneralizedItems, Labels, Ranges, UncertainItems
from anonset.model.release import Release
from anonset.report import points
from anonset.report.drawings import draw_bars, draw_cut
from anonset.report.findings import Findings, Whole
from anonset.report.map_drawing import draw_ru_map
from anonset.report.words import Words
from anonset.study.ru_map import MapPoint


def technical(original: Dataset, release: Release, found: Findings, words: Words) -> dict[str, Any]:
    """What the technical side of the report shows, drawings as SVG."""
    return {
        "parameters": {name: str(value) for name, value in release.provenance.parameters.items() if value not in (None, "")},
        "facts": release_facts(original, release, words)
        if found.whole is None
        else _facts_of_parts(release, found.whole, words),
        "risks": _risks(original, release) if found.whole is None else [],
        "measures": _measures(found, words),
        "found": "" if found.attacks is None else str(draw_bars(points.found_bars(found.attacks, words), words, width=720)),
        "plots": _plots(original, release, found, words),
        "cut": _cut(original, release, words),
        "map": str(draw_ru_map(found.map, here=point_of(release, found.map), words=words)) if found.map else "",
        "examples": reading_examples(original, release, words),
        "worst": [] if found.counts is None else found.counts.worst(),
        "queries": 0 if found.counts is None else len(found.counts.workload),
        "inputs": found.inputs or {source.name: source.sha256 for source in original.sources},
        "repeatable": is_repeatable(release),
    }


def _risks(original: Dataset, release: Release) -> list[tuple[str, int, int]]:
    """For each guarantee that protects groups or itemsets: the smallest support of one, in the raw data and in the release."""
    if isinstance(release.items, UncertainItems):
        return []
    raw = Identity(k=1).anonymize(original)
    found = [(g.id, smallest_protected(original, raw, g), smallest_protected(original, release, g)) for g in release.guarantees]
    return [(id, before, after) for id, before, after in found if before and after]


def _measures(found: Findings, words: Words) -> list[tuple[str, float, str]]:
    rows = [(id, value, words(f"measure.{id}") if id in MEASURES else "") for id, value in found.measures.items()]
    if found.counts is not None and "are" not in found.measures and len(found.counts.workload):
        error = float(found.counts.relative_errors().mean())
        rows.append(("are", error, words("measure.are_of", queries=len(found.counts.workload))))
    if found.itemsets is not None:
        support, kept = found.itemsets
        sets = {"itemsets": words.number(kept.itemsets), "support": words.percent(support)}
        values = {"recall": kept.recall, "precision": kept.precision, "support-error": kept.support_error}
        rows += [(f"itemset-{name}", value, words(f"measure.itemset-{name}", **sets)) for name, value in values.items()]
    return rows


def is_repeatable(release: Release) -> bool:
    """Whether the same request gives the same release: nothing was drawn at random, or from a seed."""
    given = release.provenance.parameters
    algorithm = ALGORITHMS.get(release.provenance.algorithm)
    return algorithm is None or not algorithm.randomized or given.get("seed") is not None


def point_of(release: Release, map: Sequence[MapPoint]) -> MapPoint | None:
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


def release_facts(original: Dataset, release: Release, words: Words) -> list[tuple[str, str]]:
    """What is in the release, in figures."""
    facts = {"records": words.number(len(release))}
    if len(original) != len(release):
        facts["left_out"] = words.number(len(original) - len(release))
    facts["quasi"] = ", ".join(column.name for column in release.quasi) or words("technical.none")
    if isinstance(release.items, GeneralizedItems):
        items = release.items
        wide = words.number(int((items.labels.sizes > 1).sum()))
        facts["items"] = words("technical.items_said", all=words.number(len(items.labels)), generalized=wide)
        facts["suppressed"] = words.number(len(items.suppressed))
        facts["recoding"] = words("technical.global") if items.is_global else words("technical.local")
    elif isinstance(release.items, UncertainItems):
        facts["uncertain"] = words.number(int(release.items.threshold.max(initial=0)))
    return [(words(f"facts.{name}"), said) for name, said in facts.items()]


def _facts_of_parts(release: Release, whole: Whole, words: Words) -> list[tuple[str, str]]:
    """What is known of all records where the release at hand is of some of them."""
    quasi = ", ".join(column.name for column in release.quasi) or words("technical.none")
    return [(words("facts.records"), words.number(whole.records)), (words("facts.quasi"), quasi)]


def _plots(original: Dataset, release: Release, found: Findings, words: Words) -> list[str]:
    generalized = release.quasi or isinstance(release.items, GeneralizedItems)
    bars = [points.column_loss_bars(original, release, words)] if generalized else []
    bars += published_bars(release, words, found.whole)
    if found.counts is not None:
        bars.append(points.error_by_size_bars(found.counts, words))
    if release.items is not None:
        bars.append(points.item_frequency_bars(original, release, words))
    bars += [points.column_bars(original, release, column.name, words) for column in release.quasi]
    return [str(draw_bars(chart, words)) for chart in bars if chart.bars]


def _cut(original: Dataset, release: Release, words: Words) -> str:
    """The hierarchy of the items with what is published of it; nothing where items are not published along it."""
    if not isinstance(release.items, GeneralizedItems) or original.item_hierarchy is None:
        return ""
    blocks = points.cut_blocks(original.item_hierarchy, release, original)
    if not any(block.in_cut for block in blocks):
        return ""
    return str(draw_cut(blocks, words("chart.cut" if release.items.is_global else "chart.cut_of_groups"), words))


def published_bars(release: Release, words: Words, whole: Whole | None = None) -> list[points.Bars]:
    """What the published records alone show of themselves."""
    bars = [points.label_size_bars(release, words)] if isinstance(release.items, GeneralizedItems) else []
    if isinstance(release.items, UncertainItems):
        return [points.doubt_bars(release, words)]
    return [*bars, points.group_size_bars(release, words, whole)] if release.quasi else bars


def reading_examples(original: Dataset, release: Release, words: Words) -> list[tuple[str, str]]:
    """A few published values and what they mean: of every quasi column the commonest, of the items the widest."""
    found: list[tuple[str, str]] = []
    for column in release.quasi:
        if len(column.labels):
            a = int(np.bincount(column.codes[column.codes >= 0], minlength=len(column.labels)).argmax())
            meaning = _value_meaning(column.labels, a, original.column(column.name).domain, words)
            found.append((f"{column.name} = {column.labels.texts[a]}", meaning))
    if isinstance(release.items, GeneralizedItems):
        labels = release.items.labels
        for a in np.argsort(-labels.sizes, kind="stable")[:3].tolist():
            if labels.sizes[a] > 1:
                members = _members(labels, a, release.items.domain, words, by_name=True)
                found.append((labels.texts[a], words("reading.some_of", members=members)))
    elif isinstance(release.items, UncertainItems):
        found.append((words("reading.marked"), words("reading.doubt")))
    return found


def _value_meaning(labels: Labels | Ranges, a: int, domain: Sequence[str], words: Words) -> str:
    if isinstance(labels, Ranges):
        low, high = labels.low[a], labels.high[a]
        same, ends = low == high, {"low": words.written(f"{low:g}"), "high": words.written(f"{high:g}")}
        return words("reading.itself") if same else words("reading.number", **ends)
    exact = labels.sizes[a] == 1
    return words("reading.itself") if exact else words("reading.one_of", members=_members(labels, a, domain, words))


def _members(labels: Labels, a: int, domain: Sequence[str], words: Words, most: int = 10, *, by_name: bool = False) -> str:
    names = [domain[i] for i in labels.members[labels.offsets[a] : labels.offsets[a + 1]]]
    some = ", ".join((item_order(names) if by_name else names)[:most])
    return words("format.more", shown=some, rest=words.number(len(names) - most)) if len(names) > most else some
