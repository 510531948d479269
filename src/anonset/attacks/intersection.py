"""Attacks with two releases: what is left of an anonymity promised by each to somebody who holds an earlier one too.

A record of the new release is a candidate if it fits what the attacker knows and some record of the earlier release fits that
too and can be of the same person: labels of items can stand for the same items, labels of columns for the same value, and what
is published as it is is equal. The attacker takes the person to be in both releases and unchanged; where the person's own
records contradict that, the attacker is misled and not counted. Of several earlier releases each is compared on its own.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from math import comb
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from anonset.attacks._kernels.intersection import (
    Known,
    Overlaps,
    RecordClasses,
    count_candidates,
    items_left,
    own_pairs,
)
from anonset.errors import InputError
from anonset.measure.risk import known_items
from anonset.model.arrays import Ids, Mask, Rows
from anonset.model.dataset import Column, Dataset
from anonset.model.guarantees import PartialItems
from anonset.model.labels import GeneralizedItems, Labels, PublishedColumn, Ranges, UncertainItems
from anonset.model.progress import Progress, silent
from anonset.model.release import Release
from anonset.model.sets import offsets_of, places_in, set_ranks, take
from anonset.model.verdict import Finding
from anonset.releases.earlier import EarlierRelease
from anonset.releases.gates import k_of
from anonset.threads import THREADS, parallel_map

EACH = 66  # sets of known items of a person that are tried: all pairs of twelve items
MOST_COUNTED = 20  # candidates are counted up to this many times k
USUAL_M = 2
PERCENTILES = (1, 5, 50)


@dataclass(frozen=True, slots=True)
class Anonymity:
    """How many candidates people are left with, each by the worst attacker: the least, percentiles, and who has fewer than k.

    Candidates are counted up to a limit, so a percentile may be that limit.
    """

    least: int
    percentiles: dict[str, int]
    below: int
    people: int

    @property
    def share_below(self) -> float:
        """The share of people with fewer than k candidates."""
        return self.below / max(1, self.people)


@dataclass(frozen=True, slots=True)
class Intersection:
    """What somebody learns who holds an earlier release too.

    `known` says whether it is known who is in both; otherwise everybody counts whose record has a compatible one. `people` are
    in both, of whom `changed` have records that contradict each other or what is known today. `alone` is the new release by
    itself, `both` the two together. `learnt` has for each sensitive column the shares of attackers whose candidates all have
    one value, alone and with both; `labels` the labels of the people's records that stand for several items, and those that
    both releases together leave with one.
    """

    earlier: str
    k: int
    m: int | None
    known: bool
    people: int
    changed: int
    attackers: int
    most: int
    alone: Anonymity
    both: Anonymity
    learnt: dict[str, tuple[float, float]]
    labels: tuple[int, int]

    @property
    def holds(self) -> bool:
        """Whether nobody is left with fewer than k candidates."""
        return self.both.below == 0

    @property
    def sentence(self) -> str:
        """What was found, in a sentence without values."""
        who = f"{self.both.people:,} people in both" if self.known else f"{self.both.people:,} people who may be in both"
        return (
            f"with {self.earlier} in hand too, {self.both.below:,} of {who} are left with fewer than {self.k} candidates "
            f"(at least {self.both.least}; {self.alone.below:,} without it)"
        )

    def as_json(self) -> dict[str, Any]:
        """The figures."""
        sides = {side: self._side(getattr(self, side)) for side in ("alone", "both")}
        learnt = {name: {"alone": alone, "both": both} for name, (alone, both) in self.learnt.items()}
        plain = {name: getattr(self, name) for name in ("earlier", "k", "m", "known", "people", "changed", "attackers", "most")}
        labels = {"general": self.labels[0], "left_with_one_item": self.labels[1]}
        return plain | sides | {"learnt": learnt, "labels": labels, "holds": self.holds}

    @staticmethod
    def _side(found: Anonymity) -> dict[str, Any]:
        named = {"least": found.least, "percentiles": found.percentiles, "below_k": found.below, "people": found.people}
        return named | {"share_below_k": round(found.share_below, 6)}

    def finding(self) -> Finding:
        """The result as a finding of a verdict."""
        return Finding(f"with {self.earlier}", self.holds, self.both.below, self.sentence, self.both.least)


class _Both(NamedTuple):
    """The new and the earlier release as classes, and the class of each record."""

    new: RecordClasses
    old: RecordClasses
    overlaps: Overlaps
    new_class: Rows
    old_class: Rows
    secrets: Ids
    members: tuple[Rows, Ids]
    names: dict[str, int]  # the code of each item in the tables
    columns: tuple[str, ...]  # those in both


def intersect(
    original: Dataset,
    release: Release,
    earlier: EarlierRelease,
    *,
    m: int | None = None,
    people: int | None = None,
    each: int = EACH,
    seed: int | None = None,
    progress: Progress = silent,
) -> Intersection:
    """Count the candidates of attackers who know the quasi values and m items of somebody in both releases.

    Without m they know as many items as the guarantee says. `people` draws so many of those in both; of a person with more than
    `each` sets of m items so many are drawn, the rarest items among them.
    """
    rng = np.random.default_rng(seed)
    known_m = (known_items(release) if release.items is not None else 0) if m is None else m
    both = _compared(original, release, earlier)
    records, partners, known = people_in_both(original, release, earlier)
    n = len(records)
    if people is not None and people < n:
        drawn = np.sort(rng.permutation(n)[:people])
        records, partners = records[drawn], partners[drawn]
    attackers = _attackers(original, release.rows[records], both, known_m, each, rng)
    own = both.new_class[records][attackers.person]
    near = both.old_class[partners][attackers.person] if known else np.zeros(len(own), np.int64)
    most = MOST_COUNTED * (k := k_of(release))
    found = _attacked(both, attackers, own, near, most, known=known, progress=progress)
    valid, person = found.valid, attackers.person
    least = [_least(counts[valid], person[valid], len(records)) for counts in (found.alone, found.both)]
    alone, together = (_anonymity(values, k) for values in least)
    learnt = {
        column.name: (_mean(found.certain_alone[valid, s]), _mean(found.certain[valid, s]))
        for s, column in enumerate(_secret_columns(release))
    }
    changed = len(records) - together.people
    counts = (len(records), changed, int(valid.sum()), most)
    return Intersection(earlier.name, k, known_m, known, *counts, alone, together, learnt, found.labels)


def people_in_both(
    original: Dataset, release: Release, earlier: EarlierRelease
) -> tuple[NDArray[np.int64], NDArray[np.int64], bool]:
    """Published records of the people in both releases, new and old, and whether it is known who they are.

    They are known by a key, or by their rows where both releases are of the same files. Otherwise all new records are returned.
    """
    if original.marks is not None and earlier.marks is not None:
        _, new, old = np.intersect1d(original.marks[release.rows], earlier.marks, return_indices=True)
        return new.astype(np.int64), old.astype(np.int64), True
    hashes = frozenset(source.sha256 for source in original.sources)
    same = hashes == earlier.inputs and len(original) == earlier.input_records and original.reading.get("id") == earlier.key
    if hashes and same:
        _, new, old = np.intersect1d(release.rows, earlier.rows, return_indices=True)
        return new.astype(np.int64), old.astype(np.int64), True
    return np.arange(len(release)), np.zeros(len(release), np.int64), False


# The two releases as tables


def _compared(original: Dataset, release: Release, earlier: EarlierRelease) -> _Both:
    """Both releases as classes of equal records, with tables of what their labels have in common."""
    if isinstance(release.items, UncertainItems):
        raise InputError(f"a release of {release.provenance.algorithm} cannot be compared with others yet")
    mine = {column.name: column for column in release.columns}
    shared = [(mine[column.name], column) for column in earlier.columns if column.name in mine]
    items = release.items if earlier.items is not None else None
    old_items = earlier.items if items is not None else None
    partial = any(isinstance(guarantee, PartialItems) for guarantee in release.guarantees)
    names = list(dict.fromkeys((*(items.domain if items else ()), *(old_items.domain if old_items else ()))))
    new_has, new_loose = _item_table(items, names, partial)
    old_has, old_loose = _item_table(old_items, names, earlier.partial)
    tables = [_column_tables(original.column(new.name), new, old, earlier.domains[new.name]) for new, old in shared]
    stands_new, first_new, width_new = _flat([table.stands_new for table in tables])
    stands_old, first_old, width_old = _flat([table.stands_old for table in tables])
    together, first, width = _flat([table.together for table in tables])
    secret = _secret_codes(release)
    new_class, new_weight, new_codes, new_sets, secrets = _classes([new for new, _ in shared], items, len(release), secret)
    old_class, old_weight, old_codes, old_sets, _ = _classes([old for _, old in shared], old_items, len(earlier), None)
    overlaps = (new_has.astype(np.float32).T @ old_has.astype(np.float32)) > 0
    free_new, free_old = _any_of(new_has, old_loose), _any_of(old_has, new_loose)
    empty = (np.zeros(1, np.int64), np.zeros(0, np.int32))
    return _Both(
        RecordClasses(new_weight, new_codes, *new_sets, stands_new, first_new, width_new, new_has, new_loose),
        RecordClasses(old_weight, old_codes, *old_sets, stands_old, first_old, width_old, old_has, old_loose),
        Overlaps(together, first, width, overlaps, free_new, free_old),
        new_class,
        old_class,
        secrets,
        empty if items is None else (items.labels.offsets, items.labels.members),
        {name: i for i, name in enumerate(names)},
        tuple(new.name for new, _ in shared),
    )


def _item_table(items: GeneralizedItems | None, names: Sequence[str], partial: bool) -> tuple[Mask, Mask]:
    """Which labels stand for each item, and which items may be in records that show no label for them."""
    if items is None:
        return np.zeros((len(names), 0), np.bool_), np.ones(len(names), np.bool_)
    place = places_in(names, items.domain)
    has = np.zeros((len(names), len(items.labels)), np.bool_)
    has[place[items.labels.members], np.repeat(np.arange(len(items.labels)), items.labels.sizes)] = True
    loose = np.full(len(names), partial)
    loose[place[items.suppressed]] = True
    return has, loose


def _any_of(has: Mask, items: Mask) -> Mask:
    """Which labels stand for one of these items."""
    return np.asarray(has[items].any(axis=0), np.bool_)


class _ColumnTables(NamedTuple):
    """Label 0 is a missing value: which labels of each release stand for each value today, and for the same, by label."""

    stands_new: Mask
    stands_old: Mask
    together: Mask


def _column_tables(column: Column, new: PublishedColumn, old: PublishedColumn, domain: Sequence[str]) -> _ColumnTables:
    numeric = isinstance(new.labels, Ranges) and isinstance(old.labels, Ranges)
    if numeric:
        assert column.values is not None
        ends = [_ends(published.labels) for published in (new, old)]
        stands = [_inside(column.values, *pair) for pair in ends]
        together = (ends[0][0][:, None] <= ends[1][1][None]) & (ends[1][0][None] <= ends[0][1][:, None])
        widest = [(low <= low.min(initial=np.inf)) & (high >= high.max(initial=-np.inf)) & (low < high) for low, high in ends]
    else:
        code = {text: i for i, text in enumerate(dict.fromkeys((*column.domain, *domain)))}
        numbers = np.array([_number(text) for text in code])
        sides = ((new, column.domain), (old, domain))
        has = [_label_members(side, np.array([code[v] for v in names], np.int64), numbers) for side, names in sides]
        stands = [table[: len(column.domain)] for table in has]
        together = (has[0].astype(np.float32).T @ has[1].astype(np.float32)) > 0
        widest = [table.sum(axis=0) >= max(2, int(table.any(axis=1).sum())) for table in has]
    framed = np.zeros((together.shape[0] + 1, together.shape[1] + 1), np.bool_)
    framed[1:, 1:], framed[0, 0], framed[1:, 0], framed[0, 1:] = together, True, widest[0], widest[1]
    new_stands, old_stands = (np.pad(table, ((0, 0), (1, 0))) for table in stands)
    return _ColumnTables(new_stands, old_stands, framed)


def _ends(labels: Labels | Ranges) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    assert isinstance(labels, Ranges)
    return labels.low, labels.high


def _inside(values: NDArray[np.float64], low: NDArray[np.float64], high: NDArray[np.float64]) -> Mask:
    found: Mask = (low[None] <= values[:, None]) & (values[:, None] <= high[None])
    return found


def _label_members(published: PublishedColumn, place: Rows, numbers: NDArray[np.float64]) -> Mask:
    """Which labels stand for each value; a range stands for the numbers in it."""
    labels = published.labels
    if isinstance(labels, Ranges):
        return _inside(numbers, labels.low, labels.high)
    has = np.zeros((len(numbers), len(labels)), np.bool_)
    has[place[labels.members], np.repeat(np.arange(len(labels)), labels.sizes)] = True
    return has


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return np.nan


def _flat(tables: Sequence[Mask]) -> tuple[Mask, Rows, Rows]:
    """Tables one after the other, where each begins, and how wide it is."""
    sizes = np.array([table.size for table in tables], np.int64)
    flat = np.concatenate([table.ravel() for table in tables]) if tables else np.zeros(0, np.bool_)
    return flat, offsets_of(sizes)[:-1], np.array([table.shape[1] for table in tables], np.int64)


def _classes(
    columns: Sequence[PublishedColumn], items: GeneralizedItems | None, n: int, secrets: Ids | None
) -> tuple[Rows, Rows, Ids, tuple[Rows, Ids], Ids]:
    """The class of each record, and of each class the records, the column labels from 1 on, the item labels and the secrets."""
    codes = np.stack([column.codes + 1 for column in columns], axis=1) if columns else np.zeros((n, 0), np.int32)
    hidden = np.zeros((n, 0), np.int32) if secrets is None else secrets
    keys = [*codes.T, *hidden.T]
    if items is not None:
        keys.append(set_ranks(items.offsets, items.shown, len(items.labels)))
    order = np.lexsort(keys[::-1]) if keys else np.arange(n)
    fresh = np.ones(n, np.bool_)
    if n:
        fresh[1:] = np.any([key[order][1:] != key[order][:-1] for key in keys], axis=0) if keys else False
    number = np.empty(n, np.int64)
    number[order] = np.cumsum(fresh) - 1
    first = order[fresh]
    sets = (np.zeros(len(first) + 1, np.int64), np.zeros(0, np.int32))
    if items is not None:
        sets = take(items.offsets, items.shown, first)
    weight = np.bincount(number, minlength=len(first)).astype(np.int64)
    return number, weight, np.ascontiguousarray(codes[first], np.int32), sets, np.ascontiguousarray(hidden[first], np.int32)


def _secret_columns(release: Release) -> list[PublishedColumn]:
    return [column for column in release.columns if column.role == "sensitive"]


def _secret_codes(release: Release) -> Ids:
    secret = _secret_columns(release)
    return np.stack([c.codes for c in secret], axis=1) if secret else np.zeros((len(release), 0), np.int32)


# Attackers


def _attackers(original: Dataset, rows: Rows, both: _Both, m: int | None, each: int, rng: np.random.Generator) -> Known:
    """The attackers on the people in these rows: all sets of m items of a person, or some of them."""
    values = np.full((len(rows), len(both.columns)), -1, np.int32)
    for j, name in enumerate(both.columns):
        if (column := original.column(name)).role == "quasi":
            values[:, j] = column.codes[rows]
    sets = [_chosen(held, m, each, rng) for held in _held(original, rows, both)]
    person = np.repeat(np.arange(len(rows)), [len(chosen) for chosen in sets])
    lists = [items for chosen in sets for items in chosen]
    items = np.array([i for held in lists for i in held], np.int32)
    return Known(person, values, offsets_of(np.array([len(held) for held in lists], np.int64)), items)


def _held(original: Dataset, rows: Rows, both: _Both) -> list[list[int]]:
    """The items that somebody may know of each person, the rarest first."""
    if original.transactions is None or not both.names:
        return [[] for _ in rows]
    t = original.linkable
    code = np.array([both.names.get(name, -1) for name in t.domain], np.int64)
    found = []
    for row in rows:
        held = t.items[t.offsets[row] : t.offsets[row + 1]]
        held = held[np.argsort(t.supports[held], kind="stable")]
        found.append([int(i) for i in code[held] if i >= 0])
    return found


def _chosen(held: list[int], m: int | None, each: int, rng: np.random.Generator) -> list[tuple[int, ...]]:
    """Sets of m items: all, or so many of them, the rarest items first."""
    size = len(held) if m is None else min(m, len(held))
    if comb(len(held), size) <= each:
        return list(combinations(held, size))
    chosen = {tuple(range(size))}
    while len(chosen) < each:
        chosen.add(tuple(sorted(rng.permutation(len(held))[:size].tolist())))
    return [tuple(held[p] for p in places) for places in sorted(chosen)]


class _Attacked(NamedTuple):
    """By attacker: candidates in the new release alone and with both, whether they share the value of a secret, and whether
    the person's record is a candidate; and the general labels, and those left with one item."""

    alone: Rows
    both: Rows
    certain_alone: Mask
    certain: Mask
    valid: Mask
    labels: tuple[int, int]


