"""A release explained in sentences, from the trace its algorithm left."""

from collections.abc import Mapping, Sequence
from typing import Any

from anonset.algorithms.constraints.explain import explain as explain_items
from anonset.algorithms.nonreciprocal.explain import explain as explain_steps
from anonset.algorithms.rt.trace import explain as explain_record
from anonset.algorithms.transactions.lift_trace import explain as explain_lifted
from anonset.errors import InputError, ParameterError

SHOWN = 8


def explain(
    members: Mapping[str, Sequence[str]], trace: Sequence[Mapping[str, Any]], row: int | None = None
) -> tuple[str, ...]:
    """Why items are shown as they are, what each cluster lost, or the way of one input row.

    `members` has the items behind each label; without a trace they are all there is to tell.
    """
    if not trace and not members:
        raise InputError("nothing tells how this release came about: private/ is not there, or it has no items and no trace")
    actions = {entry.get("action") for entry in trace}
    if "formed" in actions:
        return _clusters(trace) if row is None else explain_record(trace, row)
    if row is not None:
        raise ParameterError("the trace of this release tells about items, not about rows")
    if "lifting" in actions:
        return explain_lifted(trace)
    if trace and all("step" in entry for entry in trace):
        return explain_steps(trace)
    if actions <= {"generalized", "suppressed"}:
        return explain_items(tuple(members), trace) if trace else _labels(members)
    return tuple(", ".join(f"{name} {value}" for name, value in entry.items()) for entry in trace)


def _labels(members: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """The labels that stand for several items, the widest first."""
    wide = sorted((text for text in members if len(members[text]) > 1), key=lambda text: -len(members[text]))
    if not wide:
        return (f"All {len(members)} items are published as they are: nothing had to be generalized.",)
    behind = sum(len(members[text]) for text in wide)
    exact = len(members) - len(wide)
    summary = f"{exact} items are published as they are, {behind} as {len(wide)} generalized items."
    return summary, *(f"{text} stands for {len(members[text])} items: {_shown(members[text])}." for text in wide)


def _shown(names: Sequence[str]) -> str:
    return ", ".join(names[:SHOWN]) + (", ..." if len(names) > SHOWN else "")


def _clusters(trace: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """The final clusters, the ones whose items lose most first."""
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
