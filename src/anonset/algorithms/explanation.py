"""Explain a release in sentences, from the trace that its algorithm recorded."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from anonset.algorithms.rt.trace import explain as explain_record
from anonset.algorithms.transactions.lift_trace import explain as explain_lifted
from anonset.errors import InputError, ParameterError

MOST_NAMES = 3  # items of a label that are listed
MOST_REASONS = 3  # constraints that are listed for an item


def explain(
    members: Mapping[str, Sequence[str]], trace: Sequence[Mapping[str, Any]], row: int | None = None
) -> tuple[str, ...]:
    """Sentences on why items are published as they are, what each cluster lost, or how one input row was treated.

    `members` lists the items behind each label; without a trace, only these are explained.
    """
    if not trace and not members:
        raise InputError("the release cannot be explained: it has no private/ folder, or neither items nor a trace")
    actions = {entry.get("action") for entry in trace}
    if "formed" in actions:
        return _clusters(trace) if row is None else explain_record(trace, row)
    if row is not None:
        raise ParameterError("the trace of this release explains items, not rows")
    if "lifting" in actions:
        return explain_lifted(trace)
    if trace and all("step" in entry for entry in trace):
        return explain_steps(trace)
    if actions <= {"generalized", "suppressed"}:
        return explain_items(tuple(members), trace) if trace else _labels(members)
    return tuple(", ".join(f"{name} {value}" for name, value in entry.items()) for entry in trace)


def _labels(members: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """Sentences on the labels of several items, the widest label first."""
    wide = sorted((text for text in members if len(members[text]) > 1), key=lambda text: -len(members[text]))
    if not wide:
        return (f"All {len(members)} items are published as they are: nothing had to be generalized.",)
    behind = sum(len(members[text]) for text in wide)
    exact = len(members) - len(wide)
    summary = f"{exact} items are published as they are, {behind} as {len(wide)} generalized items."
    return summary, *(f"{text} stands for {len(members[text])} items: {_listed(members[text])}." for text in wide)


def _listed(names: Sequence[str]) -> str:
    """The first names, separated by commas."""
    return ", ".join(names[:MOST_NAMES]) + (", ..." if len(names) > MOST_NAMES else "")


def _clusters(trace: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """Sentences on the final clusters, those with the highest loss of items first."""
    final = sorted((t for t in trace if t["action"] == "generalized"), key=lambda t: -t["ul"])
    counts = {action: sum(t["action"] == action for t in trace) for action in ("formed", "joined", "merged", "moved")}
    summary = (
        f"{counts['formed']} clusters were formed, {counts['joined']} joined because they could not be protected alone, "
        f"{counts['merged']} merged within the bound; {counts['moved']} records moved; {len(final)} clusters are published."
    )
    rows = (
        f"Cluster {t['cluster']}: {t['records']} records, NCP {t['ncp']:.4f}, UL {t['ul']:.4f}, "
        f"{t['generalized']:.0%} of its items are generalized."
        for t in final
    )
    return summary, *rows


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


def explain_items(texts: Sequence[str], trace: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """A summary, then a sentence for each generalized or suppressed item: its members, its support and the constraints that
    forced the change. `texts` are those of the release's labels.
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
    for reason in row["because"][:MOST_REASONS]:
        together = " and ".join(reason["constraint"])
        yield f"{together} had support {reason['support']}, {row['k']} are asked for"
    if len(row["because"]) > MOST_REASONS:
        yield f"and {len(row['because']) - MOST_REASONS} more constraints"
