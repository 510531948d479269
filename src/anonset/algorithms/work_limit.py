"""Refuse work whose estimated cost exceeds the limit."""

from anonset.errors import InfeasibleError
from anonset.model.arrays import Rows
from anonset.model.sets import subsets
from anonset.threads import environment_limit

RAISED_BY = "ANONSET_MOST_SETS"  # environment variable
MOST_SETS = 20_000_000_000  # pairs of a record and a set of its items: some minutes of work


def require_countable(lengths: Rows, size: int) -> None:
    """Raise InfeasibleError if records of these lengths hold more itemsets of the size than the limit."""
    sets = subsets(lengths, size)
    most = environment_limit(RAISED_BY, MOST_SETS)
    if sets > most:
        raise InfeasibleError(
            f"the records hold {sets:.1e} sets of {size} items, more than the limit of {most:.1e}: "
            f"choose a smaller m, or raise the limit with {RAISED_BY}"
        )
