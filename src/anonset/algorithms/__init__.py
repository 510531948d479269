"""The registry: every algorithm by its id, and the one way in for everything a person typed."""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any, Literal

from anonset.algorithms.base import Algorithm
from anonset.errors import ParameterError, unknown
from anonset.model.parameters import parse_values

HOMES = {
    "identity": "identity:Identity",
    "oa": "transactions.oa:Oa",
    "da": "transactions.da:Da",
    "aa": "transactions.aa:Aa",
    "vpa": "transactions.vpa:Vpa",
    "lra": "transactions.lra:Lra",
    "lift": "transactions.lift:Lift",
    "partition": "transactions.partition:Partition",
    "coat": "constraints.pcta:Coat",
    "pcta": "constraints.pcta:Pcta",
    "upcta": "constraints.pcta:Upcta",
    "cluster": "relational.cluster:Cluster",
    "mondrian": "relational.mondrian:Mondrian",
    "incognito": "relational.incognito:Incognito",
    "top-down": "relational.full_subtree:TopDown",
    "bottom-up": "relational.full_subtree:BottomUp",
    "peel": "relational.peel:Peel",
    "r-first": "rt.merge:RFirst",
    "t-first": "rt.merge:TFirst",
    "rmerge-r": "rt.merge:RmergeR",
    "rmerge-t": "rt.merge:RmergeT",
    "rmerge-rt": "rt.merge:RmergeRT",
    "tmerge-r": "rt.merge:TmergeR",
    "tmerge-t": "rt.merge:TmergeT",
    "tmerge-rt": "rt.merge:TmergeRT",
    "rt-search": "rt.search:RtSearch",
    "nr-k": "nonreciprocal.nr_k:NrKWalks",
    "nr-l": "nonreciprocal.nr_l:NrLWalks",
    "gray-ring": "nonreciprocal.nr_k:GrayRing",
    "cahd": "nonreciprocal.cahd:Cahd",
}


class Registry(Mapping[str, type[Algorithm]]):
    """Each algorithm by its id; its file, and the kernels it needs, are loaded when it is first asked for."""

    def __getitem__(self, id: str) -> type[Algorithm]:
        module, _, name = HOMES[id].partition(":")
        found: type[Algorithm] = getattr(import_module(f"anonset.algorithms.{module}"), name)
        return found

    def __contains__(self, id: object) -> bool:
        return id in HOMES

    def __iter__(self) -> Iterator[str]:
        return iter(HOMES)

    def __len__(self) -> int:
        return len(HOMES)


ALGORITHMS = Registry()


def make(name: str, values: Mapping[str, Any]) -> Algorithm:
    """The algorithm of that id with these parameter values."""
    if name not in ALGORITHMS:
        raise ParameterError(unknown("algorithm", name, ALGORITHMS))
    return ALGORITHMS[name](**parse_values(ALGORITHMS[name], values))


Kind = Literal["quasi", "items", "both"]
RECOMMENDED: dict[Kind, tuple[str, dict[str, Any]]] = {
    "quasi": ("peel", {}),
    "items": ("lift", {}),
    "both": ("rt-search", {}),
}
