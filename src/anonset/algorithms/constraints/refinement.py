"""Split generalized items again where the constraints allow it: each split lowers the utility loss."""

from anonset.algorithms.constraints.clusters import Clusters
from anonset.algorithms.constraints.queues import Queue
from anonset.model.progress import Progress


def split_again(clusters: Clusters, queue: Queue, progress: Progress) -> None:
    """Take items out of generalized items, the most frequent first, as long as no constraint opens.

    The largest generalized items, which cost most, come first. An item may leave alone; what is left may lose more.
    """
    supports = clusters.transactions.supports
    large = sorted((c for c, items in clusters.members.items() if len(items) > 1), key=lambda c: (-clusters.sizes[c], c))
    for done, cluster in enumerate(large):
        rest = cluster
        for item in sorted(clusters.members[cluster], key=lambda i: (-supports[i], i)):
            if clusters.sizes[rest] > 1:
                rest = _without(clusters, queue, rest, item)
        progress(done / len(large))


def _without(clusters: Clusters, queue: Queue, cluster: int, item: int) -> int:
    """Take an item out of a cluster if that opens nothing; return the cluster that the others are in."""
    rest = clusters.take_out(item)
    if queue.lets_out(item, cluster, rest):
        return rest
    queue.merging(cluster, max(item, rest))
    clusters.merge(cluster, max(item, rest))
    return cluster
