"""What merging under a bound keeps low in the quasi values, the paper's Rum: NCP, discernibility or C_avg ([000] section 2).

NCP looks at values; the other two only at how many records publish the same ones, so among clusters of the same size the one
with the lower NCP is preferred. A bound is in the unit of its measure: NCP of the mean record, sum of squared group sizes, mean
group size over k.
"""

from collections.abc import Sequence
from typing import Literal, NamedTuple, Protocol

import numpy as np

from anonset.model.arrays import Mask, Reals, Rows

Rum = Literal["ncp", "discernibility", "c-avg"]
TITLES: dict[Rum, str] = {"ncp": "NCP", "discernibility": "discernibility", "c-avg": "C_avg"}


class MergeableClusters(Protocol):
    """Clusters that may merge with each other, as `merging` has them; sizes[c] is 0 where cluster c is gone."""

    sizes: Rows
    losses: Reals

    @property
    def lost(self) -> float:
        """NCP summed over all records."""
        ...


class QuasiMeasure(NamedTuple):
    """A measure of the quasi values of n records in groups of at least k."""

    rum: Rum
    n: int
    k: int

    @property
    def by_size(self) -> bool:
        """Whether only the sizes of groups count."""
        return self.rum != "ncp"

    @property
    def worst(self) -> float:
        """What all records in one group have."""
        return {"ncp": 1.0, "discernibility": float(self.n) ** 2, "c-avg": self.n / self.k}[self.rum]

    def of_sizes(self, sizes: Rows) -> float:
        """The measure of groups of these sizes, where only sizes count."""
        if self.rum == "discernibility":
            return float((sizes.astype(np.float64) ** 2).sum())
        return self.n / (max(1, len(sizes)) * self.k)

    def now(self, lost: float, parts: Sequence[MergeableClusters]) -> float:
        """The measure of the clusters, each a group of its own; `lost` is their NCP summed over all records."""
        if not self.by_size:
            return lost / self.n
        return self.of_sizes(np.concatenate([part.sizes[part.sizes > 0] for part in parts]))

    def costs(self, part: MergeableClusters, others: Rows, unions: Reals) -> Reals:
        """What the union of a cluster with each of the others costs, for comparing; `unions` is its NCP."""
        if not self.by_size:
            return unions
        ranks = np.empty(len(others))
        ranks[np.lexsort((unions, part.sizes[others]))] = np.arange(len(others))
        return ranks

    def allowed(self, now: float, part: MergeableClusters, a: int, others: Rows, unions: Reals, bound: float) -> Mask:
        """Which unions of cluster a with the others keep the bound, given what the measure is now."""
        sizes, losses = part.sizes, part.losses
        if self.rum == "c-avg":
            groups = round(self.n / (now * self.k)) - 1
            return np.full(len(others), groups > 0 and self.n / (groups * self.k) <= bound)
        if self.rum == "discernibility":
            after = now + 2.0 * sizes[a] * sizes[others]
        else:
            growth = unions * (sizes[others] + sizes[a]) - losses[others] * sizes[others]
            after = now + (growth - losses[a] * sizes[a]) / self.n
        return np.asarray(after <= bound)
