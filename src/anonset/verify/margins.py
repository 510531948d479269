"""Margins: the counts are right, none is below k, and no difference of counts shows fewer than k records."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from anonset.model.dataset import Dataset
from anonset.model.guarantees import Guarantee
from anonset.model.labels import GeneralizedItems
from anonset.model.release import Margins, Release
from anonset.model.verdict import Finding
from anonset.verify.attacker_view import sensitive_names
from anonset.verify.findings import WITNESSES, fails

MARGINS = "margins"
AT_ONCE = 2_000  # records whose labels are spelled out together


def check_margins(original: Dataset, release: Release) -> Finding:
    """Compare published margins with the original, and with what the release itself shows."""
    margins, items = release.margins, release.items
    if margins is None or original.transactions is None or not isinstance(items, GeneralizedItems):
        return fails(MARGINS, "margins go with generalized items, and the release has none")
    return margins_finding(
        margins, release.guarantees, linkable_counts(original), SeenItems.of(items, sensitive_names(original))
    )


def margins_finding(margins: Margins, guarantees: Sequence[Guarantee], counts: Mapping[str, int], seen: "SeenItems") -> Finding:
    """Compare published margins with the number of records with each linkable item, and with what all records show."""
    promised = max((getattr(g, "k", 0) for g in guarantees if "items" in g.covers), default=0)
    found = [] if margins.k >= promised > 0 else [f"margins are rounded to k = {margins.k}, and {promised} is promised"]
    found += [*_wrong_counts(counts, margins, seen), *_telling_differences(margins, seen)]
    return Finding(MARGINS, not found, len(found), found[0] if found else "", None, tuple(found[:WITNESSES]))


def linkable_counts(original: Dataset) -> Counter[str]:
    """The number of records with each linkable item."""
    assert original.transactions is not None
    sensitive, domain = sensitive_names(original), original.transactions.domain
    times = np.bincount(original.transactions.items, minlength=len(domain)).tolist()
    return Counter({name: n for name, n in zip(domain, times, strict=True) if n and name not in sensitive})


@dataclass(frozen=True, slots=True)
class SeenItems:
    """What anybody sees: the labels of several linkable items and their records; of each item, exact and hiding records."""

    labels: tuple[tuple[tuple[str, ...], int], ...]
    exact: dict[str, int]
    hiding: dict[str, int]

    @classmethod
    def of(cls, items: GeneralizedItems, sensitive: frozenset[str]) -> "SeenItems":
        """What the records of a release show."""
        names = [[items.domain[i] for i in group] for group in items.labels.groups()]
        shows = np.bincount(items.shown, minlength=len(names)).tolist()
        exact, hiding = Counter[str](), Counter[str]()
        for group, n in zip(names, shows, strict=True):
            if n and len(group) == 1 and group[0] not in sensitive:
                exact[group[0]] += n
        for name, n in zip(items.domain, _hiding(items).tolist(), strict=True):
            if n and name not in sensitive:
                hiding[name] = n
        large = [(tuple(i for i in g if i not in sensitive), n) for g, n in zip(names, shows, strict=True) if len(g) > 1 and n]
        return cls(tuple(large), dict(exact), dict(hiding))

    @classmethod
    def of_parts(cls, parts: "Sequence[SeenItems]") -> "SeenItems":
        """What is seen of all parts together."""
        labels, exact, hiding = Counter[tuple[str, ...]](), Counter[str](), Counter[str]()
        for part in parts:
            for group, n in part.labels:
                labels[group] += n
            exact.update(part.exact)
            hiding.update(part.hiding)
        return cls(tuple(labels.items()), dict(exact), dict(hiding))

    def plain(self) -> dict[str, Any]:
        """The same as JSON can have it."""
        return {"labels": [[list(group), n] for group, n in self.labels], "exact": self.exact, "hiding": self.hiding}

    @classmethod
    def from_plain(cls, found: Mapping[str, Any]) -> "SeenItems":
        """The reverse of `plain`."""
        return cls(tuple((tuple(group), n) for group, n in found["labels"]), found["exact"], found["hiding"])


def _hiding(items: GeneralizedItems) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """For each item of the domain the records with a label of several items for it that do not show it exactly."""
    d, labels = len(items.domain), items.labels
    ones = np.ones(len(labels.members), np.int32)
    stands = sparse.csr_array((ones, labels.members, labels.offsets), (len(labels), d))
    single = (np.repeat(labels.sizes, labels.sizes) == 1).astype(np.int32)
    exact = sparse.csr_array((single, labels.members, labels.offsets), (len(labels), d))
    total = np.zeros(d, np.int64)
    for first in range(0, len(items), AT_ONCE):
        offsets = items.offsets[first : first + AT_ONCE + 1]
        shown = items.shown[offsets[0] : offsets[-1]]
        block = sparse.csr_array((np.ones(len(shown), np.int32), shown, offsets - offsets[0]), (len(offsets) - 1, len(labels)))
        may, surely = (block @ stands).astype(np.bool_), (block @ exact).astype(np.bool_)
        total += np.asarray(may.sum(axis=0), np.int64).ravel() - np.asarray(surely.sum(axis=0), np.int64).ravel()
    return total


def _wrong_counts(counts: Mapping[str, int], margins: Margins, seen: SeenItems) -> Iterator[str]:
    behind = seen.exact.keys() | seen.hiding.keys()
    for name, count in margins.counts.items():
        if name not in behind:
            yield f"the margin of {name!r} is published, and no published item stands for it"
        elif not count <= counts.get(name, 0) < count + margins.k:
            yield f"the margin of {name!r} is {count}, and it is in {counts.get(name, 0)} records"
    for name in sorted(margins.withheld - behind):
        yield f"the margin of {name!r} is said to be withheld, and no published item stands for it"
    for name in sorted(behind - margins.counts.keys() - margins.withheld):
        if (records := counts.get(name, 0)) >= margins.k:
            yield f"{name!r} is in {records} records and has no margin, which says that it is in fewer than {margins.k}"


def _telling_differences(margins: Margins, seen: SeenItems) -> Iterator[str]:
    """Items of which, margins and labels taken together, 1 to k - 1 hidden records are certain."""
    k = margins.k
    most = {name: _most_hidden(name, margins, seen) for name in seen.hiding}
    for name in seen.hiding:
        least = margins.counts.get(name, 0) - seen.exact.get(name, 0)
        if name in margins.counts and 1 <= least <= most[name] < k:
            yield f"the margin of {name!r} less the records that show it leaves {least} to {most[name]} hidden ones"
    for group, records in seen.labels:
        bound, open_bound = sum(most.get(i, 0) for i in group), sum(seen.hiding.get(i, 0) for i in group)
        for name in group:
            least = records - bound + most.get(name, 0)
            known_anyway = records - open_bound + seen.hiding.get(name, 0) >= 1 and seen.hiding.get(name, 0) < k
            if least >= 1 and most.get(name, 0) < k and not known_anyway:
                yield f"of {records} records with a label for {name!r} the margins of its other items leave {least} or more"


def _most_hidden(name: str, margins: Margins, seen: SeenItems) -> int:
    """The most records that can hide an item, by its margin and by the labels."""
    hiding, exact = seen.hiding.get(name, 0), seen.exact.get(name, 0)
    if name in margins.withheld:
        return hiding
    least, most = margins.counts.get(name, 0) - exact, margins.counts.get(name, 0) - exact + margins.k - 1
    return max(0, most if least > hiding else min(most, hiding))
