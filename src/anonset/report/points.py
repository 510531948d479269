"""What the plots of a report show, as plain data."""

from collections.abc import Callable
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from anonset.attacks import AttackResult
from anonset.measure.item_error import expected_supports
from anonset.measure.ncp import label_loss
from anonset.measure.published import groups, standing
from anonset.measure.qe import ItemQuery, answers
from anonset.measure.workload import QueryCounts
from anonset.model.arrays import Reals, Rows
from anonset.model.columns import Column
from anonset.model.dataset import Dataset
from anonset.model.hierarchy import Hierarchy
from anonset.model.labels import GeneralizedItems, Ranges, UncertainItems
from anonset.model.release import Release


class Bar(NamedTuple):
    """One bar, before and after; None where one side has no such figure."""

    label: str
    before: float | None
    after: float | None


class Bars(NamedTuple):
    """A bar chart with named axes: `unit` along the bars, `axis` across them."""

    title: str
    unit: str
    axis: str
    bars: tuple[Bar, ...]


class Block(NamedTuple):
    """One node of a drawn hierarchy: the share of the leaves from start to stop, at a level above them."""

    label: str
    start: float
    stop: float
    level: int
    in_cut: bool


def label_size_bars(release: Release) -> Bars:
    """How much of what is shown stands for how many items."""
    assert isinstance(release.items, GeneralizedItems)
    sizes = release.items.labels.sizes[release.items.shown]
    edges = [(1, 1), (2, 2), (3, 5), (6, 10), (11, 50), (51, 10**9)]
    names = ["exact", "2", "3 to 5", "6 to 10", "11 to 50", "more than 50"]
    counts = [float(((sizes >= low) & (sizes <= high)).sum()) for low, high in edges]
    total = max(1.0, sum(counts))
    bars = tuple(Bar(name, None, count / total) for name, count in zip(names, counts, strict=True) if count)
    return Bars("What shown items stand for", "share of shown items", "items behind one", bars)


def item_frequency_bars(original: Dataset, release: Release, most: int = 20) -> Bars:
    """The commonest items of the original, and what the release lets one expect of each."""
    assert original.transactions is not None
    t, n, m = original.transactions, max(1, len(original)), max(1, len(release))
    top = [i for i in np.argsort(-t.supports, kind="stable")[:most].tolist() if t.supports[i]]
    if isinstance(release.items, UncertainItems):
        expected = [answer.expected for answer in answers(release.items, [ItemQuery((t.domain[i],)) for i in top])]
    else:
        expected = expected_supports(original, release)[top].tolist()
    bars = tuple(Bar(t.domain[i], t.supports[i] / n, after / m) for i, after in zip(top, expected, strict=True))
    return Bars("The commonest items", "share of records", "item", bars)


def doubt_bars(release: Release) -> Bars:
    """How many records have how many items that may be wrong."""
    assert isinstance(release.items, UncertainItems)
    bars = _size_bars(release.items.threshold.astype(np.int64), np.ones(len(release)), max(1, len(release)))
    return Bars("Items that may be wrong in a record", "share of records", "items, at most", bars)


def column_bars(original: Dataset, release: Release, name: str, most: int = 12) -> Bars:
    """The distribution of one quasi column: original values, and generalized ones spread evenly over what they stand for."""
    column = original.column(name)
    published = next(c for c in release.columns if c.name == name)
    counts = np.bincount(column.codes[column.codes >= 0], minlength=len(column.domain)).astype(np.float64)
    shown = np.bincount(published.codes[published.codes >= 0], minlength=len(published.labels)).astype(np.float64)
    n, m = max(1, len(original)), max(1, len(release))
    if column.values is not None and isinstance(published.labels, Ranges):
        edges, names = _bins(column, most)
        before, _ = np.histogram(column.values, bins=edges, weights=counts)
        after = _spread(published.labels, shown, edges, whole=column.is_integer)
        bars = tuple(Bar(x, float(y) / n, float(z) / m) for x, y, z in zip(names, before, after, strict=True))
    else:
        assert not isinstance(published.labels, Ranges)
        spread = np.zeros(len(column.domain))
        np.add.at(spread, published.labels.members, np.repeat(shown / published.labels.sizes, published.labels.sizes))
        top = np.argsort(-counts, kind="stable")[:most]
        bars = tuple(Bar(column.domain[c], counts[c] / n, spread[c] / m) for c in top if counts[c])
    return Bars(name, "share of records", "value", bars)