def _attacked(both: _Both, attackers: Known, own: Rows, near: Rows, most: int, *, known: bool, progress: Progress) -> _Attacked:
    """Let all attackers count, in threads."""
    new, old, overlaps = both.new, both.old, both.overlaps
    bounds = np.linspace(0, len(own), 8 * THREADS + 1).astype(np.int64)

    def work(span: tuple[int, int]) -> tuple[Any, ...]:
        start, stop = span
        offsets = attackers.offsets[start : stop + 1]
        part = attackers._replace(person=attackers.person[start:stop], offsets=offsets)
        mine, theirs = own[start:stop], near[start:stop]
        alone = count_candidates(new, old, overlaps, part, mine, theirs, both.secrets, most, False)
        together = count_candidates(new, old, overlaps, part, mine, theirs, both.secrets, most, True)
        valid = own_pairs(new, old, overlaps, part, mine, theirs, known)
        rows = np.flatnonzero(np.append(True, part.person[1:] != part.person[:-1])[: stop - start] & valid)
        few = Known(part.person[rows], part.values, *take(offsets - offsets[0], _slice(attackers, offsets), rows))
        labels = items_left(new, old, overlaps, few, mine[rows], theirs[rows], both.members)
        return (*alone, *together, valid, int(labels[0].sum()), int(labels[1].sum()))

    spans = [(int(a), int(b)) for a, b in pairwise(bounds) if b > a]
    parts = parallel_map(work, spans, progress)
    if not parts:
        empty, none = np.zeros(0, np.int64), np.zeros((0, both.secrets.shape[1]), np.bool_)
        return _Attacked(empty, empty, none, none, np.zeros(0, np.bool_), (0, 0))
    alone, certain_alone, together, certain, valid = (np.concatenate([part[i] for part in parts]) for i in range(5))
    labels = (sum(part[5] for part in parts), sum(part[6] for part in parts))
    return _Attacked(alone, together, certain_alone, certain, valid, labels)


def _slice(attackers: Known, offsets: Rows) -> Ids:
    return attackers.items[offsets[0] : offsets[-1]]


def _least(counts: Rows, person: Rows, n: int) -> Rows:
    """The fewest candidates of each person whom some attacker looks for."""
    found = np.full(n, np.iinfo(np.int64).max)
    np.minimum.at(found, person, counts)
    return found[found < np.iinfo(np.int64).max]


def _anonymity(least: Rows, k: int) -> Anonymity:
    if len(least) == 0:
        return Anonymity(0, {f"p{q}": 0 for q in PERCENTILES}, 0, 0)
    named = {f"p{q}": int(np.percentile(least, q, method="lower")) for q in PERCENTILES}
    return Anonymity(int(least.min()), named, int((least < k).sum()), len(least))


def _mean(flags: Mask) -> float:
    return round(float(flags.mean()), 6) if len(flags) else 0.0
