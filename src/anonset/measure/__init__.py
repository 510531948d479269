"""Measures of utility and risk: each a pure function of (original, release), registered in LOSSES or RISKS.

A plug-in registers a `Measure` in the entry-point group ``anonset.measures``.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from anonset.errors import ParameterError
from anonset.measure.bounds import exact_bound
from anonset.measure.coded_release import label_counts
from anonset.measure.information_loss import (
    c_avg,
    discernibility,
    exact_items,
    exact_values,
    item_error,
    label_spread,
    lost_items,
    lost_values,
    ncp,
    ncp_items,
    record_shares,
    ul,
    ul_log2,
    ul_record,
    ul_record_exact0,
)
from anonset.measure.risk import LIMIT, record_risks, risk, risk_above, risk_mean, risk_p95, risk_p99, risk_protected
from anonset.measure.uncertain import er, qe
from anonset.measure.workload import Estimator, Workload, are
from anonset.model.dataset import Dataset
from anonset.model.labels import GeneralizedItems, UncertainItems
from anonset.model.progress import Progress, silent, with_progress
from anonset.model.release import Release
from anonset.plugins import MEASURE_GROUP, Registry


class Measure(NamedTuple):
    """A function of (original, release), what it needs the release to have, and what its values mean.

    `takes` names the arguments of `measure` that are handed over to it; without those in `must_have` it cannot be measured.
    What is `offered` it is handed where another measure asked for it before.
    """

    function: Callable[..., float]
    needs: str  # "quasi", "groups" (of equal quasi values), "items" (generalized), "uncertain" (nonreciprocal); "": nothing
    meaning: str
    takes: tuple[str, ...] = ()
    must_have: tuple[str, ...] = ()
    offered: tuple[str, ...] = ()
    more_is_better: bool = False


LOSSES: dict[str, Measure] = {
    "ncp": Measure(ncp, "quasi", "loss of the relational values: 0 all exact, 1 all anything"),
    "ncp-items": Measure(ncp_items, "items", "loss of the items: 0 all exact, 1 all gone", ("times",)),
    "ul": Measure(ul, "items", "utility loss: 0 nothing shown, 1 one item for all"),
    "ul-log2": Measure(ul_log2, "items", "the same as a power of two: 0 is the worst"),
    "ul-record": Measure(ul_record, "items", "utility loss of the mean record: 1 one item for all", ("shares",)),
    "ul-record-exact0": Measure(ul_record_exact0, "items", "the same with exact items at no cost: 0 all exact", ("shares",)),
    "item-error": Measure(item_error, "items", "mean relative error of the items' expected frequencies: 0 all right"),
    "are": Measure(
        are, "", "mean relative error of the counts of a workload: 0 all right", ("workload", "estimator"), ("workload",)
    ),
    "exact-items": Measure(
        exact_items,
        "items",
        "share of the item occurrences that are shown as they are: 1 all",
        ("times",),
        more_is_better=True,
    ),
    "exact-bound": Measure(
        exact_bound,
        "items",
        "the largest share of exact items that a release with this promise can have: 1 all",
        more_is_better=True,
    ),
    "lost-items": Measure(lost_items, "items", "share of the item occurrences that say nothing any more: 0 none", ("times",)),
    "label-spread": Measure(
        label_spread,
        "items",
        "share of the item hierarchy that the lowest node above a label covers: 0 all exact, 1 strangers",
    ),
    "exact-values": Measure(
        exact_values, "quasi", "share of the quasi values that are shown as they are: 1 all", more_is_better=True
    ),
    "lost-values": Measure(lost_values, "quasi", "share of the quasi values that say nothing any more: 0 none"),
    "er": Measure(er, "uncertain", "error rate: wrong items of the base sets over true items, 0 none is wrong"),
    "qe": Measure(qe, "uncertain", "error of counts of present and absent items, as a share of the records: 0 all are right"),
    "discernibility": Measure(discernibility, "groups", "sum of squared group sizes: the records each record hides among"),
    "c-avg": Measure(c_avg, "groups", "mean group size over k: 1 is the least"),
}

RISKS: dict[str, Measure] = {
    "risk": Measure(risk, "", "1 / the fewest records that look alike to an attacker: 1 somebody is unique", ("risks",)),
    "risk-p95": Measure(risk_p95, "", "the risk that 95 % of the records do not exceed", ("risks",)),
    "risk-p99": Measure(risk_p99, "", "the risk that 99 % of the records do not exceed", ("risks",)),
    "risk-mean": Measure(risk_mean, "", "the mean risk of a record", ("risks",)),
    "risk-above": Measure(
        risk_above, "", "share of the records whose risk exceeds a limit: 0 nobody's does", ("risks", "limit")
    ),
    "risk-protected": Measure(
        risk_protected, "", "1 / the smallest support of what the guarantees are about", ("m",), offered=("risks",)
    ),
}

NEEDS = ("", "quasi", "groups", "items", "uncertain")
GIVEN = frozenset({"workload", "estimator", "limit", "m", "risks", "times", "shares"})  # what a measure can take


def _faults(id: str, value: Any) -> list[str]:
    """What keeps an object from being a measure."""
    if not isinstance(value, Measure):
        return ["it is not a value of anonset.measure.Measure"]
    found = [] if callable(value.function) else ["its function cannot be called"]
    if value.needs not in NEEDS:
        found.append(f"it needs {value.needs!r}, which is none of {', '.join(need for need in NEEDS if need)}")
    if odd := {*value.takes, *value.must_have, *value.offered} - GIVEN:
        found.append(f"it takes {min(odd)!r}, which is none of {', '.join(sorted(GIVEN))}")
    return found


MEASURES: Registry[Measure] = Registry("measure", MEASURE_GROUP, {**LOSSES, **RISKS}, _faults)


def measure(
    original: Dataset,
    release: Release,
    ids: Sequence[str | Callable[..., float]] | None = None,
    *,
    workload: Workload | None = None,
    estimator: Estimator = "subsets",
    m: int | None = None,
    limit: float = LIMIT,
    progress: Progress = silent,
) -> dict[str, float]:
    """The named measures, or all that apply to this kind of release and whose arguments are given.

    Instead of an id, `ids` may have a function of (original, release), whose value is found under its name.
    `workload`: the queries of `are`. `estimator`: how it counts items behind labels. `m`: the items an attacker knows, for the
    risks; as many as the guarantees say, if none is given. `limit`: of `risk-above`.
    """
    given: dict[str, Any] = {"workload": workload, "estimator": estimator, "limit": limit, "m": m}
    chosen = MEASURES if ids is None else dict(map(_chosen, ids))
    for id, wanted in chosen.items() if ids is not None else ():
        if not _applies(wanted, release):
            raise ParameterError(f"{id} does not apply to this release: it has no {wanted.needs} part")
        if workload is None and wanted.must_have:
            raise ParameterError(f"{id} needs a {wanted.must_have[0]}, and none is given")
    made = [id for id in chosen if _applies(chosen[id], release) and (workload is not None or not chosen[id].must_have)]
    found = dict[str, float]()
    for id in with_progress(made, progress):
        wanted = chosen[id]
        takes = wanted.takes
        if "risks" in takes and "risks" not in given:
            given["risks"] = record_risks(original, release, m)  # computed once for all measures that take them
        if "times" in takes and "times" not in given:
            given["times"] = label_counts(original, release)
        if "shares" in takes and "shares" not in given:
            given["shares"] = record_shares(original, release)
        handed = [*takes, *(name for name in wanted.offered if name in given)]
        with MEASURES.blamed(id):
            found[id] = float(wanted.function(original, release, **{name: given[name] for name in handed}))
    return found


def _chosen(wanted: object) -> tuple[str, Measure]:
    """The name and the measure of an id or of a function."""
    if callable(wanted):
        return getattr(wanted, "__name__", type(wanted).__name__), Measure(wanted, "", "a function that was handed over")
    return str(wanted), MEASURES.find(wanted)


def applies(id: str, release: Release) -> bool:
    """Whether the release has what the measure of that id needs."""
    return _applies(MEASURES[id], release)


def _applies(measure: Measure, release: Release) -> bool:
    """Whether the release has what the measure needs."""
    needs = measure.needs
    uncertain = isinstance(release.items, UncertainItems)
    if needs in ("quasi", "groups"):  # nonreciprocal releases have quasi columns, but no groups of equal ones
        return bool(release.quasi) and not (needs == "groups" and uncertain)
    return needs == "" or (uncertain if needs == "uncertain" else isinstance(release.items, GeneralizedItems))