def _bins(column: Column, most: int) -> tuple[Reals, list[str]]:
    """Edges of bins over the span of a numeric column, and their names; whole numbers stay whole."""
    low, high = column.span
    if not column.is_integer:
        edges = np.linspace(low, high if high > low else low + 1.0, most + 1)
        return edges, [f"{start:.4g} to {stop:.4g}" for start, stop in pairwise(edges)]
    width = max(1, int(np.ceil((high - low + 1) / most)))
    starts = np.arange(low, high + 1, width)
    stops = np.minimum(high, starts + width - 1)
    names = [f"{start:g}" if start == stop else f"{start:g} to {stop:g}" for start, stop in zip(starts, stops, strict=True)]
    return np.append(starts, starts[-1] + width) - 0.5, names


def _spread(labels: Ranges, weights: Reals, edges: Reals, *, whole: bool) -> Reals:
    """The weight of each range spread evenly over the bins it touches."""
    half = 0.5 if whole else 0.0
    low, high = labels.low[:, None] - half, labels.high[:, None] + half
    inside = np.clip(np.minimum(high, edges[1:]) - np.maximum(low, edges[:-1]), 0.0, None)
    point = (low == high) & (edges[:-1] <= low) & ((low < edges[1:]) | (low == edges[-1]))
    share = np.where(high > low, inside / np.where(high > low, high - low, 1.0), point)
    return np.asarray((weights[:, None] * share).sum(axis=0))


def group_size_bars(release: Release) -> Bars:
    """How many records lie in groups of which size."""
    group, count = groups(release.quasi, len(release))
    sizes = np.bincount(group, minlength=count)
    bars = _size_bars(sizes, sizes.astype(np.float64), max(1, len(release)))
    return Bars("Records by the size of their group", "share of records", "records in the group", bars)


def _size_bars(sizes: Rows, weights: Reals, total: int) -> tuple[Bar, ...]:
    """The weight of each size, in some ten classes that grow."""
    edges = np.unique(np.concatenate([[0], np.geomspace(1, max(2, sizes.max(initial=1) + 1), 10).astype(int)]))
    bars = []
    for low, high in pairwise(edges):
        inside = (sizes >= low) & (sizes < high)
        if inside.any():
            name = f"{low}" if high == low + 1 else f"{low} to {high - 1}"
            bars.append(Bar(name, None, float(weights[inside].sum()) / total))
    return tuple(bars)


def column_loss_bars(original: Dataset, release: Release) -> Bars:
    """The loss of each quasi column, and of the items."""
    bars = []
    for column in release.quasi:
        loss = np.append(label_loss(original.column(column.name), column), 0.0)[column.codes]
        bars.append(Bar(column.name, None, float(loss.mean()) if len(loss) else 0.0))
    if isinstance(release.items, GeneralizedItems) and original.transactions is not None:
        sizes = release.items.labels.sizes
        loss = np.append(np.where(sizes == 1, 0.0, sizes / len(original.transactions.domain)), 1.0)
        labels = np.maximum(standing(original, release), -1)
        bars.append(Bar(original.item_column, None, float(loss[labels].mean()) if len(labels) else 0.0))
    return Bars("Loss by attribute", "loss: 0 exact, 1 anything", "attribute", tuple(bars))


def error_by_size_bars(counts: QueryCounts) -> Bars:
    """The mean relative error of queries by how many records they count."""
    bars = tuple(Bar(name, None, error) for name, (_, error) in counts.errors_by_size().items())
    return Bars("Error of counts, by the size of the query", "mean relative error (are)", "records counted", bars)


def found_bars(attacks: AttackResult) -> Bars:
    """The chance that the worst person sampled is found, by what an attacker knows."""
    bars = tuple(Bar(str(x.knowledge), x.before.prosecutor, x.after.prosecutor) for x in attacks.linkages)
    return Bars("Chance to be found, worst person", "chance to pick the right record", "attacker knows", bars)


def cut_blocks(tree: Hierarchy, release: Release, original: Dataset, most: int = 400) -> tuple[Block, ...]:
    """The hierarchy as blocks, the published nodes marked; of more than `most` nodes, narrow neighbours become one block."""
    assert isinstance(release.items, GeneralizedItems)
    shown = {frozenset(group.tolist()) for group in release.items.labels.groups()}
    hidden = set(np.flatnonzero(original.sensitive_items).tolist()) if original.sensitive_items is not None else set()
    return _blocks(tree, most, lambda low, high: frozenset(set(range(low, high)) - hidden) in shown)


def tree_blocks(tree: Hierarchy, most: int = 400) -> tuple[Block, ...]:
    """The hierarchy as blocks, its groups marked."""
    return _blocks(tree, most, lambda low, high: high - low > 1)


def _blocks(tree: Hierarchy, most: int, is_marked: Callable[[int, int], bool]) -> tuple[Block, ...]:
    height, n = tree.height, tree.n_leaves
    narrow = 1.0 / most if len(tree) > most else 0.0
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
