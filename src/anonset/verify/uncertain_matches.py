"""Which original sets match which published ones in the nonreciprocal model ([004]).

A set r matches (base, distance, t) when r and base differ only inside distance, in at most t items. Where quasi columns are
published too, an attacker knows them as well: then a match must also have every quasi value covered.
"""

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from anonset.model.arrays import Ids, Mask, Rows
from anonset.model.dataset import Column, Dataset
from anonset.model.labels import PublishedColumn, UncertainItems
from anonset.model.release import Release
from anonset.verify.attacker_view import NotPublishedError, covers
from anonset.verify.sets import BLOCK, Matrix, Sets, require_within


@dataclass(frozen=True, slots=True, eq=False)
class UncertainSets:
    """Original and published sets over the same items (sensitive ones left out), as matrices of ones, and quasi columns."""

    original: Matrix
    base: Matrix
    distance: Matrix
    threshold: Rows
    columns: tuple[tuple[Column, PublishedColumn], ...]

    @classmethod
    def of(cls, original: Dataset, release: Release) -> "UncertainSets":
        """The original and published sets of the same records."""
        if original.transactions is None or release.items is None:
            raise NotPublishedError("the guarantee is about items, and there are none")
        if not isinstance(release.items, UncertainItems):
            raise NotPublishedError("the guarantee is about uncertain items, and the release publishes generalized ones")
        items, linkable = release.items, original.linkable
        number = {name: i for i, name in enumerate(linkable.domain)}
        d = len(number)
        code = np.array([number.setdefault(name, len(number)) for name in items.domain], np.int32)
        hidden = np.zeros(len(number), np.bool_)
        hidden[:d] = False if original.sensitive_items is None else original.sensitive_items
        return cls(
            Sets(linkable.offsets, linkable.items, len(number)).matrix,
            _recoded(Sets(items.base_offsets, items.base, 0), code, hidden),
            _recoded(Sets(items.distance_offsets, items.distance, 0), code, hidden),
            items.threshold.astype(np.int64),
            tuple((own, shown) for own in original.quasi for shown in release.columns if shown.name == own.name),
        )

    def match(self, originals: Rows, published: Rows) -> Mask:
        """Whether original record originals[e] matches published record published[e], for every e."""
        return self.match_items(originals, published) & self._columns_cover(originals, published)

    def match_items(self, originals: Rows, published: Rows) -> Mask:
        """Whether the sets of the two match."""
        answers = np.zeros(len(originals), np.bool_)
        width = int(max(np.diff(m.indptr).max(initial=1) for m in (self.original, self.base, self.distance)))
        step = max(1, BLOCK // max(1, width))
        for low in range(0, len(originals), step):
            r, p = originals[low : low + step], published[low : low + step]
            different = abs(self.original[r] - self.base[p])
            inside = different.multiply(self.distance[p])
            bits = different.sum(axis=1)
            answers[low : low + step] = (bits == inside.sum(axis=1)) & (bits <= self.threshold[p])
        return answers

    def all_matches(self, limit: int) -> tuple[Rows, Rows]:
        """Every matching pair of an original and a published record.

        A pair matches when no item of base outside distance is absent, none outside both is present, and at most t differ.
        """
        required = self.base - self.base.multiply(self.distance)
        allowed = self.base + self.distance - self.base.multiply(self.distance)
        together = int(allowed.sum(axis=0).astype(np.int64) @ self.original.sum(axis=0))
        require_within(self.base.shape[0] * self.original.shape[0] + together, limit)
        found = []
        step = max(1, BLOCK // max(1, self.original.shape[0]))
        n_required, n_base, n_original = (m.sum(axis=1) for m in (required, self.base, self.original))
        columns = self.original.T.tocsr()
        for low in range(0, self.base.shape[0], step):
            p = slice(low, low + step)
            has_required = (required[p] @ columns).toarray() == n_required[p][:, None]
            has_only_allowed = (allowed[p] @ columns).toarray() == n_original[None, :]
            bits = n_base[p][:, None] + n_original[None, :] - 2 * (self.base[p] @ columns).toarray()
            published, original = np.nonzero(has_required & has_only_allowed & (bits <= self.threshold[p][:, None]))
            found.append((original, published + low))
        originals, records = np.concatenate([r for r, _ in found]), np.concatenate([p for _, p in found])
        covered = self._columns_cover(originals, records)
        return originals[covered], records[covered]

    def _columns_cover(self, originals: Rows, published: Rows) -> Mask:
        answers = np.ones(len(originals), np.bool_)
        for own, shown in self.columns:
            answers &= covers(own, shown, originals, published)
        return answers


def _recoded(sets: Sets, code: Ids, hidden: Mask) -> Matrix:
    rows, columns = sets.owners, code[sets.members]
    kept = ~hidden[columns]
    ones = np.ones(int(kept.sum()), np.int32)
    return sparse.coo_array((ones, (rows[kept], columns[kept])), (sets.n, len(hidden))).tocsr()
