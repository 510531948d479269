"""COAT, as [003] section 2.4 and [001] section 2.3 describe it: generalize one item of a constraint at a time, or suppress.

Neither paper says which item; `pick` does.
"""

from dataclasses import dataclass
from typing import Annotated, ClassVar

from anonset.algorithms.constraints.protection import Pick, of_picked_item
from anonset.algorithms.constraints.run import UtilityBound, Wishes

Picking = Annotated[Pick, "which item of a constraint is generalized: the one of most or fewest records, or the first"]


@dataclass(frozen=True, slots=True)
class Coat(UtilityBound):
    """One item of the constraint is merged at a time; suppression only where no item of it can be merged any more."""

    pick: Picking = "commonest"
    name: ClassVar[str] = "coat"
    title: ClassVar[str] = "Constraint-based anonymization of transactions (COAT)"
    paper: ClassVar[str] = "[003] section 2.4"

    @property
    def wishes(self) -> Wishes:
        """The merge is chosen for one item."""
        return Wishes(of_picked_item(self.pick), self.utility)
