"""From groups of records to a release: every quasi value of a group becomes one label that covers the group.

A number becomes the closed range [lo:hi] of its group. With a hierarchy a value becomes the lowest node above its group (a
number: the hull of the node's leaves); without one, the set {a,b} of the group's values (ordered words: with those between
them), or * for all of the domain. A group
of missing values only stays missing; a group that mixes missing values with others gets the label of the whole domain.

Where records are left out, a release must not show what only those records hold. Leaves of a hierarchy that came from a file
are public; ranges and sets that come from the data (without a hierarchy, or under a derived one) are cut back to the values
of published records.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from anonset.algorithms.base import provenance
from anonset.algorithms.recoding import exact_column, exact_items, lowest_of_chains
from anonset.algorithms.relational.encoding import hulls, uses_tree
from anonset.model.arrays import Ids, Mask, Reals, Rows
from anonset.model.dataset import Column, Dataset
from anonset.model.guarantees import Guarantee
from anonset.model.hierarchy import Hierarchy, is_public
from anonset.model.labels import GeneralizedItems, Labels, PublishedColumn, PublishedItems, Ranges
from anonset.model.release import Release
from anonset.model.sets import renumbered, rows_of


def publish_groups(
    algorithm: Any, data: Dataset, groups: Rows, guarantees: tuple[Guarantee, ...], *, recoding: str = "nodes"
) -> Release:
    """The release in which the records of a group share their quasi labels; a record without a group (-1) is left out."""
    rows = np.flatnonzero(groups >= 0)
    kept = data.take(rows)
    columns = generalize_columns(data, groups, recoding=recoding)
    return without_left_out(data, Release(columns, exact_items(kept), guarantees, provenance(algorithm), rows))


def generalize_columns(data: Dataset, groups: Rows, *, recoding: str = "nodes") -> tuple[PublishedColumn, ...]:
    """All columns of the records with a group (groups[r] >= 0) in input order: quasi columns generalized, others exact."""
    rows = np.flatnonzero(groups >= 0)
    _, dense = renumbered(groups[rows])
    return tuple(
        generalize_column(column.take(rows), column, dense, recoding=recoding)
        if column.role == "quasi"
        else exact_column(column.take(rows))
        for column in data.columns
    )


def generalize_column(kept: Column, whole: Column, groups: Rows, *, recoding: str = "nodes") -> PublishedColumn:
    """The column of the kept records, with one label for each group 0, 1, ...; `whole` is the column of all records."""
    n_groups = int(groups.max()) + 1 if len(groups) else 0
    shown = kept.codes >= 0
    some = np.bincount(groups[shown], minlength=n_groups) > 0
    mixed = some & (np.bincount(groups[~shown], minlength=n_groups) > 0)
    owner = np.where(some[groups], groups, -1)
    if uses_tree(whole, recoding):
        assert whole.hierarchy is not None
        nodes = _group_nodes(whole.hierarchy, kept.codes[shown], groups[shown], n_groups)
        nodes[mixed] = whole.hierarchy.root
        return node_column(whole, np.append(nodes, np.int32(-1))[owner])
    if whole.values is not None:
        low, high = _group_spans(whole.values[kept.codes[shown]], groups[shown], n_groups)
        low[mixed], high[mixed] = whole.values.min(initial=np.inf), whole.values.max(initial=-np.inf)
        return _range_column(whole, low, high, owner)
    return _set_column(whole, kept.codes, owner, mixed)


def node_column(column: Column, nodes: Ids) -> PublishedColumn:
    """The column in which record r is published as node nodes[r] of its hierarchy, or as missing if that is -1."""
    tree = column.hierarchy
    assert tree is not None
    shown = np.append(lowest_of_chains(tree), np.int32(-1))[nodes]
    if column.values is not None:
        low, high = hulls(column, tree)
        return _range_column(column, low, high, shown)
    used, codes = np.unique(np.append(shown, np.int32(-1)), return_inverse=True)
    members = [np.arange(tree.low[v], tree.high[v]) for v in used[1:]]
    labels = Labels.from_groups(members, [tree.labels[v] for v in used[1:]])
    return PublishedColumn(column.name, column.role, codes[:-1].astype(np.int32) - 1, labels)


def _group_nodes(tree: Hierarchy, codes: Ids, groups: Rows, n_groups: int) -> Ids:
    """The lowest node above each group's leaves: the lowest above its first and last one."""
    first, last = np.full(n_groups, tree.n_leaves, np.int32), np.full(n_groups, -1, np.int32)
    np.minimum.at(first, groups, codes)
    np.maximum.at(last, groups, codes)
    node = np.where(last < 0, tree.root, first).astype(np.int32)
    while (short := tree.high[node] <= last).any():
        node[short] = tree.parent[node[short]]
    return node


