"""Guarantees counted in people: the distinct people behind the records of every group and itemset, from the original."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from anonset.model.arrays import Rows
from anonset.model.dataset import Dataset
from anonset.model.guarantees import (
    CompleteK,
    Guarantee,
    KAnonymity,
    KKm,
    KLm,
    KmAnonymity,
)
from anonset.model.release import Release
from anonset.model.verdict import Finding
from anonset.verify.attacker_view import Groups, VisibleItems, groups_of, linkable_items, match_text, sensitive_names
from anonset.verify.findings import WITNESSES, promised
from anonset.verify.itemset_counts import combinations, occurring
from anonset.verify.sets import Sets, TooLargeError, not_checked, require_within

NOT_COUNTED = "people have several records, and this guarantee cannot be counted in people: gather one record a person"
ANSWERS = "shares of sensitive items are of records, not of people"
UNKNOWN = "people have several records, and without the rows behind the records nobody can count the people"


def with_people(
    finding: Finding,
    original: Dataset,
    release: Release,
    guarantee: Guarantee,
    *,
    limit: int,
    aligned: bool,
    accept_repeats: bool,
) -> Finding:
    """The finding, counted in people if the original says which person each record belongs to.

    If people have several records, fewer than k people are a violation, unless counting records was accepted.
    """
    if not guarantee.covers:  # it counts neither people nor records
        return finding
    finding = replace(finding, unit="records")
    if original.people is None:
        return finding
    if not len(np.flatnonzero(np.bincount(original.people) > 1)):  # each record is another person's
        distinct = not aligned or len(np.unique(release.rows)) == len(release)
        fewest = finding.support if hasattr(guarantee, "k") else None
        return replace(finding, unit="people", people=fewest) if distinct else finding
    if not finding.holds or not len(release):
        return finding
    if not isinstance(guarantee, KAnonymity | KmAnonymity | CompleteK | KKm | KLm) or not aligned:
        why = UNKNOWN if not aligned else NOT_COUNTED
        return replace(finding, people=1) if accept_repeats else _short(finding, 1, why, (why,), None)
    try:
        counted = _counted(original, release, guarantee, limit)
    except TooLargeError as error:
        return replace(finding, people=1) if accept_repeats else not_checked(guarantee.id, error)
    if accept_repeats:
        return replace(finding, people=counted.fewest)
    if counted.short:
        return _short(finding, counted.short, counted.worst, tuple(counted.witnesses), counted.fewest)
    worst = f"{finding.worst}; {ANSWERS}" if isinstance(guarantee, KLm) else finding.worst
    return replace(finding, unit="people", people=counted.fewest, worst=worst)


def _short(finding: Finding, violations: int, worst: str, witnesses: tuple[str, ...], people: int | None) -> Finding:
    return replace(finding, holds=False, violations=violations, worst=worst, witnesses=witnesses, unit="people", people=people)


class _Count:
    """The fewest people of all places, and those with fewer than k."""

    def __init__(self, k: int) -> None:
        self.k, self.short, self.worst = k, 0, ""
        self.fewest: int | None = None
        self.witnesses: list[str] = []

    def add(self, places: Rows, people: Rows, text: Callable[[int], str]) -> None:
        """Record a is at places[a] and of people[a]; text(p) says what the records of place p show."""
        if not len(places):
            return
        width = int(people.max()) + 1
        own = np.unique(places.astype(np.int64) * width + people) // width
        at, counts = np.unique(own, return_counts=True)
        lowest = int(np.argmin(counts))
        if self.fewest is None or counts[lowest] < self.fewest:
            self.fewest = int(counts[lowest])
            self.worst = self._sentence(self.fewest, text(int(at[lowest])))
        few = np.flatnonzero(counts < self.k)
        self.short += len(few)
        for p in few[: WITNESSES - len(self.witnesses)]:
            self.witnesses.append(self._sentence(int(counts[p]), text(int(at[p]))))

    def _sentence(self, n: int, text: str) -> str:
        return f"the records that show {text} are those of {n} {'person' if n == 1 else 'people'}; {promised(self.k)}"


def _counted(
    original: Dataset, release: Release, guarantee: KAnonymity | KmAnonymity | CompleteK | KKm | KLm, limit: int
) -> _Count:
    assert original.people is not None
    people = original.people[release.rows].astype(np.int64)
    count = _Count(guarantee.k)
    groups = groups_of(original, release) if isinstance(guarantee, KAnonymity | KKm | KLm) else None
    if isinstance(guarantee, KAnonymity):
        assert groups is not None
        count.add(groups.of, people, groups.text)
        return count
    items = linkable_items(release, guarantee.sensitive if isinstance(guarantee, KLm) else sensitive_names(original))
    if groups is not None:
        count.add(groups.of, people, partial(_group_text, items, groups))
    if isinstance(guarantee, CompleteK):
        _count_whole(count, items, people, limit)
        return count
    require_within(combinations(items.sets.lengths, guarantee.m, limit), limit)
    for found in occurring(items.sets, guarantee.m, None if groups is None else groups.of, records=True):
        assert found.records is not None
        assert found.holders is not None
        count.add(found.holders, people[found.records], lambda s, f=found: match_text(items, groups, *f.name(s)))  # type: ignore[misc]
    return count


def _group_text(items: VisibleItems, groups: Groups, group: int) -> str:
    return match_text(items, groups, group, ())


def _count_whole(count: _Count, items: VisibleItems, people: Rows, limit: int) -> None:
    """Count the people of the records that show all that a record shows, for each different record."""
    sets: Sets = items.sets
    matrix = sets.matrix
    require_within(sets.n * sets.n, limit)
    shared = (matrix @ matrix.T).tocoo()
    whole = shared.data == sets.lengths[shared.row]
    count.add(shared.row[whole], people[shared.col[whole]], lambda p: items.text(sets.get(p)))
