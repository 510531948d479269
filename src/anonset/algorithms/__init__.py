"""The registry: every algorithm by its id, built in or from a plug-in."""

from collections.abc import Mapping
from typing import Any, Literal

from anonset.algorithms.base import Algorithm, faults
from anonset.algorithms.population import counts, no_counts, of_population, of_sample
from anonset.model.dataset import Dataset
from anonset.model.parameters import parse_values
from anonset.model.progress import Progress, silent
from anonset.model.release import Release
from anonset.plugins import ALGORITHM_GROUP, Registry

BUILT_IN = {
    "identity": "identity:Identity",
    "aa": "transactions.aa:Aa",
    "vpa": "transactions.vpa:Vpa",
    "lra": "transactions.lra:Lra",
    "lift": "transactions.lift:Lift",
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
}
# Comparators of the papers that no user needs: plug-ins of the distribution anonset-papers.
COMPARATORS = dict.fromkeys(("oa", "da", "partition", "gray-ring", "cahd"), "papers")

ALGORITHMS: Registry[type[Algorithm]] = Registry(
    "algorithm", ALGORITHM_GROUP, {id: f"anonset.algorithms.{home}" for id, home in BUILT_IN.items()}, faults, COMPARATORS
)


def make(name: str, values: Mapping[str, Any]) -> Algorithm:
    """Return the algorithm of an id with parameter values as a person typed them.

    Parameters
    ----------
    name : str
        The id of a built-in algorithm or of a plug-in's.
    values : mapping of str to object
        The parameters by name; texts are converted to the declared types.

    Returns
    -------
    Algorithm
        Ready to run.

    Raises
    ------
    ParameterError
        If the id or a parameter is unknown, or if a value is out of range.

    Examples
    --------
    >>> from anonset.algorithms import make
    >>> make("aa", {"k": "5"}).k
    5
    """
    algorithm = ALGORITHMS.find(name)
    return algorithm(**parse_values(algorithm, values))


def run(algorithm: Algorithm, data: Dataset, progress: Progress = silent) -> Release:
    """Return the release that an algorithm makes, counted in the population where the data have one.

    An error in the code of a plug-in names the plug-in.
    """
    if not counts(algorithm, data):
        raise no_counts(algorithm, data, [name for name in BUILT_IN if counts(ALGORITHMS[name], data)])
    with ALGORITHMS.blamed(algorithm.name):
        if data.population is not None:
            return of_population(algorithm.anonymize, data, progress)
        if data.sampling is not None:
            return of_sample(algorithm, data, progress)
        return algorithm.anonymize(data, progress=progress)


Kind = Literal["quasi", "items", "both"]
RECOMMENDED: dict[Kind, tuple[str, dict[str, Any]]] = {
    "quasi": ("peel", {}),
    "items": ("lift", {}),
    "both": ("rt-search", {}),
}
