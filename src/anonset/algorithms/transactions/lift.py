"""Local recoding of occurrences (ours): a label is lifted in just the records where it is part of a rare set.

The steps are those of `lifting`; here they are applied to all records as one group.
"""

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

import numpy as np

from anonset.algorithms.base import provenance
from anonset.algorithms.recoding import exact_columns, items_at_nodes
from anonset.algorithms.transactions.cutting import BY_SUPPORT, require_holders, secrets, with_tree
from anonset.algorithms.transactions.kernels.label_sets import LabelGuarantee
from anonset.algorithms.transactions.lift_starts import aa_cut, exact_or_cut, in_pcta_groups
from anonset.algorithms.transactions.lift_state import AncestorLadder, Records, ladder
from anonset.algorithms.transactions.lift_trace import lifted_rows
from anonset.algorithms.transactions.lifting import Aim, Lifted, LiftOptions, lift, lift_from, whole
from anonset.algorithms.transactions.right_counts import MANY, alike, evened, wrong_counts
from anonset.errors import InfeasibleError
from anonset.model.arrays import Ids
from anonset.model.dataset import Dataset
from anonset.model.guarantees import Guarantee, KmAnonymity, Part, PartialItems
from anonset.model.parameters import Bounds, K, M, check_parameters
from anonset.model.progress import Progress, silent
from anonset.model.release import Release, Trace

Minimize = Annotated[
    Literal["queries", "ncp", "ul"], "what to keep low: wrong counts (as many items exact as possible), item NCP, or UL"
]
Residue = Annotated[Literal["star", "drop"], "what reaches the root is shown as the root's label, or left out"]
Limit = Annotated[float, Bounds(0.0, 1.0), "share of the item occurrences that residue = drop may leave out"]
ROUNDS = 2  # in which records that cannot stay exact go to the cut of `aa`: in the second hardly any is left


@dataclass(frozen=True, slots=True)
class Lift:
    """Every set of at most m shown labels is in k records; labels of different levels stand beside each other."""

    k: K
    m: M = 2
    minimize: Minimize = "queries"
    residue: Residue = "star"
    residue_limit: Limit = 0.1
    name: ClassVar[str] = "lift"
    title: ClassVar[str] = "Local recoding of occurrences"
    paper: ClassVar[str] = "ours"
    guarantee: ClassVar[str] = "km-anonymity; partial-items where residue = drop"
    needs: ClassVar[frozenset[str]] = frozenset({"items"})
    randomized: ClassVar[bool] = False
    covers: ClassVar[frozenset[Part]] = frozenset({"items"})
    comparator: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_parameters(self)

    def anonymize(self, data: Dataset, *, progress: Progress = silent) -> Release:
        """Each occurrence of an item as the lowest node of its hierarchy that it can be shown as."""
        progress(0.0)
        require_holders(data, self.k)
        rooted, nodes = self._lifted(with_tree(data, BY_SUPPORT), progress)
        progress(0.9)
        promises: tuple[Guarantee, ...] = (KmAnonymity(self.k, self.m),)
        if self.residue == "drop":
            self._check_left_out(rooted, nodes)
            promises += (PartialItems(self.residue_limit),)
        return Release(
            exact_columns(data),
            items_at_nodes(rooted, nodes),
            promises,
            provenance(self),
            np.arange(len(data), dtype=np.int64),
            trace=self._trace(rooted, nodes),
        )

    def _lifted(self, data: Dataset, progress: Progress) -> tuple[Dataset, Ids]:
        """The data with a hierarchy of their items and the node of each occurrence, -1 where it is left out."""
        if data.item_hierarchy is None:  # there are no items
            return data, np.zeros(0, np.int32)
        if self.minimize == "queries":
            found = self._lift(data, self.minimize)
            if self.residue == "drop" and (found.nodes < 0).sum() > self.residue_limit * len(data.linkable.items):
                found = self._lift(data, "ncp")
            return data, found.nodes
        found = self._lift(data, self.minimize, aa_cut(data, self.k, self.m))
        progress(0.5)
        other = in_pcta_groups(data, self.k, self.m)
        if other is not None:
            grouped = self._lift(other, self.minimize)
            if grouped.loss.sum() < found.loss.sum():
                return other, grouped.nodes
        return data, found.nodes

    def _lift(self, data: Dataset, aim: Aim, cuts: tuple[Ids, ...] = ()) -> Lifted:
        """The node of each occurrence, sensitive ones as they are."""
        assert data.transactions is not None
        assert data.item_hierarchy is not None
        linkable, sensitive = data.linkable, data.sensitive_items
        records = whole(linkable.offsets, linkable.items, secrets(data))
        way = ladder(data.item_hierarchy, sensitive)
        wanted = LiftOptions(aim, self.residue == "star", cuts, aim == "queries" and alike(linkable, data.item_hierarchy))
        found = lift(records, way, LabelGuarantee(self.k, self.m, 1), wanted)
        if aim == "queries":
            found = found._replace(nodes=self._for_counts(data, found.nodes, records, way, wanted))
        if sensitive is None:
            return found
        nodes = data.transactions.items.copy()
        nodes[~sensitive[nodes]] = found.nodes
        return found._replace(nodes=nodes)

    def _for_counts(self, data: Dataset, nodes: Ids, records: Records, way: AncestorLadder, wanted: LiftOptions) -> Ids:
        """Nodes with which counts of frequent items are right.

        Where they are still wrong, records stay exact or are shown by the cut of `aa`, if less is wrong or lost then.
        """
        assert data.item_hierarchy is not None
        held, tree = data.linkable, data.item_hierarchy
        found = evened(held, nodes, tree, way)
        share, price = wrong_counts(held, found, tree, way)
        for cut in aa_cut(data, self.k, self.m) if share > MANY else ():
            other: Ids | None = nodes
            for _ in range(ROUNDS):
                if other is not None:
                    other = lift_from(exact_or_cut(held, other, cut), records, way, LabelGuarantee(self.k, self.m, 1), wanted)
            if other is not None and wrong_counts(held, other, tree, way)[1] < price:
                return other
        return found

    def _trace(self, data: Dataset, nodes: Ids) -> Trace:
        if data.transactions is None or data.item_hierarchy is None:
            return ()
        if data.sensitive_items is not None:
            nodes = nodes[~data.sensitive_items[data.transactions.items]]
        return lifted_rows(data.linkable, data.item_hierarchy, nodes, self.k)

    def _check_left_out(self, data: Dataset, nodes: Ids) -> None:
        gone, n = int((nodes < 0).sum()), len(data.linkable.items)
        if gone > self.residue_limit * n:
            raise InfeasibleError(
                f"{gone} of {n} item occurrences ({gone / n:.1%}) would be left out, and residue_limit={self.residue_limit:g} "
                "allows fewer; raise it, lower k or m, or show them as the root (residue = star)"
            )