def _group_spans(numbers: Reals, groups: Rows, n_groups: int) -> tuple[Reals, Reals]:
    low, high = np.full(n_groups, np.inf), np.full(n_groups, -np.inf)
    np.minimum.at(low, groups, numbers)
    np.maximum.at(high, groups, numbers)
    return low, high


def _range_column(column: Column, low: Reals, high: Reals, owner: Rows | Ids) -> PublishedColumn:
    """The column in which record r has the range low[owner[r]] .. high[owner[r]], or is missing if owner[r] is -1."""
    used, where = renumbered(owner + 1, first=1)
    low, high = low[used - 1], high[used - 1]
    order = np.lexsort((high, low))
    low, high = low[order], high[order]
    fresh = np.append(True, (low[1:] != low[:-1]) | (high[1:] != high[:-1]))[: len(low)]
    code = np.full(len(low) + 1, -1, np.int32)
    code[order] = np.cumsum(fresh) - 1
    low, high = low[fresh], high[fresh]
    return PublishedColumn(column.name, column.role, code[where], Ranges(low, high, _range_texts(column, low, high)))


def _range_texts(column: Column, low: Reals, high: Reals) -> tuple[str, ...]:
    assert column.values is not None
    text = dict(zip(column.values.tolist(), column.domain, strict=True))
    ends = zip(low.tolist(), high.tolist(), strict=True)
    return tuple(text[a] if a == b else f"[{text[a]}:{text[b]}]" for a, b in ends)


