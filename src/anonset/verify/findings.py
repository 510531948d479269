"""From counts to a finding: how many violations, which is the worst place, and a few witnesses in words."""

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from anonset.model.dataset import Dataset
from anonset.model.guarantees import BasePopulation
from anonset.model.release import Release
from anonset.model.verdict import Finding
from anonset.verify.attacker_view import NotPublishedError
from anonset.verify.itemset_counts import OccurringSets
from anonset.verify.sets import LIMIT, TooLargeError, not_checked

WITNESSES = 5
Breaches = tuple[int, list[str]]  # how many, and the first few in words
G = TypeVar("G", bound=Any, contravariant=True)


class Check(Protocol[G]):
    """A check: the original, what is published, the guarantee, and how many steps it may take."""

    def __call__(self, original: Dataset, release: Release, guarantee: G, *, limit: int = LIMIT) -> Finding:
        """What the check found."""
        ...


def fail_closed(check: Callable[[Dataset, Release, G, int], Finding]) -> Check[G]:
    """The check, which fails if nothing is published, k exceeds the records, or the work exceeds the limit."""

    @wraps(check)
    def closed(original: Dataset, release: Release, guarantee: G, *, limit: int = LIMIT) -> Finding:
        n, k = len(release), getattr(guarantee, "k", 1)
        if n == 0:
            return fails(guarantee.id, "the release has no records, so it shows nothing that could be checked")
        if k > n and not isinstance(guarantee, BasePopulation):
            return fails(guarantee.id, f"{k} records are promised to look alike, and there are {n}", support=n)
        try:
            return check(original, release, guarantee, limit)
        except TooLargeError as error:
            return not_checked(guarantee.id, error)
        except NotPublishedError as error:
            return fails(guarantee.id, str(error))

    return closed


def fails(guarantee: str, why: str, *, support: int | None = None) -> Finding:
    """The finding of one violation that needs no counting."""
    return Finding(guarantee, holds=False, violations=1, worst=why, support=support, witnesses=(why,))


def records(n: int, verb: str) -> str:
    """1 record shows, 2 records show."""
    return f"1 record {verb}s" if n == 1 else f"{n} records {verb}"


def promised(k: int) -> str:
    """1 is promised, 2 are promised."""
    return "1 is promised" if k == 1 else f"{k} are promised"


class Tally:
    """Counts violations of k, and keeps the worst and the first few of each size."""

    def __init__(self, guarantee: str, k: int) -> None:
        self.guarantee, self.k = guarantee, k
        self.violations = 0
        self.support: int | None = None
        self.worst = ""
        self.witnesses: dict[int, list[str]] = {}

    def add(self, counts: NDArray[Any], size: int, text: Callable[[int], str]) -> None:
        """Count places with these supports; text(p) says what the records of place p show."""
        if len(counts) == 0:
            return
        lowest = int(np.argmin(counts))
        if self.support is None or counts[lowest] < self.support:
            self.support = int(counts[lowest])
            self.worst = self._sentence(counts, lowest, text)
        short = np.flatnonzero(counts < self.k)
        self.violations += len(short)
        known = self.witnesses.setdefault(size, [])
        known += [self._sentence(counts, int(p), text) for p in short[: WITNESSES - len(known)]]

    def add_sets(self, found: OccurringSets, text: Callable[[int, Sequence[int]], str]) -> None:
        """Count the sets found; text(group, labels) says what their records show."""
        self.add(found.counts.data, found.size, lambda s: text(*found.name(s)))

    def finding(self, nothing: str = "") -> Finding:
        """The finding; `nothing` is its text if there was nothing to count."""
        spelled = tuple(text for size in sorted(self.witnesses) for text in self.witnesses[size])[:WITNESSES]
        worst = self.worst if self.support is not None else nothing
        return Finding(self.guarantee, self.violations == 0, self.violations, worst, self.support, spelled)

    def _sentence(self, counts: NDArray[Any], p: int, text: Callable[[int], str]) -> str:
        return f"{records(int(counts[p]), 'show')} {text(p)}; {promised(self.k)}"
