"""The trace of RT algorithms: how clusters were formed and what they lose, as plain JSON objects; and sentences about a row.

Actions, in order: "formed" (initial clusters, with their rows), "joined" (clusters that could not be protected alone),
"merged", "moved" (refinement, or a cluster cut in two), "generalized" (final clusters, with their losses); "traded" lists the
points of the trade-off for delta = auto, "tried" the starts of a search.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from anonset.algorithms.rt.cluster_merge import ClusterMerge, Solution
from anonset.algorithms.rt.item_step import ItemOutcome
from anonset.algorithms.rt.local_search import Change
from anonset.algorithms.rt.refinement import RowMove
from anonset.errors import ParameterError
from anonset.model.arrays import Reals, Rows
from anonset.model.release import Trace


def formed_rows(clusters: Sequence[Rows], losses: Reals) -> Trace:
    """A row for each initial cluster."""
    return tuple(
        {"action": "formed", "cluster": c, "records": len(rows), "ncp": float(losses[c]), "rows": rows.tolist()}
        for c, rows in enumerate(clusters)
    )


def joined_rows(pairs: Sequence[tuple[int, int]]) -> Trace:
    """A row for each pair that was joined because one could not be protected alone."""
    return tuple({"action": "joined", "cluster": min(a, b), "from": [a, b]} for a, b in pairs)


def merged_rows(steps: Sequence[ClusterMerge], n: int) -> Trace:
    """A row for each merge, with the NCP of all records after it."""
    return tuple(
        {
            "action": "merged",
            "cluster": step.name,
            "from": [step.seed, step.partner],
            "records": step.records,
            "ncp": step.lost / n,
        }
        for step in steps
    )


def traded_rows(solutions: Sequence[Solution]) -> Trace:
    """A row for each point of the trade-off; the chosen one comes first."""
    return tuple(
        {"action": "traded", "clusters": len(s.outcomes), "ncp": s.ncp, "ul": s.ul, "chosen": p == 0}
        for p, s in enumerate(solutions)
    )


class StartTrial(NamedTuple):
    """A start of a search: its NCP and its value (None: beyond the bound), and whether it is the best so far.

    `blank` is the share of the records in which the column that says least says nothing.
    """

    name: str
    clusters: int
    ncp: float
    value: float | None
    blank: float
    taken: bool


def tried_rows(tried: Sequence[StartTrial]) -> Trace:
    """A row for each start of a search, in the order of trial."""
    return tuple({"action": "tried", **one._asdict()} for one in tried)


def changed_rows(changes: Sequence[Change], n: int) -> Trace:
    """A row for each merge, and one for each record that a cut put into a new cluster."""
    found: list[dict[str, Any]] = []
    for change in changes:
        first, *rest = change.new
        if len(change.old) > 1:
            records = len(change.new[first].rows)
            found.append(
                {"action": "merged", "cluster": first, "from": list(change.old), "records": records, "ncp": change.lost / n}
            )
        for name in rest:
            found += [
                {"action": "moved", "row": int(r), "from": [change.old[0]], "cluster": name} for r in change.new[name].rows
            ]
    return tuple(found)


def moved_rows(moves: Sequence[RowMove]) -> Trace:
    """A row for each record that changed its cluster."""
    return tuple({"action": "moved", "row": m.row, "from": [m.source], "cluster": m.target} for m in moves)


def generalized_rows(outcomes: Mapping[int, ItemOutcome], losses: Mapping[int, float]) -> Trace:
    """A row for each final cluster: its size, NCP, UL, and the share of its published items that are generalized."""
    return tuple(
        {
            "action": "generalized",
            "cluster": name,
            "records": len(outcome.rows),
            "ncp": losses[name],
            "ul": outcome.lost / len(outcome.rows),
            "generalized": outcome.general / max(1, len(outcome.shown)),
        }
        for name, outcome in sorted(outcomes.items())
    )


def explain(trace: Sequence[Mapping[str, Any]], row: int) -> tuple[str, ...]:
    """Sentences about one input row: its cluster, the merges of this cluster, and what values and items lose in the end."""
    start = next((t for t in trace if t["action"] == "formed" and row in t["rows"]), None)
    if start is None:
        last = max((r for t in trace if t["action"] == "formed" for r in t["rows"]), default=-1)
        raise ParameterError(f"no cluster holds row {row}; input rows are counted from 0, and the last in a cluster is {last}")
    here = start["cluster"]
    lines = [f"Row {row} starts in cluster {here} with {start['records'] - 1} others, of the most similar quasi values."]
    for t in trace:
        if t["action"] in ("joined", "merged") and here in t["from"]:
            other = t["from"][0] if t["from"][1] == here else t["from"][1]
            lines.append(_joined_or_merged(t, here, other))
            here = t["cluster"]
        elif t["action"] == "moved" and t["row"] == row:
            lines.append(f"The row moves from cluster {here} to cluster {t['cluster']}, where it costs less.")
            here = t["cluster"]
        elif t["action"] == "generalized" and t["cluster"] == here:
            lines.append(
                f"Cluster {here} is published with {t['records']} records: NCP {t['ncp']:.4f}, UL {t['ul']:.4f},"
                f" {t['generalized']:.0%} of its items are generalized."
            )
    return tuple(lines)


def _joined_or_merged(t: Mapping[str, Any], here: int, other: int) -> str:
    if t["action"] == "joined":
        return f"Cluster {here} joins cluster {other}: one of them could not be protected alone."
    return f"Cluster {here} merges with cluster {other}: {t['records']} records, NCP of all records {t['ncp']:.4f}."