def _set_column(column: Column, codes: Ids, owner: Rows, mixed: Mask) -> PublishedColumn:
    """The column in which record r has the values of group owner[r], all values if the group is mixed; -1 is missing."""
    d = len(column.domain)
    pairs = np.unique(owner[codes >= 0] * d + codes[codes >= 0])
    if column.kind == "ordered":
        low, high = _group_spans(pairs % d, pairs // d, len(mixed))
        pairs = np.flatnonzero((low[:, None] <= np.arange(d)) & (np.arange(d) <= high[:, None]))
    everything = (np.flatnonzero(mixed)[:, None] * d + np.arange(d)).reshape(-1)
    groups, members = np.divmod(np.union1d(pairs, everything), d)
    label_of: dict[bytes, int] = {}
    label = np.full(len(mixed) + 1, -1, np.int32)
    sets: list[Ids] = []
    used, starts = np.unique(groups, return_index=True)
    for g, values in zip(used, np.split(members.astype(np.int32), starts[1:]), strict=False):
        label[g] = label_of.setdefault(values.tobytes(), len(sets))
        if label[g] == len(sets):
            sets.append(values)
    labels = Labels.from_groups(sets, set_texts([[column.domain[c] for c in values] for values in sets], d))
    return PublishedColumn(column.name, column.role, label[owner], labels)


def set_texts(sets: Sequence[Sequence[str]], d: int) -> tuple[str, ...]:
    """The texts of sets of values: a, {a,b}, or * for all d values; primes are added to a text that is taken."""
    taken: set[str] = {values[0] for values in sets if len(values) == 1}
    texts = []
    for values in sets:
        text = values[0] if len(values) == 1 else "*" if len(values) == d else "{" + ",".join(values) + "}"
        while len(values) > 1 and text in taken:
            text += "'"
        taken.add(text)
        texts.append(text)
    return tuple(texts)


def without_left_out(original: Dataset, release: Release) -> Release:
    """The release with every label reduced to values of published records; groups of records stay or become larger."""
    columns = tuple(
        _cut_back(original.column(column.name), column, release.rows) if column.role == "quasi" else column
        for column in release.columns
    )
    return replace(release, columns=columns, items=_cut_back_items(original, release))


def _cut_back(original: Column, published: PublishedColumn, rows: Rows) -> PublishedColumn:
    if is_public(original.hierarchy):
        return published
    codes = original.codes[rows]
    held = np.bincount(codes[codes >= 0], minlength=len(original.domain)) > 0
    if isinstance(published.labels, Ranges):
        return _with_ranges(original, published, published.labels, held)
    labels, number = _held_labels(published.labels, held, original.domain)
    return replace(published, codes=np.append(number, np.int32(-1))[published.codes], labels=labels)


def _with_ranges(original: Column, published: PublishedColumn, labels: Ranges, held: Mask) -> PublishedColumn:
    """The column with each end moved to the next number of a published record; a range without any becomes missing."""
    assert original.values is not None
    here = np.flatnonzero(held)
    here = here[np.argsort(original.values[here], kind="stable")]
    numbers = original.values[here]
    first = np.searchsorted(numbers, labels.low)
    last = np.searchsorted(numbers, labels.high, side="right") - 1
    some = first <= last
    number = np.where(some, np.cumsum(some) - 1, -1).astype(np.int32)
    low, high = numbers[first[some]], numbers[last[some]]
    same = (low == labels.low[some]) & (high == labels.high[some])
    names = zip(here[first[some]], here[last[some]], same, np.flatnonzero(some), strict=True)
    texts = tuple(labels.texts[a] if kept else _range_text(original.domain[f], original.domain[t]) for f, t, kept, a in names)
    codes = np.append(number, np.int32(-1))[published.codes]
    return replace(published, codes=codes, labels=Ranges(low, high, texts))


def _range_text(low: str, high: str) -> str:
    return low if low == high else f"[{low}:{high}]"


def _cut_back_items(original: Dataset, release: Release) -> PublishedItems | None:
    items = release.items
    if not isinstance(items, GeneralizedItems) or original.transactions is None or is_public(original.item_hierarchy):
        return items
    held = original.transactions.take(release.rows).supports > 0
    if (
        held[items.labels.members].all()
        or not np.logical_or.reduceat(held[items.labels.members], items.labels.offsets[:-1]).all()
    ):
        return items  # nothing to remove, or a label without items: the verifier reports it
    labels, number = _held_labels(items.labels, held, items.domain)
    record = rows_of(items.offsets)
    pairs = np.unique(record * max(1, len(labels)) + number[items.shown])
    offsets = np.searchsorted(pairs, np.arange(len(items) + 1) * max(1, len(labels))).astype(np.int64)
    shown = (pairs % max(1, len(labels))).astype(np.int32)
    return GeneralizedItems(offsets, shown, labels, items.domain, items.suppressed)


def _held_labels(labels: Labels, held: Mask, domain: Sequence[str]) -> tuple[Labels, Ids]:
    """The labels without values that nobody published holds, equal ones joined, and the new number of each old label."""
    number = np.full(len(labels), -1, np.int32)
    groups: list[Ids] = []
    texts: list[str] = []
    place: dict[tuple[bytes, str], int] = {}
    for a, (members, text) in enumerate(_meanings(labels, held, domain)):
        if len(members) == 0:
            continue  # no published record holds any of them
        number[a] = place.setdefault((members.tobytes(), text), len(groups))
        if number[a] == len(groups):
            groups.append(members)
            texts.append(text)
    return Labels.from_groups(groups, _distinct_texts(texts)), number


def _meanings(labels: Labels, held: Mask, domain: Sequence[str]) -> Iterator[tuple[Ids, str]]:
    """The remaining members of each label and its text; a text that names or counts a removed value is written anew."""
    for text, members in zip(labels.texts, labels.groups(), strict=True):
        kept = members[held[members]]
        gone = members[~held[members]]
        names = [domain[c] for c in kept]
        counted = len(gone) and text.endswith(f"+{len(members) - 1}")
        if (counted or any(domain[c] in text for c in gone)) and names:
            text = names[0] if len(names) == 1 else "{" + ",".join(names) + "}"
        yield kept, text


def _distinct_texts(texts: Sequence[str]) -> list[str]:
    """The texts, with primes after repeated ones."""
    seen: dict[str, None] = {}
    for text in texts:
        while text in seen:
            text += "'"
        seen[text] = None
    return list(seen)
