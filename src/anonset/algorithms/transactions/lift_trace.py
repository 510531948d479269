"""Why occurrences were lifted, summed up by item, as plain JSON objects, and in words.

Actions: "lifting", the sum of all; "lifted", one for each of the items that were lifted most. An occurrence is lifted because
its item is rare, because of the item of its record that it is rarest with, or because others were lifted before it.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from anonset.algorithms.transactions._kernels.occurrences import rarest_partners
from anonset.model.arrays import Ids, Rows
from anonset.model.dataset import Transactions
from anonset.model.hierarchy import Hierarchy
from anonset.model.release import Trace

ITEMS = 200  # that are explained one by one
REASONS = 3  # given for each


def lifted_rows(t: Transactions, tree: Hierarchy, nodes: Ids, k: int) -> Trace:
    """Return what became of the occurrences of linkable items, and why."""
    lifted = nodes != t.items
    totals = t.supports
    count = np.bincount(t.items[lifted], minlength=len(t.domain))
    order = np.argsort(-count, kind="stable")[: min(ITEMS, int((count > 0).sum()))]
    explained = np.zeros(len(t.domain), np.bool_)
    explained[order] = True
    partner, support = rarest_partners(t.offsets, t.items, lifted, explained)
    summary = {
        "action": "lifting",
        "occurrences": len(t.items),
        "lifted": int(lifted.sum()),
        "at_root": int((nodes == tree.root).sum()) if len(tree) > 1 else 0,
        "left_out": int((nodes < 0).sum()),
        "items": int((count > 0).sum()),
        "k": k,
    }
    at = np.flatnonzero(lifted & explained[t.items])
    items = t.items[at].astype(np.int64)
    rare = at[(support[at] < k) & (partner[at] >= 0) & (totals[items] >= k)]
    labels = _commonest(items, nodes[at].astype(np.int64) + 1, len(tree) + 1)
    partners = _commonest(t.items[rare].astype(np.int64), partner[rare].astype(np.int64), len(t.domain))
    many_rare = np.bincount(t.items[rare], minlength=len(t.domain))
    rows = []
    for i in order.tolist():
        row = {"action": "lifted", "item": t.domain[i], "records": int(totals[i]), "lifted": int(count[i])}
        because = [
            {"with": t.domain[a], "support": int(support[rare[first]]), "records": n} for a, first, n in partners.get(i, ())
        ]
        if totals[i] < k:
            row |= {"alone": int(count[i]), "because": [], "follow": 0}
        else:
            row |= {"alone": 0, "because": because, "rare": int(many_rare[i]), "follow": int(count[i] - many_rare[i])}
        rows.append(row | {"to": {tree.labels[a - 1] if a > 0 else "": n for a, _, n in labels[i]}})
    return (summary, *rows)


def _commonest(items: Rows, values: Rows, n_values: int) -> dict[int, list[tuple[int, int, int]]]:
    """Return the values that are most often with each item: the value, a place where it is, and how often."""
    keys, first, many = np.unique(items * n_values + values, return_index=True, return_counts=True)
    owners, found = np.divmod(keys, n_values)
    order = np.lexsort([found, -many, owners])
    starts = np.flatnonzero(np.append(True, owners[1:] != owners[:-1])) if len(owners) else np.zeros(0, np.int64)
    explained = {}
    for start, stop in zip(starts.tolist(), [*starts[1:].tolist(), len(owners)], strict=False):
        best = order[start : min(stop, start + REASONS)]
        explained[int(owners[start])] = list(zip(found[best].tolist(), first[best].tolist(), many[best].tolist(), strict=True))
    return explained


def explain(trace: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """Return a sentence that sums up, and one for each item of the trace."""
    return tuple(_sentence(row) for row in trace)


def _sentence(row: Mapping[str, Any]) -> str:
    if row["action"] == "lifting":
        n = max(1, row["occurrences"])
        built = f" The hierarchy was built: {row['hierarchy']}." if row.get("hierarchy") else ""
        return (
            f"{1 - row['lifted'] / n:.1%} of {row['occurrences']} item occurrences are published as they are; {row['lifted']}, "
            f"of {row['items']} items, are not: {row['at_root']} are at the root, {row['left_out']} left out."
            f"{built}"
        )
    labels = ", ".join(f"{label or 'nothing'} ({n})" for label, n in row["to"].items())
    reasons = "; ".join(_why(row))
    return f"{row['item']} is lifted in {row['lifted']} of {row['records']} records, to {labels}: {reasons}."


def _why(row: Mapping[str, Any]) -> Iterator[str]:
    if row["alone"]:
        yield f"only {row['records']} records have it"
    given = 0
    for reason in row["because"]:
        given += reason["records"]
        yield f"{reason['support']} records have it with {reason['with']}"
    if row.get("rare", 0) > given:
        yield f"{row['rare'] - given} times it is rare with others"
    if row["follow"]:
        yield f"{row['follow']} times because other labels were lifted, or because of larger sets"
