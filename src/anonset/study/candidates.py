"""What a recommendation tries, the most promising first, so that something good is there early."""

from typing import Any

from anonset.algorithms import ALGORITHMS, RECOMMENDED, Kind
from anonset.algorithms.base import Algorithm
from anonset.model.dataset import Dataset
from anonset.model.parameters import parameters
from anonset.study.plan import Setting

DELTAS = (0.25, 0.1, 0.5, 0.75)
ITEM_STEPS = ("lift", "pcta")
SHARE = 0.5  # of the whole time that an algorithm which searches by the clock may take: the others rarely beat it
LONGEST = 120.0  # seconds it may take at most


def candidates(data: Dataset, k: int, m: int, seed: int = 0, seconds: float = 120.0, *, values: int = 3) -> tuple[Setting, ...]:
    """The settings to try: the default for such data, then all algorithms that cover them.

    Of each algorithm its usual setting comes first, then others: bounds, item steps, refinement. A search is told how many
    quasi values the queries ask for at most.
    """
    kind = kind_of(data)
    first, more = RECOMMENDED[kind]
    clock = max(0.1, min(LONGEST, SHARE * seconds))
    shared = {"k": k, "m": m, "seed": seed, "seconds": clock, "values": values}
    found: list[tuple[int, Setting]] = [(0, Setting(0, first, _usual(ALGORITHMS[first], shared) | more))]
    for name, algorithm in ALGORITHMS.items():
        if _fits(algorithm, data):
            usual = _usual(algorithm, shared)
            found += [(tier, Setting(0, name, usual | more)) for tier, more in _variants(algorithm)]
    ordered = [setting for _, setting in sorted(found, key=lambda entry: entry[0])]
    return tuple(setting for p, setting in enumerate(ordered) if setting not in ordered[:p])


def kind_of(data: Dataset) -> Kind:
    """What an attacker may know of these data."""
    if data.transactions is None:
        return "quasi"
    return "both" if data.quasi else "items"


def _fits(algorithm: type[Algorithm], data: Dataset) -> bool:
    """Whether an algorithm is made for such data, covers all that may be known and is more than a baseline."""
    kind = {"quasi", "items"} if kind_of(data) == "both" else {kind_of(data)}
    declared = {p.name for p in parameters(algorithm)}
    has = kind | ({"item-hierarchy"} if data.item_hierarchy is not None else set())
    needs = algorithm.needs - {"item-hierarchy"} if "items" in declared else algorithm.needs  # those of the item step count
    return not algorithm.comparator and "k" in declared and needs <= has and kind <= algorithm.covers


def _usual(algorithm: type[Algorithm], shared: dict[str, Any]) -> dict[str, Any]:
    declared = {p.name for p in parameters(algorithm)}
    return {name: value for name, value in shared.items() if name in declared}


def _variants(algorithm: type[Algorithm]) -> list[tuple[int, dict[str, Any]]]:
    """Other settings, each with its tier: low ones are tried before all of a higher one."""
    declared = {p.name: p for p in parameters(algorithm)}
    searches = "seconds" in declared
    steps = ITEM_STEPS if "items" in declared and not searches else ("",)
    bounds: tuple[float | None, ...] = DELTAS if "delta" in declared else (None,)
    found: list[tuple[int, dict[str, Any]]] = []
    for b, bound in enumerate(bounds):
        for s, step in enumerate(steps):
            values = ({} if bound is None else {"delta": bound}) | ({"items": step} if step else {})
            found.append(((3 if searches else 1) + 2 * b + s, values))  # without a bound a search is there already
            if "refine" in declared:
                found.append((2 + 2 * b + s, values | {"refine": True}))
    return found
