"""Item steps by name: `aa` and `lift` for all clusters at once, any other transaction algorithm as it is.

Where l > 1, `pcta`, `upcta` and `coat` go on until sensitive items are hidden, too; others are checked, and may fail.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from anonset.algorithms.constraints.pcta import ConstraintBased
from anonset.algorithms.rt.aa_step import AaStep
from anonset.algorithms.rt.any_step import AnyStep
from anonset.algorithms.rt.diverse_step import DiverseStep
from anonset.algorithms.rt.items import ItemStep
from anonset.algorithms.rt.lift_step import LiftStep
from anonset.errors import ParameterError
from anonset.model.dataset import Dataset
from anonset.model.parameters import parameters
from anonset.model.policy import UtilityPolicy
from anonset.model.ways import setting


class ItemPolicies(NamedTuple):
    """What is asked of the generalized items of every cluster."""

    utility: UtilityPolicy | None = None
    weights: str = "equal"

    def asked(self, name: str) -> dict[str, Any]:
        """The parameters of an item step that say so; an error where it has none for it.

        Nothing is suppressed in a cluster: an item that is left out here and shown elsewhere would be neither.
        """
        found: dict[str, Any] = {} if self.weights == "equal" else {"weights": self.weights}
        if self.utility is not None:
            found["utility"] = replace(self.utility, suppression=0.0)
        known = _names_of_parameters(name)
        for policy in found:
            if policy not in known:
                what = "utility policy" if policy == "utility" else "weights of items"
                raise ParameterError(f"items = {name} takes no {what}; choose pcta, upcta or coat")
        return found


NO_POLICIES = ItemPolicies()
HIDING = ("lift", "aa", "pcta", "upcta", "coat")  # steps that go on until sensitive items are hidden, where l > 1


def make_step(
    data: Dataset,
    name: str,
    k: int,
    m: int,
    l: int,  # noqa: E741 - the papers' letter
    policies: ItemPolicies = NO_POLICIES,
) -> ItemStep:
    """The item step of that name; it is given those of k, m and l that it takes. pcta with a utility policy is upcta."""
    from anonset.algorithms import make  # the registry lists the RT algorithms, too

    name = "upcta" if name == "pcta" and policies.utility is not None else name
    asked = policies.asked(name)
    if name == "aa":
        return AaStep(data, k, m, l)
    if name == "lift":
        return LiftStep(data, k, m, l)
    known = _names_of_parameters(name)
    values = {key: value for key, value in {"k": k, "m": m, "l": l}.items() if key in known}
    algorithm = make(name, values | asked)
    if l > 1 and isinstance(algorithm, ConstraintBased):
        return DiverseStep(data, algorithm, m, l)
    return AnyStep(data, algorithm, k, m, l)


def relaxations(name: str, l: int, policies: ItemPolicies = NO_POLICIES) -> str:  # noqa: E741 - the papers' letter
    """What helps where an item step cannot protect the items of all records together."""
    ways = ["lower k, m or l"]
    if policies.utility is not None:
        ways.append("join groups of the utility policy")
        if l > 1:
            ways.append(f"leave it out and take a step that goes beyond its groups: {setting('items', 'lift')}")
    elif l > 1 and name not in HIDING:
        ways.append(f"choose an item step that hides sensitive items: {_any_of(HIDING[:3])}")
    return ", or ".join(ways)


def _any_of(names: Sequence[str]) -> str:
    return " or ".join(setting("items", name) for name in names)


def _names_of_parameters(name: str) -> set[str]:
    from anonset.algorithms import ALGORITHMS

    return {p.name for p in parameters(ALGORITHMS[name])} if name in ALGORITHMS else {"k"}
