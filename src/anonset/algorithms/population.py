"""Guarantees counted in the population.

1. Run an algorithm on the whole population, so that what it decides keeps k people of the population alike.
2. Publish the people of the data alone, as they are shown there, with the guarantee that counts the population.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from anonset.algorithms.base import Algorithm
from anonset.algorithms.recoding import exact_column
from anonset.errors import Fix, ParameterError, Set
from anonset.model.dataset import Dataset
from anonset.model.guarantees import Guarantee, KAnonymity, KKm, KKmMap, KmAnonymity, KMap, KmMap, PartialItems
from anonset.model.progress import Progress, silent
from anonset.model.release import Release

Anonymize = Callable[..., Release]


def require_counts_population(algorithm: Algorithm, able: Sequence[str]) -> None:
    """Raise unless the algorithm declares that what it decides for all people can be published of some of them."""
    if not getattr(algorithm, "counts_population", False):
        fix = [Fix("choose {}", Set("algorithm", able)), Fix("read the data without {}", Set("population"))]
        raise ParameterError(f"{algorithm.name} cannot count the people of a population:", fix=fix)


def of_population(anonymize: Anonymize, data: Dataset, progress: Progress = silent) -> Release:
    """Return the release of the data that an algorithm's `anonymize` makes where people of the population are counted."""
    whole = data.population
    assert whole is not None
    everybody = anonymize(whole, progress=progress)  # step 1
    release = everybody.take((everybody.rows < len(data)).nonzero()[0])  # step 2
    shown = {column.name: column for column in release.quasi}
    held = data.take(release.rows)
    columns = tuple(shown.get(column.name) or exact_column(column) for column in held.columns)
    guarantees = tuple(in_population(guarantee, len(whole)) for guarantee in release.guarantees)
    return replace(release, columns=columns, guarantees=guarantees, trace=())


def in_population(guarantee: Guarantee, population: int) -> Guarantee:
    """The guarantee with people of the population counted instead of records."""
    if isinstance(guarantee, KAnonymity):
        return KMap(guarantee.k, population)
    if isinstance(guarantee, KmAnonymity):
        return KmMap(guarantee.k, population, m=guarantee.m)
    if isinstance(guarantee, KKm):
        return KKmMap(guarantee.k, population, m=guarantee.m)
    if isinstance(guarantee, PartialItems):
        return guarantee
    raise ParameterError(
        f"{guarantee.id} cannot be counted in a population", fix=[Fix("read the data without {}", Set("population"))]
    )
