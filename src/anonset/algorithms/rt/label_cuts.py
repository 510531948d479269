"""Labels of clusters cut in two, again and again, while clusters stay protected: the fewer items behind each, the better."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from anonset.algorithms.rt.items import Items
from anonset.algorithms.rt.kernels.chopping import chop_labels
from anonset.algorithms.rt.kernels.protection import cut_labels, is_protected
from anonset.algorithms.rt.narrowing import NarrowedCluster, narrowed, with_losses
from anonset.kernels.recode import collapse
from anonset.model.arrays import Ids, Offsets, Rows
from anonset.model.dataset import Dataset
from anonset.model.sets import offsets_of
from anonset.model.threads import side_by_side
from anonset.model.transactions import Transactions

TRIES = 400  # cuts that are tried in a cluster
TOGETHER = 64  # clusters that a thread takes at once


class Stepwise:
    """Labels clusters by an item step; its labels are narrowed to what occurs, and cut."""

    def __init__(self, t: Transactions, items: Items, cuts: "LabelCuts") -> None:
        self._t, self._items, self._cuts = t, items, cuts

    def shown(self, clusters: Sequence[Rows]) -> list[NarrowedCluster | None]:
        """What each cluster shows, or None where the step cannot protect it on its own."""
        outcomes = self._items.outcomes(clusters)
        done = [outcome for outcome in outcomes if outcome is not None]
        found = iter(self._cuts.cut(narrowed(self._t, self._items, done)) if done else [])
        return [None if outcome is None else next(found) for outcome in outcomes]


class LabelCuts:
    """Cuts the labels of clusters that are k^m-anonymous and, with sensitive items, l^m-diverse."""

    def __init__(self, data: Dataset, k: int, m: int, l: int) -> None:  # noqa: E741 - the papers' letter
        assert data.transactions is not None
        self._linkable, self._asked = data.linkable, (k, m, l)
        sensitive = np.zeros(len(data.transactions.domain), np.bool_) if data.sensitive_items is None else data.sensitive_items
        self._secrets = data.transactions.without(~sensitive)

    def cut(self, clusters: Sequence[NarrowedCluster]) -> list[NarrowedCluster]:
        """The same clusters with labels that stand for fewer items."""
        shares = [clusters[p : p + TOGETHER] for p in range(0, len(clusters), TOGETHER)]
        return with_losses([one for share in side_by_side(self._cut, shares) for one in share])

    def _cut(self, clusters: Sequence[NarrowedCluster]) -> list[NarrowedCluster]:
        k, m, l = self._asked  # noqa: E741
        rows = np.concatenate([one.rows for one in clusters])
        bounds = offsets_of([len(one.rows) for one in clusters])
        held, hidden = self._linkable.take(rows), self._secrets.take(rows)
        labels = np.concatenate([one.labels for one in clusters])
        secrets = (hidden.offsets, hidden.items, len(hidden.domain))
        labels = self._chopped(bounds, held, labels, secrets)
        found = cut_labels(bounds, held.offsets, held.items, labels, k, m, *secrets, l, TRIES)
        parts = held.offsets[bounds]
        return [one._replace(labels=found[parts[c] : parts[c + 1]]) for c, one in enumerate(clusters)]

    def _chopped(self, bounds: Offsets, held: Transactions, labels: Ids, secrets: tuple[Offsets, Ids, int]) -> Ids:
        """Labels chopped among records; a cluster that is not protected then stays as it is."""
        k, m, l = self._asked  # noqa: E741
        found = chop_labels(bounds, held.offsets, held.items, labels, k, *secrets, l)
        offsets, hidden, n_secrets = secrets
        for first, last in pairwise(bounds.tolist()):
            start, stop = held.offsets[first], held.offsets[last]
            shown = collapse(held.offsets[first : last + 1] - start, found[start:stop])
            own = hidden[offsets[first] : offsets[last]]
            n_labels, own_offsets = int(found[start:stop].max(initial=-1)) + 1, offsets[first : last + 1] - offsets[first]
            if not is_protected(*shown, n_labels, k, m, own_offsets, own, n_secrets, l):
                found[start:stop] = labels[start:stop]
        return found
