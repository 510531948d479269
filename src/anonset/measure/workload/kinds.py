"""The kinds of workloads that can be drawn, by name."""

from collections.abc import Callable
from inspect import signature
from typing import Any, NamedTuple

from anonset.errors import ParameterError
from anonset.measure.workload.generators import frequent_queries, generalized_queries, presence_queries
from anonset.measure.workload.queries import Workload
from anonset.measure.workload.record_queries import held_queries, random_queries
from anonset.model.dataset import Dataset
from anonset.model.release import Release


class WorkloadKind(NamedTuple):
    """A generator, and what its queries ask for; one of a release is drawn from its published items."""

    generator: Callable[..., Workload]
    meaning: str
    of_release: bool = False


WORKLOAD_KINDS: dict[str, WorkloadKind] = {
    "random": WorkloadKind(random_queries, "values and items of random records"),
    "held": WorkloadKind(held_queries, "items that some record holds together, and values of that record where asked for"),
    "frequent": WorkloadKind(frequent_queries, "itemsets in a share of the records"),
    "generalized": WorkloadKind(generalized_queries, "items behind different published items of a release", of_release=True),
    "presence": WorkloadKind(presence_queries, "items that are present, then items that are absent"),
}


def draw_workload(kind: str, original: Dataset, release: Release | None = None, /, **values: Any) -> Workload:
    """A workload of the named kind; what its generator does not take is an error that says what it takes."""
    if kind not in WORKLOAD_KINDS:
        raise ParameterError(f"the kind of a workload must be one of {', '.join(WORKLOAD_KINDS)}; got {kind!r}")
    generator, _, of_release = WORKLOAD_KINDS[kind]
    if of_release and release is None:
        raise ParameterError(f"queries of kind {kind} are drawn from a release, and none is given")
    taken = [name for name in signature(generator).parameters if name not in ("original", "release")]
    for name in values:
        if name not in taken:
            raise ParameterError(f"queries of kind {kind} take {', '.join(taken)}; got {name}")
    return generator(original, release, **values) if of_release else generator(original, **values)
