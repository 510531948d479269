"""Attackers who know the algorithm, on data of real size: does the release come out again if somebody else is the person?

For a person and m known items, a candidate is another record that shows the labels which cover the items in the person's.
In a second dataset the candidate has the known items and the person has what the candidate has behind these labels (the
exchange of decision 7), and their quasi values are exchanged. Everything published is true of it, too. The algorithm runs
again: if it publishes the same, nobody can exclude the candidate, however much they know of others. If not, somebody who knows
all other records can; who knows less can only if no further dataset leads to the release. Of a candidate that shows the same
labels and quasi values as the person, all that somebody may know is exchanged: only what is published as it is changes places.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from anonset.algorithms import ALGORITHMS, make
from anonset.algorithms import run as run_algorithm
from anonset.attacks.attackers import AttackerKnowledge, Rarity, sample_attackers
from anonset.errors import AnonsetError, ParameterError
from anonset.model.arrays import Ids, Rows
from anonset.model.dataset import Dataset, Transactions
from anonset.model.ends import with_ends
from anonset.model.labels import GeneralizedItems, Labels, PublishedItems, Ranges
from anonset.model.progress import Progress, silent, with_progress
from anonset.model.release import Release
from anonset.model.sets import offsets_of, places_in
from anonset.releases.folder import canonical
from anonset.releases.gates import k_of

MOST_PEOPLE = 20  # who are tried: the algorithm runs for each of their candidates
TRIED = 2  # times k: most candidates that are tried for a person


@dataclass(frozen=True, slots=True)
class InversionAttack:
    """Candidates of sampled people before and after an attacker runs the algorithm again.

    `before` are the candidates that show the labels, the person's record among them, and `left` those that nobody can exclude,
    of at most `tried` that were tried for a person. `below` people have fewer than k left.
    """

    k: int
    m: int
    people: int
    runs: int
    tried: int
    before: int
    before_median: int
    left: int
    left_median: int
    below: int

    def as_json(self) -> dict[str, Any]:
        """The figures."""
        return {
            "k": self.k,
            "m": self.m,
            "people": self.people,
            "runs": self.runs,
            "tried": self.tried,
            "before": {"least": self.before, "median": self.before_median},
            "left": {"least": self.left, "median": self.left_median},
            "below_k": self.below,
        }


class _Target(NamedTuple):
    """A person with the known items, the published record, and the labels that cover the items there."""

    row: int
    known: Ids
    labels: Ids


def attack_inversion(
    original: Dataset, release: Release, *, m: int = 2, people: int = 20, seed: int | None = None, progress: Progress = silent
) -> InversionAttack:
    """Sample people, exchange each with candidates, and run the algorithm again on every such dataset."""
    algorithm = ALGORITHMS.find(release.provenance.algorithm)
    parameters = release.provenance.parameters
    chance = algorithm.randomized or parameters.get("protect") == "inversion" or "seconds" in parameters
    if chance and parameters.get("seed") is None:
        raise ParameterError(f"{algorithm.name} made the release by chance: nobody can run it again")
    if not isinstance(release.items, GeneralizedItems):
        raise ParameterError("who knows the algorithm is simulated for releases with generalized items")
    rng, k = np.random.default_rng(seed), k_of(release)
    release = _coded_as(original, release)
    again = _Again(original, release)
    if not again.publishes(original):
        raise ParameterError("the algorithm does not publish the same again: other version, data or time limit")
    sampled = sample_attackers(original, AttackerKnowledge(False, m), release.rows, people, rng, Rarity(original))
    before, left, runs = list[int](), list[int](), 0
    for attacker in with_progress(sampled, progress):
        target = _target(original, release, attacker.row, attacker.known.items)
        candidates = _candidates(release, target)
        tried = rng.permutation(candidates)[: TRIED * k]
        kept = sum(again.publishes(_exchanged(original, release, target, int(p))) for p in tried)
        runs += len(tried)
        before.append(len(candidates) + 1)
        left.append(kept + 1)
    return InversionAttack(
        k,
        m,
        len(sampled),
        runs,
        TRIED * k,
        before=min(before, default=0),
        before_median=int(np.median(before or [0])),
        left=min(left, default=0),
        left_median=int(np.median(left or [0])),
        below=sum(n < k for n in left),
    )


class _Again:
    """Runs the algorithm of a release again and compares what it publishes."""

    def __init__(self, original: Dataset, release: Release) -> None:
        self.algorithm = make(release.provenance.algorithm, release.provenance.parameters)
        self.ends = release.provenance.ends
        self.shown = list(_shown(canonical(release)))

    def publishes(self, data: Dataset) -> bool:
        """Whether the same records come out, in whatever order."""
        try:
            found = canonical(_coded_as(data, with_ends(data, run_algorithm(self.algorithm, data), self.ends)))
        except AnonsetError:
            return False
        shown = list(_shown(found))
        return len(shown) == len(self.shown) and all(map(np.array_equal, shown, self.shown))


def _coded_as(original: Dataset, release: Release) -> Release:
    """The release with items coded as in the original: a hierarchy that an algorithm builds orders them anew."""
    items = release.items
    assert original.transactions is not None
    if not isinstance(items, GeneralizedItems) or items.domain == original.transactions.domain:
        return release
    number = places_in(original.transactions.domain, items.domain)
    labels = Labels.from_groups([number[members] for members in items.labels.groups()], items.labels.texts)
    suppressed = np.sort(number[items.suppressed])
    return replace(
        release, items=GeneralizedItems(items.offsets, items.shown, labels, original.transactions.domain, suppressed)
    )


def _shown(release: Release) -> Iterator[Any]:
    for column in release.columns:
        yield column.codes
        if isinstance(column.labels, Ranges):
            yield column.labels.low
            yield column.labels.high
        else:
            yield column.labels.offsets
            yield column.labels.members
    yield from _items_shown(release.items)


def _items_shown(items: PublishedItems | None) -> Iterator[Any]:
    if isinstance(items, GeneralizedItems):
        yield from (items.offsets, items.shown, items.labels.offsets, items.labels.members)


def _target(original: Dataset, release: Release, row: int, names: tuple[str, ...]) -> _Target:
    items, t = release.items, original.transactions
    assert isinstance(items, GeneralizedItems)
    assert t is not None
    known = np.array([t.domain.index(name) for name in names], np.int32)
    p = int(np.flatnonzero(release.rows == row)[0])
    mine = items.shown[items.offsets[p] : items.offsets[p + 1]]
    covering = [_narrowest(items, mine.tolist(), i) for i in known]
    return _Target(row, known, np.unique(np.array([a for a in covering if a is not None], np.int32)))


def _narrowest(items: GeneralizedItems, labels: list[int], item: int) -> int | None:
    """The label of fewest items that stands for an item, or None."""
    covering = [a for a in labels if item in _members(items, a)]
    return min(covering, key=lambda a: len(_members(items, a)), default=None)


def _member_set(items: GeneralizedItems, label: int) -> set[int]:
    return {*_members(items, label).tolist()}


def _members(items: GeneralizedItems, label: int) -> Ids:
    return items.labels.members[items.labels.offsets[label] : items.labels.offsets[label + 1]]


def _candidates(release: Release, target: _Target) -> Rows:
    """The other published records with the same column labels that show the labels of the target."""
    items = release.items
    assert isinstance(items, GeneralizedItems)
    fitting = np.ones(len(release), np.bool_)
    own = int(np.flatnonzero(release.rows == target.row)[0])
    for column in release.quasi:
        fitting &= column.codes == column.codes[own]
    record = np.repeat(np.arange(len(release)), np.diff(items.offsets))
    for label in target.labels:
        fitting &= np.bincount(record[items.shown == label], minlength=len(release)) > 0
    fitting[own] = False
    return np.flatnonzero(fitting)


def _exchanged(original: Dataset, release: Release, target: _Target, p: int) -> Dataset:
    """The dataset in which the record behind p has the known items and the person what that record has instead."""
    t, items, other = original.transactions, release.items, int(release.rows[p])
    assert t is not None
    assert isinstance(items, GeneralizedItems)
    mine, theirs = ({*t.items[t.offsets[r] : t.offsets[r + 1]].tolist()} for r in (target.row, other))
    order = np.arange(len(original))
    order[[target.row, other]] = order[[other, target.row]]
    if _shows_the_same(original, release, target.row, p):
        secret = set() if original.sensitive_items is None else {*np.flatnonzero(original.sensitive_items).tolist()}
        changed = {target.row: mine - secret | theirs & secret, other: theirs - secret | mine & secret}
        columns = tuple(column if column.role == "quasi" else column.take(order) for column in original.columns)
        return replace(original, columns=columns, transactions=_with_sets(t, changed))
    shown = items.shown[items.offsets[p] : items.offsets[p + 1]].tolist()
    for i in target.known.tolist():
        if i in theirs:
            continue
        label = _narrowest(items, target.labels.tolist(), i)
        behind = set() if label is None else theirs & _member_set(items, label)
        theirs.add(i)
        mine.discard(i)
        if behind and label is not None and not mine & _member_set(items, label):
            spare = [j for j in sorted(behind) if all((theirs - {j}) & _member_set(items, a) for a in shown)]
            swapped = next((j for j in spare if j not in mine), min(spare or behind))
            theirs.discard(swapped)
            mine.add(swapped)
    columns = tuple(column.take(order) if column.role == "quasi" else column for column in original.columns)
    return replace(original, columns=columns, transactions=_with_sets(t, {target.row: mine, other: theirs}))


def _shows_the_same(original: Dataset, release: Release, row: int, p: int) -> bool:
    """Whether record p shows the same as that of a row in all that somebody may know."""
    items, own = release.items, int(np.flatnonzero(release.rows == row)[0])
    assert isinstance(items, GeneralizedItems)
    mine, theirs = (items.shown[items.offsets[r] : items.offsets[r + 1]] for r in (own, p))
    if original.sensitive_items is not None:
        linkable = ~original.sensitive_items[items.labels.members[items.labels.offsets[:-1]]]
        mine, theirs = mine[linkable[mine]], theirs[linkable[theirs]]
    return np.array_equal(mine, theirs) and all(column.codes[own] == column.codes[p] for column in release.quasi)


def _with_sets(t: Transactions, changed: dict[int, set[int]]) -> Transactions:
    """The transactions with other item sets for some records."""
    parts, lengths, end = [], t.lengths.astype(np.int64).copy(), 0
    for row in sorted(changed):
        parts += [t.items[end : t.offsets[row]], np.array(sorted(changed[row]), np.int32)]
        lengths[row], end = len(changed[row]), int(t.offsets[row + 1])
    return Transactions(offsets_of(lengths), np.concatenate([*parts, t.items[end:]]), t.domain)
