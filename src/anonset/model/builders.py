"""Hierarchies made for a domain that has none: balanced, by ranges, by dates, by frequency, or learned from records."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from anonset.errors import InputError
from anonset.model.arrays import Mask, Reals, Rows
from anonset.model.dataset import Column, Transactions
from anonset.model.hierarchy import ROOT, Hierarchy, by_support, in_runs, plant, plant_paths, stack_groups
from anonset.model.literals import all_days, paths_of_dates
from anonset.model.sets import freeze, rows_of

LONGEST = 200  # a record of more items says nothing about which of them go together, and has too many pairs
CONTEXTS = 128  # the company that a profile keeps at most
CELLS = 4_000_000  # pairs of items counted at a time
NEIGHBOURS = 1024  # items, next in frequency, that an item is compared with
UNEQUAL = 0.5  # what an item that is half as frequent loses in likeness
TOGETHER = 1.0  # what items lose that are never seen apart
STEPS = 1024  # steps to one bit of information
Matrix = Any  # scipy.sparse.csr_matrix


class Profiles(NamedTuple):
    """Items in the order of their support: profiles in whole numbers with their lengths, and the share of common records."""

    company: Matrix
    lengths: Reals
    together: Matrix
    frequency: Reals  # in bits


def learned(transactions: Transactions, fanout: int) -> Hierarchy:
    """The hierarchy with `fanout` items that replace each other to a group, and `fanout` groups to a node."""
    order = by_support(transactions.supports)
    groups = [order[group] for group in _groups(_profiles(transactions, order), fanout)]
    supports = _union_supports(transactions, groups)
    names = [sorted(groups[g].tolist()) for g in by_support(supports)]
    return stack_groups(transactions.domain, names, fanout)


def _profiles(t: Transactions, order: Rows) -> Profiles:
    from scipy import sparse  # slow to import

    d = len(t.domain)
    place = np.empty(d, np.int64)
    place[order] = np.arange(d)
    told = np.flatnonzero((t.lengths > 1) & (t.lengths <= LONGEST))
    some = t.take(told)
    records = sparse.csr_matrix((np.ones(len(some.items)), place[some.items], some.offsets), shape=(len(some), d))
    holders = records.T.tocsr()
    others = holders @ (some.lengths - 1.0)  # pairs that each item is in
    supports = t.supports[order].astype(np.float64)
    blocks = [_company(holders, records, others, supports, low) for low in range(0, d, max(1, CELLS // d))]
    row, column, weight, share = (np.concatenate(part) for part in zip(*blocks, strict=True))
    company = sparse.csr_matrix((weight, (row, column)), shape=(d, d))
    lengths = np.sqrt(np.bincount(row, weight * weight, minlength=d))
    together = sparse.csr_matrix((share, (row, column)), shape=(d, d))
    return Profiles(company, np.maximum(lengths, 1.0), together, _in_steps(np.log2(np.maximum(supports, 0.5))) / STEPS)


def _company(holders: Matrix, records: Matrix, others: Reals, supports: Reals, low: int) -> tuple[Rows, Rows, Reals, Reals]:
    """Of a block of items from `low` on: item, other item, weight in the profile, share of records in common."""
    counts = (holders[low : low + max(1, CELLS // len(supports))] @ records).tocsr()
    row = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr)) + low
    column, count = counts.indices.astype(np.int64), counts.data
    surprise = np.log2(count * others.sum() / (others[row] * others[column]))
    weight = _in_steps(np.maximum(surprise, 0.0) * count / (count + 1.0))  # what is seen once may be chance
    kept = np.flatnonzero((row != column) & (weight > 0))
    dearest = weight.max(initial=0.0) - weight[kept]
    kept = kept[np.argsort(((row[kept] - low) * (weight.max(initial=0.0) + 1.0) + dearest) * len(supports) + column[kept])]
    rank = np.arange(len(kept)) - np.searchsorted(row[kept], row[kept])
    kept = kept[rank < CONTEXTS]
    row, column = row[kept], column[kept]
    return row, column, weight[kept], count[kept] / np.minimum(supports[row], supports[column])


def _groups(profiles: Profiles, fanout: int) -> list[list[int]]:
    """Places by support in groups of `fanout`."""
    d = len(profiles.frequency)
    free = np.ones(d, np.bool_)
    groups = []
    for seed in range(d):
        if free[seed]:
            groups.append(_group(profiles, free, seed, fanout))
            free[groups[-1]] = False
    return groups


def _group(profiles: Profiles, free: Mask, seed: int, fanout: int) -> list[int]:
    """The seed and, one after the other, the free items that are most like the group so far."""
    from scipy import sparse

    stop = min(len(free), seed + 1 + NEIGHBOURS)
    while stop < len(free) and free[seed + 1 : stop].sum() < NEIGHBOURS // 4:
        stop = min(len(free), stop + NEIGHBOURS)
    company, start = profiles.company, seed + 1
    first, last = company.indptr[start], company.indptr[stop]
    inside = company.data[first:last], company.indices[first:last], company.indptr[start : stop + 1] - first
    near = sparse.csr_matrix(inside, shape=(stop - start, len(free)), copy=False)
    penalty = UNEQUAL * (profiles.frequency[seed] - profiles.frequency[start:stop])
    left, likeness, group = free[start:stop].copy(), np.zeros(stop - start), [seed]
    while len(group) < fanout and left.any():
        newest = group[-1]
        likeness += near @ _row(company, newest) / profiles.lengths[newest] / profiles.lengths[start:stop]
        likeness -= TOGETHER * _row(profiles.together, newest)[start:stop]
        best = int(np.where(left, likeness / len(group) - penalty, -np.inf).argmax())
        left[best] = False
        group.append(start + best)
    return group


def _row(matrix: Matrix, i: int) -> Reals:
    row = np.zeros(matrix.shape[1])
    first, last = matrix.indptr[i], matrix.indptr[i + 1]
    row[matrix.indices[first:last]] = matrix.data[first:last]
    return row


def _union_supports(t: Transactions, groups: list[Rows]) -> Rows:
    """The number of records that hold an item of each group."""
    group_of = np.empty(len(t.domain), np.int64)
    for g, members in enumerate(groups):
        group_of[members] = g
    held = np.sort(rows_of(t.offsets) * len(groups) + group_of[t.items])
    held = held[np.diff(held, prepend=-1) > 0]
    return np.bincount(held % len(groups), minlength=len(groups)).astype(np.int64)


def _in_steps(bits: Reals) -> Reals:
    return np.rint(bits * STEPS)


@dataclass(frozen=True, slots=True, eq=False)
class Material:
    """The values of a domain and how often each occurs; for items also the records."""

    domain: tuple[str, ...]
    supports: Rows
    transactions: Transactions | None = None

    def __post_init__(self) -> None:
        freeze(self.supports)

    @classmethod
    def of_names(cls, domain: Sequence[str]) -> "Material":
        """Values that are said to occur equally often."""
        return cls(tuple(domain), np.ones(len(domain), np.int64))

    @classmethod
    def of_items(cls, transactions: Transactions) -> "Material":
        """The items of records."""
        return cls(transactions.domain, transactions.supports, transactions)

    @classmethod
    def of_column(cls, column: Column) -> "Material":
        """The values of a column."""
        supports = np.bincount(column.codes[column.codes >= 0], minlength=len(column.domain)).astype(np.int64)
        return cls(column.domain, supports)


Options = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Builder:
    """How to ask for a hierarchy, how many numbers it takes, the values that its options may have (none: a number).

    One that is `public` says itself where it knows no more than everybody.
    """

    usage: str
    fewest: int
    most: int
    make: Callable[[Material, list[int], Options], Hierarchy]
    options: Mapping[str, tuple[str, ...]]
    public: bool = False


def build(spec: str, material: Material | Sequence[str]) -> Hierarchy:
    """The hierarchy that a text like `balanced:5` or `balanced:5,order=id` asks for (see BUILDERS), of values or material.

    It is derived from the data: what it says about values that are not published must not be published either.
    But for days, which stand in a calendar.
    """
    name, _, rest = spec.partition(":")
    parts = rest.split(",") if rest else []
    try:
        builder = BUILDERS[name]
        numbers = [int(part) for part in parts if "=" not in part]
        options = dict(part.split("=", 1) for part in parts if "=" in part)
        if not builder.fewest <= len(numbers) <= builder.most or len(numbers) + len(options) < len(parts):
            raise ValueError
        for option, value in options.items():
            if value not in builder.options[option] and (builder.options[option] or int(value) < 0):
                raise ValueError
    except (KeyError, ValueError):
        usages = " ".join(builder.usage for builder in BUILDERS.values())
        raise InputError(f"a hierarchy to build must be one of {usages}; got {spec!r}") from None
    found = material if isinstance(material, Material) else Material.of_names(material)
    _check_domain(found.domain)
    made = builder.make(found, numbers, options)
    return made if builder.public else replace(made, derived=True)


def is_spec(text: str) -> bool:
    """Whether a text names a builder rather than a file."""
    return text.partition(":")[0] in BUILDERS


def balanced(domain: Sequence[str], fanout: int) -> Hierarchy:
    """Neighbours grouped by `fanout`, level by level; the last group of a level may be smaller ([002] 5.1.3)."""
    _check_domain(domain)
    _check_fanout(fanout)
    return _stacked(domain, range(0, len(domain), fanout), fanout)


def frequency_balanced(domain: Sequence[str], supports: Rows, fanout: int) -> Hierarchy:
    """Each node split into at most `fanout` runs of neighbours that occur about equally often."""
    _check_domain(domain)
    _check_fanout(fanout)
    rest = 1e-6 * max(1.0, float(supports.sum())) / len(domain)  # spreads values that never occur
    total = np.concatenate([[0.0], np.cumsum(supports + rest)])
    labels, parent, todo = [ROOT], [-1], [(0, 0, len(domain))]
    while todo:
        node, start, stop = todo.pop(0)
        for low, high in pairwise(_even_cuts(total, start, stop, min(fanout, stop - start))):
            parent.append(node)
            labels.append(_run(domain, low, high))
            if high - low > 1:
                todo.append((len(labels) - 1, low, high))
    return plant(labels, parent, 0)


def equal_width(domain: Sequence[str], bins: int, fanout: int = 2) -> Hierarchy:
    """Numbers in `bins` ranges of equal width (those that hold a value), then neighbours grouped by `fanout`."""
    names, numbers = _numbers(domain, bins, fanout)
    span = (numbers[-1] - numbers[0]) or 1.0
    return _binned(names, np.minimum(((numbers - numbers[0]) / span * bins).astype(np.int64), bins - 1), fanout)


def quantiles(domain: Sequence[str], supports: Rows, bins: int, fanout: int = 2) -> Hierarchy:
    """Numbers in at most `bins` ranges that occur about equally often, then neighbours grouped by `fanout`."""
    names, _ = _numbers(domain, bins, fanout)
    count = dict(zip(domain, supports.tolist(), strict=True))
    weights = np.array([count[name] for name in names], np.float64) + 1e-9
    middle = (np.cumsum(weights) - weights / 2) / weights.sum()
    return _binned(names, np.minimum((middle * bins).astype(np.int64), bins - 1), fanout)


def dates(domain: Sequence[str]) -> Hierarchy:
    """Dates (1987-05-31, 31.5.1987, 5/31/1987, with or without a time) under months, years and more years."""
    _check_domain(domain)
    paths = paths_of_dates(domain)
    if paths is None:
        odd = next((text for text in domain if paths_of_dates([text]) is None), domain[0])
        raise InputError(f"dates must look like 1987-05-31, 31.5.1987 or 5/31/1987, all of them alike; got {odd!r}")
    return plant_paths(paths)


def prefixes(domain: Sequence[str], lengths: Iterable[int]) -> Hierarchy:
    """Texts under their first characters, for each of the lengths: 02139 under 021* under 02* for lengths 3 and 2."""
    _check_domain(domain)
    sizes = sorted(set(lengths), reverse=True)
    if not sizes or sizes[-1] < 1:
        raise InputError(f"prefix lengths must be 1 or more; got {sizes}")
    return plant_paths([(text, *(f"{text[:n]}*" for n in sizes if n < len(text))) for text in sorted(domain)])


def _binned(names: Sequence[str], bin_of: Rows, fanout: int) -> Hierarchy:
    """Sorted values under their bins, and runs of `fanout` bins above, up to the root."""
    starts = [0, *(np.flatnonzero(np.diff(bin_of)) + 1).tolist()]
    return _stacked(names, starts if len(starts) < len(names) else range(0, len(names), fanout), fanout)


def _stacked(names: Sequence[str], starts: Sequence[int], fanout: int) -> Hierarchy:
    """Values in the runs that begin at `starts`, runs of `fanout` neighbours above them, level by level, and a root."""
    labels, parent = list(names), [-1] * len(names)
    level = [(i, i, i + 1) for i in range(len(names))]  # (node, first value, one past the last)
    while len(starts) > 1:
        merged = []
        for start, stop in pairwise([*starts, len(level)]):
            node, low, high = len(labels), level[start][1], level[stop - 1][2]
            for child, _, _ in level[start:stop]:
                parent[child] = node
            labels.append(_run(names, low, high))
            parent.append(-1)
            merged.append((node, low, high))
        level = merged
        starts = range(0, len(level), fanout)
    for child, _, _ in level:
        parent[child] = len(labels)
    return plant([*labels, ROOT], [*parent, -1], len(labels))


def _run(names: Sequence[str], low: int, high: int) -> str:
    return names[low] if high - low == 1 else f"{names[low]}..{names[high - 1]}"


def _even_cuts(total: Reals, start: int, stop: int, parts: int) -> list[int]:
    """Where to cut start..stop into non-empty runs of about equal weight; `total` is the running sum of weights."""
    cuts = [start]
    for part in range(1, parts):
        rest = total[cuts[-1]] + (total[stop] - total[cuts[-1]]) / (parts - part + 1)
        cut = int(np.abs(total[start : stop + 1] - rest).argmin()) + start
        cuts.append(min(max(cut, cuts[-1] + 1), stop - (parts - part)))
    return [*cuts, stop]


def _numbers(domain: Sequence[str], bins: int, fanout: int) -> tuple[list[str], Reals]:
    """The values and their numbers, ascending."""
    _check_domain(domain)
    _check_fanout(fanout)
    if bins < 1:
        raise InputError(f"the number of ranges must be 1 or more; got {bins}")
    try:
        number = {text: float(text) for text in domain}
    except ValueError as error:
        raise InputError(f"ranges need numbers: {error}") from None
    names = sorted(domain, key=lambda text: (number[text], text))
    values = np.array([number[text] for text in names])
    if not np.isfinite(values).all():
        raise InputError("ranges need finite numbers")
    return names, values


def _check_domain(domain: Sequence[str]) -> None:
    if not domain:
        raise InputError("a hierarchy needs at least one value, and none occurs in the data")
    if len(set(domain)) != len(domain):
        raise InputError("the values of a domain must differ from each other")


def _check_fanout(fanout: int) -> None:
    if fanout < 2:
        raise InputError(f"a hierarchy needs groups of 2 or more; got {fanout}")


def _balanced(material: Material, numbers: list[int], options: Options) -> Hierarchy:
    """Items by support unless asked otherwise; the values of a column in their own order, which may mean something."""
    (fanout,) = numbers
    _check_fanout(fanout)
    places = np.arange(len(material.domain), dtype=np.int64)
    order = options.get("order", "id" if material.transactions is None else "support")
    if order == "support":
        places = by_support(material.supports)
    elif order == "random":
        places = np.random.default_rng(int(options.get("seed", "0"))).permutation(places)
    if (places == np.arange(len(places))).all():
        return balanced(material.domain, fanout)
    return stack_groups(material.domain, in_runs(places, fanout), fanout)


def _learned(material: Material, numbers: list[int], _: Options) -> Hierarchy:
    if material.transactions is None:
        raise InputError("a learned hierarchy is for items: it needs the records they occur in")
    fanout = numbers[0] if numbers else 5
    _check_fanout(fanout)
    return learned(material.transactions, fanout)


def _dates(material: Material, _numbers: list[int], _options: Options) -> Hierarchy:
    """All days of the years there are; where no calendar is known, the dates that occur."""
    calendar = all_days(material.domain)
    return replace(dates(calendar or material.domain), derived=calendar is None)


ORDERS: Mapping[str, tuple[str, ...]] = {"order": ("support", "id", "random"), "seed": ()}
BUILDERS: dict[str, Builder] = {
    "balanced": Builder("balanced:N[,order=support|id|random[,seed=S]]", 1, 1, _balanced, ORDERS),
    "learned": Builder("learned[:N]", 0, 1, _learned, {}),
    "frequency": Builder("frequency:N", 1, 1, lambda m, n, _: frequency_balanced(m.domain, m.supports, *n), {}),
    "ranges": Builder("ranges:BINS[,N]", 1, 2, lambda m, n, _: equal_width(m.domain, *n), {}),
    "quantiles": Builder("quantiles:BINS[,N]", 1, 2, lambda m, n, _: quantiles(m.domain, m.supports, *n), {}),
    "prefixes": Builder("prefixes:L1,L2,...", 1, 99, lambda m, n, _: prefixes(m.domain, n), {}),
    "dates": Builder("dates", 0, 0, _dates, {}, public=True),
}
