"""How a nonreciprocal release came about, in sentences."""

from collections.abc import Mapping, Sequence
from typing import Any

ORDERS = {"input": "as they came", "gray": "in Gray order", "gray-tsp": "after local search"}


def explain_steps(trace: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """A sentence for each step."""
    return tuple(_sentence(entry) for entry in trace)


def _sentence(entry: Mapping[str, Any]) -> str:
    match entry["step"]:
        case "order":
            lengths = [f"{length:,} {ORDERS[order]}" for order, length in entry["length"].items()]
            return f"The distances of neighbours, all round, add up to {', '.join(lengths)}."
        case "rings":
            return (
                f"The records stand in {entry['number']:,} rings." if entry["number"] > 1 else "All records stand in one ring."
            )
        case "groups":
            return f"There are {entry['number']:,} groups; {entry['left at the end']:,} records were left for the last of them."
        case _:
            walked = entry["steps walked"]
            return f"{len(walked):,} assignments were found in {sum(walked):,} steps, and one of them was drawn."
