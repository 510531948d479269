"""Why each item was generalized or suppressed, as plain JSON objects, and in words."""

from collections import defaultdict
from typing import Any

from anonset.algorithms.constraints.clusters import Clusters
from anonset.algorithms.constraints.protection import History, Step
from anonset.algorithms.recoding import group_text
from anonset.model.release import Trace
from anonset.model.transactions import item_order


def trace_of(clusters: Clusters, history: History, k: int) -> Trace:
    """One object for each generalized item and each suppression: members, support, the constraints that forced it."""
    domain = clusters.transactions.domain
    forced: dict[int, list[Step]] = defaultdict(list)
    for step in history.merges:
        if (cluster := int(clusters.cluster_of[step.items[0]])) >= 0:
            forced[cluster].append(step)
    rows = [
        _row("generalized", sorted(items), int(clusters.supports[cluster]), forced[cluster], domain, k)
        for cluster, items in sorted(clusters.members.items())
        if len(items) > 1
    ]
    rows += [_row("suppressed", sorted(step.items), 0, [step], domain, k) for step in history.suppressions]
    return tuple(rows)


def _row(action: str, items: list[int], support: int, steps: list[Step], domain: tuple[str, ...], k: int) -> dict[str, Any]:
    names = [domain[i] for i in items]
    because: list[dict[str, Any]] = []
    for step in steps:
        constraint = [domain[i] for i in step.constraint]
        if not because or because[-1]["constraint"] != constraint:
            because.append({"constraint": constraint, "support": step.support})
    return {
        "action": action,
        "item": group_text(item_order(names)),
        "members": names,
        "support": support,
        "k": k,
        "because": because,
    }
