"""The registry: every algorithm by its id, and the one way in for everything a person typed."""

from collections.abc import Mapping
from typing import Any

from anonset.algorithms.base import Algorithm
from anonset.algorithms.constraints.coat import Coat
from anonset.algorithms.constraints.pcta import Pcta
from anonset.algorithms.constraints.upcta import Upcta
from anonset.algorithms.identity import Identity
from anonset.algorithms.nonreciprocal.cahd import Cahd
from anonset.algorithms.nonreciprocal.nr_k import GrayRing, NrKWalks
from anonset.algorithms.nonreciprocal.nr_l import NrLWalks
from anonset.algorithms.relational.bottom_up import BottomUp
from anonset.algorithms.relational.cluster import Cluster
from anonset.algorithms.relational.incognito import Incognito
from anonset.algorithms.relational.mondrian import Mondrian
from anonset.algorithms.relational.peel import Peel
from anonset.algorithms.relational.top_down import TopDown
from anonset.algorithms.rt.first import RFirst, TFirst
from anonset.algorithms.rt.merge import RmergeR, RmergeRT, RmergeT, TmergeR, TmergeRT, TmergeT
from anonset.algorithms.rt.search import RtSearch
from anonset.algorithms.transactions.aa import Aa
from anonset.algorithms.transactions.da import Da
from anonset.algorithms.transactions.lift import Lift
from anonset.algorithms.transactions.lra import Lra
from anonset.algorithms.transactions.oa import Oa
from anonset.algorithms.transactions.partition import Partition
from anonset.algorithms.transactions.vpa import Vpa
from anonset.errors import ParameterError
from anonset.model.naming import unknown
from anonset.model.parameters import parse_values

ALGORITHMS: dict[str, type[Algorithm]] = {
    "identity": Identity,
    "oa": Oa,
    "da": Da,
    "aa": Aa,
    "vpa": Vpa,
    "lra": Lra,
    "lift": Lift,
    "partition": Partition,
    "coat": Coat,
    "pcta": Pcta,
    "upcta": Upcta,
    "cluster": Cluster,
    "mondrian": Mondrian,
    "incognito": Incognito,
    "top-down": TopDown,
    "bottom-up": BottomUp,
    "peel": Peel,
    "r-first": RFirst,
    "t-first": TFirst,
    "rmerge-r": RmergeR,
    "rmerge-t": RmergeT,
    "rmerge-rt": RmergeRT,
    "tmerge-r": TmergeR,
    "tmerge-t": TmergeT,
    "tmerge-rt": TmergeRT,
    "rt-search": RtSearch,
    "nr-k": NrKWalks,
    "nr-l": NrLWalks,
    "gray-ring": GrayRing,
    "cahd": Cahd,
}


def make(name: str, values: Mapping[str, Any]) -> Algorithm:
    """The algorithm of that id with these parameter values."""
    if name not in ALGORITHMS:
        raise ParameterError(unknown("algorithm", name, ALGORITHMS))
    return ALGORITHMS[name](**parse_values(ALGORITHMS[name], values))
