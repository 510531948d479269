"""The graph of [004] 4.4: the union of l assignments, each walked greedily through the complete graph (Algorithms 1 and 2)."""

import numpy as np

from anonset.algorithms.nonreciprocal.diversity import RecordLabels
from anonset.algorithms.nonreciprocal.kernels.greedy_walks import greedy_assignment
from anonset.algorithms.nonreciprocal.kernels.walks import Posts
from anonset.algorithms.nonreciprocal.rings import Chance
from anonset.errors import InfeasibleError
from anonset.model.arrays import Rows
from anonset.model.progress import Progress
from anonset.model.transactions import Transactions


def greedy_graph(
    records: Transactions,
    rows: Rows,
    labels: RecordLabels,
    l: int,  # noqa: E741 - the papers' letter
    chance: Chance,
    progress: Progress,
) -> Posts:
    """The l published records that each original may be, both by their place in the order; their own labels all differ.

    Their own labels: which labels they carry once an assignment is drawn is another matter, and may repeat.
    """
    ordered, codes = records.take(rows), labels.codes[rows]
    n = len(rows)
    posts = np.empty((n, l), np.int32)
    for done in range(l):
        starts = chance.shuffled(np.arange(n, dtype=np.int64))
        assigned, steps = greedy_assignment(ordered.offsets, ordered.items, codes, posts, done, starts)
        if steps < 0:
            raise InfeasibleError(f"greedy walks found {done} of the {l} assignments that keep labels apart; use rings")
        posts[:, done] = assigned
        progress((done + 1) / l)
    return posts
