"""What the plots of a report show, as plain data."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from anonset.attacks import AttackResult
from anonset.measure.coded_release import groups, occurrence_labels
from anonset.measure.information_loss import expected_supports, label_loss
from anonset.measure.uncertain import ItemQuery, answers
from anonset.measure.usefulness import SizedError
from anonset.measure.workload import SIZES, QueryCounts
from anonset.model.arrays import Reals, Rows
from anonset.model.dataset import Column, Dataset
from anonset.model.hierarchy import Hierarchy
from anonset.model.labels import GeneralizedItems, Ranges, UncertainItems
from anonset.model.release import Release
from anonset.report.findings import Whole
from anonset.report.first_page import brief_knowledge
from anonset.report.words import Words

MOST_BLOCKS = 400


class Bar(NamedTuple):
    """One bar, before and after; None where one side has no such figure."""

    label: str
    before: float | None
    after: float | None


class Bars(NamedTuple):
    """A bar chart with named axes: `unit` along the bars, up to `most` at least, `axis` across them."""

    title: str
    unit: str
    axis: str
    bars: tuple[Bar, ...]
    most: float = 0.0


class Block(NamedTuple):
    """One node of a drawn hierarchy: the share of the leaves from start to stop, at a level above them."""

    label: str
    start: float
    stop: float
    level: int
    in_cut: bool


def label_size_bars(release: Release, words: Words) -> Bars:
    """How much of what is shown stands for how many items."""
    assert isinstance(release.items, GeneralizedItems)
    sizes = release.items.labels.sizes[release.items.shown]
    edges = [(1, 1), (2, 2), (3, 5), (6, 10), (11, 50), (51, 10**9)]
    names = [words("chart.exact"), *(words.range(*edge) for edge in edges[1:-1]), words("chart.more_than", low=50)]
    counts = [float(((sizes >= low) & (sizes <= high)).sum()) for low, high in edges]
    total = max(1.0, sum(counts))
    bars = tuple(Bar(name, None, count / total) for name, count in zip(names, counts, strict=True) if count)
    return _named("label_size", bars, words)


def item_frequency_bars(original: Dataset, release: Release, words: Words, most: int = 20) -> Bars:
    """The commonest items of the original, and what the release lets one expect of each."""
    assert original.transactions is not None
    t, n, m = original.transactions, max(1, len(original)), max(1, len(release))
    top = [i for i in np.argsort(-t.supports, kind="stable")[:most].tolist() if t.supports[i]]
    if isinstance(release.items, UncertainItems):
        expected = [answer.expected for answer in answers(release.items, [ItemQuery((t.domain[i],)) for i in top])]
    else:
        expected = expected_supports(original, release)[top].tolist()
    bars = tuple(Bar(t.domain[i], t.supports[i] / n, after / m) for i, after in zip(top, expected, strict=True))
    return _named("item_frequency", bars, words)


def doubt_bars(release: Release, words: Words) -> Bars:
    """How many records have how many items that may be wrong."""
    assert isinstance(release.items, UncertainItems)
    bars = _size_bars(release.items.threshold.astype(np.int64), np.ones(len(release)), max(1, len(release)), words)
    return _named("doubt", bars, words)


def column_bars(original: Dataset, release: Release, name: str, words: Words, most: int = 12) -> Bars:
    """The distribution of one quasi column: original values, and generalized ones spread evenly over what they stand for."""
    column = original.column(name)
    published = next(c for c in release.columns if c.name == name)
    counts = np.bincount(column.codes[column.codes >= 0], minlength=len(column.domain)).astype(np.float64)
    shown = np.bincount(published.codes[published.codes >= 0], minlength=len(published.labels)).astype(np.float64)
    n, m = max(1, len(original)), max(1, len(release))
    if column.values is not None and isinstance(published.labels, Ranges):
        edges, names = _bins(column, most, words)
        before, _ = np.histogram(column.values, bins=edges, weights=counts)
        after = _spread(published.labels, shown, edges, whole=column.is_integer)
        bars = tuple(Bar(x, float(y) / n, float(z) / m) for x, y, z in zip(names, before, after, strict=True))
    else:
        assert not isinstance(published.labels, Ranges)
        spread = np.zeros(len(column.domain))
        np.add.at(spread, published.labels.members, np.repeat(shown / published.labels.sizes, published.labels.sizes))
        top = np.argsort(-counts, kind="stable")[:most]
        bars = tuple(Bar(column.domain[c], counts[c] / n, spread[c] / m) for c in top if counts[c])
    return _named("column", bars, words, column=name)


def _bins(column: Column, most: int, words: Words) -> tuple[Reals, list[str]]:
    """Edges of bins over the span of a numeric column, and their names; whole numbers stay whole."""
    low, high = column.span
    if not column.is_integer:
        edges = np.linspace(low, high if high > low else low + 1.0, most + 1)
        return edges, [words.range(f"{start:.4g}", f"{stop:.4g}") for start, stop in pairwise(edges)]
    width = max(1, int(np.ceil((high - low + 1) / most)))
    starts = np.arange(low, high + 1, width)
    stops = np.minimum(high, starts + width - 1)
    names = [words.range(f"{start:g}", f"{stop:g}") for start, stop in zip(starts, stops, strict=True)]
    return np.append(starts, starts[-1] + width) - 0.5, names


def _spread(labels: Ranges, weights: Reals, edges: Reals, *, whole: bool) -> Reals:
    """The weight of each range spread evenly over the bins it touches."""
    half = 0.5 if whole else 0.0
    low, high = labels.low[:, None] - half, labels.high[:, None] + half
    low, high = np.clip(low, edges[0], edges[-1]), np.clip(high, edges[0], edges[-1])  # rounded ends may lie outside
    inside = np.clip(np.minimum(high, edges[1:]) - np.maximum(low, edges[:-1]), 0.0, None)
    point = (low == high) & (edges[:-1] <= low) & ((low < edges[1:]) | (low == edges[-1]))
    share = np.where(high > low, inside / np.where(high > low, high - low, 1.0), point)
    return np.asarray((weights[:, None] * share).sum(axis=0))


def group_size_bars(release: Release, words: Words, whole: Whole | None = None) -> Bars:
    """How many records lie in groups of which size."""
    if whole is not None and whole.group_sizes is not None and whole.group_times is not None:
        sizes, weights = whole.group_sizes, (whole.group_sizes * whole.group_times).astype(np.float64)
    else:
        group, count = groups(release.quasi, len(release))
        sizes = np.bincount(group, minlength=count)
        weights = sizes.astype(np.float64)
    bars = _size_bars(sizes, weights, max(1.0, float(weights.sum())), words)
    return _named("group_size", bars, words)


def _size_bars(sizes: Rows, weights: Reals, total: float, words: Words) -> tuple[Bar, ...]:
    """The weight of each size, in some ten classes that grow."""
    edges = np.unique(np.concatenate([[0], np.geomspace(1, max(2, sizes.max(initial=1) + 1), 10).astype(int)]))
    bars = []
    for low, high in pairwise(edges):
        inside = (sizes >= low) & (sizes < high)
        if inside.any():
            bars.append(Bar(words.range(low, high - 1), None, float(weights[inside].sum()) / total))
    return tuple(bars)


def column_loss_bars(original: Dataset, release: Release, words: Words) -> Bars:
    """The loss of each quasi column, and of the items."""
    bars = []
    for column in release.quasi:
        loss = np.append(label_loss(original.column(column.name), column), 0.0)[column.codes]
        bars.append(Bar(column.name, None, float(loss.mean()) if len(loss) else 0.0))
    if isinstance(release.items, GeneralizedItems) and original.transactions is not None:
        sizes = release.items.labels.sizes
        loss = np.append(np.where(sizes == 1, 0.0, sizes / len(original.transactions.domain)), 1.0)
        labels = np.maximum(occurrence_labels(original, release), -1)
        bars.append(Bar(original.item_column, None, float(loss[labels].mean()) if len(labels) else 0.0))
    return _named("loss", tuple(bars), words)._replace(most=1.0)


def error_by_size_bars(counts: QueryCounts, words: Words) -> Bars:
    """The mean relative error of queries by how many records they count."""
    ends = {name: (low, high) for name, low, high in SIZES}
    found = counts.errors_by_size().items()
    bars = tuple(Bar(_size(*ends[name], words), None, error) for name, (_, error) in found)
    return _named("error_by_size", bars, words)


def sized_error_bars(errors: Sequence[SizedError], words: Words) -> Bars:
    """How far counts are off, by how many people they count."""
    bars = tuple(Bar(_size(sized.low, sized.high, words), None, sized.error) for sized in errors)
    return _named("sized_error", bars, words)


def _size(low: float, high: float | None, words: Words) -> str:
    """The name of the counts from `low` to below `high`."""
    at_least = words.number(low)
    return words("chart.or_more", low=at_least) if high in (None, np.inf) else words.range(at_least, words.number(high - 1))


def exposure_bars(attacks: AttackResult, words: Words) -> Bars:
    """The chance that the worst person sampled is found, by what an attacker knows."""
    known = (brief_knowledge(x.knowledge, words) for x in attacks.linkages)
    bars = tuple(Bar(k, x.before.prosecutor, x.after.prosecutor) for k, x in zip(known, attacks.linkages, strict=True))
    return _named("found", bars, words)


def _named(kind: str, bars: tuple[Bar, ...], words: Words, **values: object) -> Bars:
    """The chart with the words for its kind."""
    title, unit, axis = (words(f"{part}.{kind}", **values) for part in ("chart", "unit", "axis"))
    return Bars(title, unit, axis, bars)


def cut_blocks(tree: Hierarchy, release: Release, original: Dataset) -> tuple[Block, ...]:
    """The hierarchy as blocks, the published nodes marked; of very many nodes, narrow neighbours become one block."""
    assert isinstance(release.items, GeneralizedItems)
    shown = {frozenset(group.tolist()) for group in release.items.labels.groups()}
    hidden = set(np.flatnonzero(original.sensitive_items).tolist()) if original.sensitive_items is not None else set()
    return _blocks(tree, lambda low, high: frozenset(set(range(low, high)) - hidden) in shown)


def tree_blocks(tree: Hierarchy) -> tuple[Block, ...]:
    """The hierarchy as blocks, its groups marked."""
    return _blocks(tree, lambda low, high: high - low > 1)


def _blocks(tree: Hierarchy, is_marked: Callable[[int, int], bool]) -> tuple[Block, ...]:
    height, n = tree.height, tree.n_leaves
    narrow = 1.0 / MOST_BLOCKS if len(tree) > MOST_BLOCKS else 0.0
    blocks: list[Block] = []
    for v in sorted(range(len(tree)), key=lambda v: (tree.depth[v], tree.low[v])):
        start, stop, level = tree.low[v] / n, tree.high[v] / n, height - int(tree.depth[v])
        in_cut = is_marked(int(tree.low[v]), int(tree.high[v]))
        last = blocks[-1] if blocks else None
        if last and stop - start < narrow and (last.level, last.in_cut, last.stop) == (level, in_cut, start) and not last.label:
            blocks[-1] = last._replace(stop=stop)
        else:
            blocks.append(Block("" if stop - start < narrow else tree.labels[v], start, stop, level, in_cut))
    return tuple(blocks)
