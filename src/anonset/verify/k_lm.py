"""(k, l^m)-diversity ([000] section 5): (k, k^m)-anonymity, and no sensitive item in more than 1/l of any match."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial

import numpy as np
from scipy import sparse

from anonset.model.arrays import Rows
from anonset.model.dataset import Dataset
from anonset.model.guarantees import KLm
from anonset.model.labels import GeneralizedItems
from anonset.model.release import Release
from anonset.model.verdict import Finding
from anonset.verify.attacker_view import (
    Groups,
    NotPublishedError,
    VisibleItems,
    generalized_items,
    groups_of,
    linkable_items,
    match_text,
    sensitive_names,
)
from anonset.verify.findings import WITNESSES, Tally, fail_closed, records
from anonset.verify.itemset_counts import combinations, occurring
from anonset.verify.k_anonymity import count_groups
from anonset.verify.sets import Matrix, require_within

Match = tuple[int, Sequence[int]]  # a group and labels


@fail_closed
def check_k_lm(original: Dataset, release: Release, guarantee: KLm, limit: int) -> Finding:
    """Count records, and those with each sensitive item, for every group and set of at most m other labels in it.

    The guarantee says which items are sensitive; where the original says it too, it may not name others, which would then
    not be taken for linking. A single sensitive item suffices: a combination is never more frequent.
    """
    if original.sensitive_items is not None:
        strange = set(guarantee.sensitive) - sensitive_names(original)
        if strange:
            raise NotPublishedError(f"{len(strange)} items are promised as sensitive that are not so in the original")
    items = linkable_items(release, guarantee.sensitive)
    groups = groups_of(original, release)
    require_within(combinations(items.sets.lengths, guarantee.m, limit), limit)
    tally = Tally(guarantee.id, guarantee.k)
    shares = _Shares(guarantee, groups, items, _sensitive(generalized_items(release), guarantee))
    count_groups(tally, items, groups)
    shares.add(groups.sizes, np.arange(len(release)), groups.of, lambda g: (g, ()))
    for found in occurring(items.sets, guarantee.m, groups.of, records=True):
        tally.add_sets(found, partial(match_text, items, groups))
        assert found.records is not None
        assert found.holders is not None
        shares.add(found.counts.data, found.records, found.holders, found.name)
    return shares.joined_to(tally.finding())


class _Shares:
    """Counts the sensitive items that are too frequent among the records of a match."""

    def __init__(self, guarantee: KLm, groups: Groups, items: VisibleItems, sensitive: Matrix) -> None:
        self.guarantee, self.groups, self.items, self.sensitive = guarantee, groups, items, sensitive
        self.violations = 0
        self.share = Fraction(0)
        self.worst = ""
        self.witnesses: list[str] = []

    def add(self, supports: Rows, of: Rows, holders: Rows, name: Callable[[int], Match]) -> None:
        """Match p, called name(p), has supports[p] records: those of[a] where holders[a] == p."""
        held = sparse.coo_array((np.ones(len(of), np.int32), (holders, of)), (len(supports), self.sensitive.shape[0]))
        counts = held.tocsr() @ self.sensitive
        if counts.nnz == 0:
            return
        match = np.repeat(np.arange(len(supports)), np.diff(counts.indptr))
        most = int(np.argmax(counts.data / supports[match]))
        share = Fraction(int(counts.data[most]), int(supports[match[most]]))
        if share > self.share:
            self.share, self.worst = share, self._sentence(counts, supports, match, most, name)
        short = np.flatnonzero(counts.data.astype(np.int64) * self.guarantee.l > supports[match])
        self.violations += len(short)
        few = short[: WITNESSES - len(self.witnesses)]
        self.witnesses += [self._sentence(counts, supports, match, int(p), name) for p in few]

    def joined_to(self, linking: Finding) -> Finding:
        """The finding about linking with what was found about sensitive items."""
        rare, frequent = linking.witnesses, tuple(self.witnesses)
        kept = rare[: max(WITNESSES - len(frequent), WITNESSES // 2)]
        worst = "; ".join(part for part in (linking.worst, self.worst) if part)
        if linking.holds != (self.violations == 0):
            worst = self.worst if linking.holds else linking.worst
        return replace(
            linking,
            holds=linking.holds and self.violations == 0,
            violations=linking.violations + self.violations,
            worst=worst,
            witnesses=(*kept, *frequent[: WITNESSES - len(kept)]),
        )

    def _sentence(self, counts: Matrix, supports: Rows, match: Rows, p: int, name: Callable[[int], Match]) -> str:
        found = match_text(self.items, self.groups, *name(int(match[p])))
        item = self.guarantee.sensitive[int(counts.indices[p])]
        n, of = int(counts.data[p]), int(supports[match[p]])
        shown = records(of, "show").replace("show", "that show")
        return f"of the {shown} {found}, {n} {'has' if n == 1 else 'have'} {item}; at most 1 in {self.guarantee.l} is promised"


def _sensitive(items: GeneralizedItems, guarantee: KLm) -> Matrix:
    """Ones where a record shows a label that stands for a sensitive item."""
    number = {name: s for s, name in enumerate(guarantee.sensitive)}
    code = np.array([number.get(name, -1) for name in items.domain], np.int64)[items.labels.members]
    label = np.repeat(np.arange(len(items.labels)), items.labels.sizes)[code >= 0]
    stands = sparse.coo_array((np.ones(len(label), np.int32), (label, code[code >= 0])), (len(items.labels), len(number)))
    shown = sparse.csr_array((np.ones(len(items.shown), np.int32), items.shown, items.offsets), (len(items), len(items.labels)))
    return (shown @ stands.tocsr()).astype(np.bool_).astype(np.int32)
