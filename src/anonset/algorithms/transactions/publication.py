"""From the node of each item (or of each occurrence) to a release."""

from typing import Any

import numpy as np

from anonset.algorithms.base import provenance
from anonset.algorithms.recoding import exact_columns, items_at_nodes
from anonset.model.arrays import Ids
from anonset.model.dataset import Dataset
from anonset.model.guarantees import Guarantee, KmAnonymity
from anonset.model.release import Release, Trace


def km_release(algorithm: Any, data: Dataset, nodes: Ids, trace: Trace = ()) -> Release:
    """Every item published as its node: global recoding that is k^m-anonymous."""
    assert data.transactions is not None
    return release_at(algorithm, data, nodes[data.transactions.items], KmAnonymity(algorithm.k, algorithm.m), trace)


def release_at(algorithm: Any, data: Dataset, nodes: Ids, guarantee: Guarantee, trace: Trace = ()) -> Release:
    """Item occurrence p published as nodes[p]; all columns as they are."""
    return Release(
        exact_columns(data),
        items_at_nodes(data, nodes),
        (guarantee,),
        provenance(algorithm),
        np.arange(len(data), dtype=np.int64),
        trace=trace,
    )
