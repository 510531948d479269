"""Apriori, COAT and PCTA over k: runs that [001] and [003] share."""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

from anonset.model.dataset import Dataset
from anonset_papers.claims import Experiment, Row, Value
from anonset_papers.materials import Materials
from anonset_papers.trials import LeafOrder, Questions, labelled, questions, trial, with_balanced

K_VALUES = (2, 3, 5, 7, 10, 15, 20, 25, 30, 40, 50, 75, 100)
FEW_K = (2, 5, 10, 25, 50)


class Run(NamedTuple):
    """An algorithm, what it is given, and the order of the leaves of its hierarchy."""

    algorithm: str
    values: Mapping[str, Any] = {}
    leaves: LeafOrder = "id"


RUNS: Mapping[str, Run] = {
    "aa": Run("aa"),
    "coat": Run("coat", {"pick": "commonest"}),
    "pcta": Run("pcta"),
    "aa, support": Run("aa", leaves="support"),
    "coat, rarest": Run("coat", {"pick": "rarest"}),
    "coat, first": Run("coat", {"pick": "first"}),
}
ALGORITHMS = ("aa", "coat", "pcta")
SWEPT = ("aa, support", "coat, rarest")  # variants, for some k


def run_of(name: str, data: Mapping[LeafOrder, Dataset], values: Mapping[str, Any], **more: Any) -> dict[str, Value]:
    """The figures of one of the runs, on the data with its hierarchy."""
    run = RUNS[name]
    return {**trial(data[run.leaves], run.algorithm, {**values, **run.values}, **more), "algorithm": name}


def with_leaves(data: Dataset) -> dict[LeafOrder, Dataset]:
    """The data with both hierarchies that the runs ask for."""
    return {"id": with_balanced(data), "support": with_balanced(data, order="support")}


def sweep_k(materials: Materials, source: str) -> Iterator[Row]:
    """k^2-anonymity by all three algorithms, and for some k by their variants: accuracy, losses and risk."""
    data = with_leaves(materials.data(source))
    asked: Questions = questions(data["id"], materials.pick(1000, 100))
    for k in materials.pick(K_VALUES, (2, 5, 10, 25)):
        for name in (*ALGORITHMS, *SWEPT) if k in FEW_K else ALGORITHMS:
            yield labelled(run_of(name, data, {"k": k, "m": 2}, asked=asked, ids=("risk-protected",)), data=source, k=k)


SWEEP_WV1 = Experiment("k on WV1", ("WV1",), partial(sweep_k, source="WV1"))
SWEEP_WV2 = Experiment("k on WV2", ("WV2",), partial(sweep_k, source="WV2"))
