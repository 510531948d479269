"""A constraint-based release explained in sentences."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

SHOWN = 3


def explain_items(texts: Sequence[str], trace: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """A line for each generalized or suppressed item, from the texts of a release's labels and its trace.

    The first line sums up; each other one names members, support and the constraints that forced the change.
    """
    generalized = [row for row in trace if row["action"] == "generalized"]
    suppressed = [row for row in trace if row["action"] == "suppressed"]
    behind = sum(len(row["members"]) for row in generalized)
    gone = sum(len(row["members"]) for row in suppressed)
    exact = len(texts) - len(generalized)
    summary = (
        f"{exact} items are published as they are, {behind} as {len(generalized)} generalized items, {gone} are suppressed."
    )
    return (summary, *(_line(row) for row in generalized), *(_line(row) for row in suppressed))


def _line(row: Mapping[str, Any]) -> str:
    if row["action"] == "suppressed":
        return f"{row['item']} is suppressed: {'; '.join(_reasons(row))}."
    n = len(row["members"])
    return f"{row['item']} stands for {n} items and is in {row['support']} records: {'; '.join(_reasons(row))}."


def _reasons(row: Mapping[str, Any]) -> Iterator[str]:
    for reason in row["because"][:SHOWN]:
        together = " and ".join(reason["constraint"])
        yield f"{together} had support {reason['support']}, {row['k']} are asked for"
    if len(row["because"]) > SHOWN:
        yield f"and {len(row['because']) - SHOWN} more constraints"
