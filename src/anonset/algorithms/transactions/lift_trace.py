"""Why occurrences were lifted, summed up by item, as plain JSON objects, and in words.

Actions: "lifting", the sum of all; "lifted", one for each of the items that were lifted most. An occurrence is lifted because
its item is rare, because of the item of its record that it is rarest with, or because others were lifted before it.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from anonset.algorithms.transactions.kernels.partners import rarest_partners
from anonset.model.arrays import Ids, Rows
from anonset.model.hierarchy import Hierarchy
from anonset.model.release import Trace
from anonset.model.transactions import Transactions

ITEMS = 200  # that are told of one by one
REASONS = 3  # told for each


def lifted_rows(t: Transactions, tree: Hierarchy, nodes: Ids, k: int) -> Trace:
    """What became of the occurrences of linkable items, and why."""
    lifted = nodes != t.items
    totals = t.supports
    count = np.bincount(t.items[lifted], minlength=len(t.domain))
    order = np.argsort(-count, kind="stable")[: min(ITEMS, int((count > 0).sum()))]
    told = np.zeros(len(t.domain), np.bool_)
    told[order] = True
    partner, support = rarest_partners(t.offsets, t.items, lifted, told)
    summary = {
        "action": "lifting",
        "occurrences": len(t.items),
        "lifted": int(lifted.sum()),
        "at_root": int((nodes == tree.root).sum()) if len(tree) > 1 else 0,
        "left_out": int((nodes < 0).sum()),
        "items": int((count > 0).sum()),
        "k": k,
    }
    at = np.flatnonzero(lifted)
    at = at[np.argsort(t.items[at], kind="stable")]
    bounds = np.concatenate([[0], np.cumsum(count)])
    rows = []
    for i in order.tolist():
        here = at[bounds[i] : bounds[i + 1]]
        row = {"action": "lifted", "item": t.domain[i], "records": int(totals[i]), "lifted": len(here)}
        rows.append(row | _reasons(t, here, partner, support, int(totals[i]), k) | {"to": _labels(tree, nodes[here])})
    return (summary, *rows)


def _reasons(t: Transactions, here: Rows, partner: Ids, support: Rows, total: int, k: int) -> dict[str, Any]:
    """Because of what the occurrences at these places were lifted, the most frequent reasons first."""
    if total < k:
        return {"alone": len(here), "because": [], "follow": 0}
    rare = here[(support[here] < k) & (partner[here] >= 0)]
    found, first, many = np.unique(partner[rare], return_index=True, return_counts=True)
    order = np.argsort(-many, kind="stable")[:REASONS]
    because = [
        {"with": t.domain[found[a]], "support": int(support[rare[first[a]]]), "records": int(many[a])} for a in order.tolist()
    ]
    return {"alone": 0, "because": because, "rare": len(rare), "follow": len(here) - len(rare)}


def _labels(tree: Hierarchy, nodes: Ids) -> dict[str, int]:
    """How many of the nodes are shown as which label; "" where nothing is shown."""
    found, many = np.unique(nodes, return_counts=True)
    order = np.argsort(-many, kind="stable")[:REASONS]
    return {tree.labels[found[a]] if found[a] >= 0 else "": int(many[a]) for a in order.tolist()}


def explain(trace: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """A sentence that sums up, and one for each item of the trace."""
    return tuple(_sentence(row) for row in trace)


def _sentence(row: Mapping[str, Any]) -> str:
    if row["action"] == "lifting":
        n = max(1, row["occurrences"])
        return (
            f"{1 - row['lifted'] / n:.1%} of {row['occurrences']} item occurrences are published as they are; {row['lifted']}, "
            f"of {row['items']} items, are not: {row['at_root']} are at the root, {row['left_out']} left out."
        )
    labels = ", ".join(f"{label or 'nothing'} ({n})" for label, n in row["to"].items())
    reasons = "; ".join(_why(row))
    return f"{row['item']} is lifted in {row['lifted']} of {row['records']} records, to {labels}: {reasons}."


def _why(row: Mapping[str, Any]) -> Iterator[str]:
    if row["alone"]:
        yield f"only {row['records']} records have it"
    told = 0
    for reason in row["because"]:
        told += reason["records"]
        yield f"{reason['support']} records have it with {reason['with']}"
    if row.get("rare", 0) > told:
        yield f"{row['rare'] - told} times it is rare with others"
    if row["follow"]:
        yield f"{row['follow']} times because other labels were lifted, or because of larger sets"
