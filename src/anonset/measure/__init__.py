"""What a release still tells, and what it risks: one pure function of (original, release) a file."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from anonset.errors import ParameterError
from anonset.measure.are import are
from anonset.measure.c_avg import c_avg
from anonset.measure.discernibility import discernibility
from anonset.measure.er import er
from anonset.measure.item_error import item_error
from anonset.measure.ncp import ncp
from anonset.measure.ncp_items import ncp_items
from anonset.measure.qe import qe
from anonset.measure.risk import risk
from anonset.measure.ul import ul, ul_log2
from anonset.measure.ul_record import ul_record, ul_record_exact0
from anonset.measure.workload import Estimator, Workload
from anonset.model.dataset import Dataset
from anonset.model.labels import GeneralizedItems, UncertainItems
from anonset.model.release import Release


class Measure(NamedTuple):
    """A function of (original, release), what it needs the release to have, and what its values mean.

    `takes` names the arguments of `measure` that are handed over to it; without those in `must_have` it cannot be measured.
    """

    function: Callable[..., float]
    needs: str  # "quasi", "groups" (of equal quasi values), "items" (generalized), "uncertain" (nonreciprocal); "": nothing
    meaning: str
    takes: tuple[str, ...] = ()
    must_have: tuple[str, ...] = ()


LOSSES: dict[str, Measure] = {
    "ncp": Measure(ncp, "quasi", "loss of the relational values: 0 all exact, 1 all anything"),
    "ncp-items": Measure(ncp_items, "items", "loss of the items: 0 all exact, 1 all gone"),
    "ul": Measure(ul, "items", "utility loss: 0 nothing shown, 1 one item for all"),
    "ul-log2": Measure(ul_log2, "items", "the same as a power of two: 0 is the worst"),
    "ul-record": Measure(ul_record, "items", "utility loss of the mean record: 1 one item for all"),
    "ul-record-exact0": Measure(ul_record_exact0, "items", "the same with exact items at no cost: 0 all exact"),
    "item-error": Measure(item_error, "items", "mean relative error of the items' expected frequencies: 0 all right"),
    "are": Measure(
        are, "", "mean relative error of the counts of a workload: 0 all right", ("workload", "estimator"), ("workload",)
    ),
    "er": Measure(er, "uncertain", "error rate: wrong items of the base sets over true items, 0 none is wrong"),
    "qe": Measure(qe, "uncertain", "error of counts of present and absent items, as a share of the records: 0 all are right"),
    "discernibility": Measure(discernibility, "groups", "sum of squared group sizes: the records each record hides among"),
    "c-avg": Measure(c_avg, "groups", "mean group size over k: 1 is the least"),
}

RISKS: dict[str, Measure] = {
    "risk": Measure(risk, "", "1 / the smallest support of what is protected: 1 somebody is unique"),
}

MEASURES: dict[str, Measure] = {**LOSSES, **RISKS}


def measure(
    original: Dataset,
    release: Release,
    ids: Sequence[str] | None = None,
    *,
    workload: Workload | None = None,
    estimator: Estimator = "subsets",
) -> dict[str, float]:
    """The named measures, or all that apply to this kind of release and whose arguments are given.

    `workload`: the queries of `are`. `estimator`: how it counts items behind labels.
    """
    given = {"workload": workload, "estimator": estimator}
    for id in ids or ():
        if id not in MEASURES:
            raise ParameterError(f"no measure {id!r}; choose from {', '.join(MEASURES)}")
        if not applies(id, release):
            raise ParameterError(f"{id} does not apply to this release: it has no {MEASURES[id].needs} part")
        if missing := _missing(id, given):
            raise ParameterError(f"{id} needs a {missing[0]}, and none is given")
    chosen = ids if ids is not None else [id for id in MEASURES if applies(id, release) and not _missing(id, given)]
    return {id: MEASURES[id].function(original, release, **{name: given[name] for name in MEASURES[id].takes}) for id in chosen}


def _missing(id: str, given: Mapping[str, Any]) -> list[str]:
    return [name for name in MEASURES[id].must_have if given[name] is None]


def applies(id: str, release: Release) -> bool:
    """Whether the release has what the measure needs."""
    needs = MEASURES[id].needs
    uncertain = isinstance(release.items, UncertainItems)
    if needs in ("quasi", "groups"):  # nonreciprocal releases have quasi columns, but nobody hides in a group
        return bool(release.quasi) and not (needs == "groups" and uncertain)
    return needs == "" or (uncertain if needs == "uncertain" else isinstance(release.items, GeneralizedItems))
