"""The verifier: checks the published records against the original, and shares no code with any algorithm.

A check is one file; CHECKS has the check of each guarantee, and that of a plug-in has its own.
"""

from collections.abc import Callable, Sequence
from dataclasses import is_dataclass
from functools import partial
from typing import Any

from anonset.errors import ParameterError
from anonset.model.dataset import Dataset
from anonset.model.guarantees import (
    GUARANTEES,
    CompleteK,
    Constraints,
    Guarantee,
    KAnonymity,
    KKm,
    KKmMap,
    KLm,
    KmAnonymity,
    KMap,
    KmMap,
    LDiversity,
    NrK,
    NrL,
    PartialItems,
    TCloseness,
    UtilityConstraints,
)
from anonset.model.progress import Progress, silent
from anonset.model.release import Release
from anonset.model.verdict import Finding, Verdict
from anonset.threads import parallel_map
from anonset.verify.constraints import check_constraints, check_utility_constraints
from anonset.verify.findings import Check, fails
from anonset.verify.k_anonymity import check_complete_k, check_k_anonymity, check_k_km, check_km_anonymity
from anonset.verify.k_lm import check_k_lm
from anonset.verify.l_diversity import check_l_diversity
from anonset.verify.margins import check_margins
from anonset.verify.nr_k import check_nr_k, check_nr_l
from anonset.verify.people import with_people
from anonset.verify.population import check_k_map, check_kkm_map, check_km_map
from anonset.verify.sets import LIMIT
from anonset.verify.t_closeness import check_t_closeness
from anonset.verify.truthfulness import check_partial_items, check_truthful

CHECKS: dict[type[Guarantee], Check[Any]] = {
    KAnonymity: check_k_anonymity,
    KmAnonymity: check_km_anonymity,
    CompleteK: check_complete_k,
    Constraints: check_constraints,
    KKm: check_k_km,
    KLm: check_k_lm,
    UtilityConstraints: check_utility_constraints,
    NrK: check_nr_k,
    NrL: check_nr_l,
    LDiversity: check_l_diversity,
    TCloseness: check_t_closeness,
    PartialItems: check_partial_items,
    KMap: check_k_map,
    KmMap: check_km_map,
    KKmMap: check_kkm_map,
}


def verify(
    original: Dataset,
    release: Release,
    guarantees: Sequence[Guarantee] | None = None,
    *,
    truthful: bool = True,
    accept_repeats: bool = False,
    limit: int = LIMIT,
    progress: Progress = silent,
) -> Verdict:
    """The verdict on a release: its own guarantees or the given ones, and whether every published value is true.

    Margins, where the release has any, are checked too. A check that would take more than `limit` steps is not made,
    and then the verdict does not hold. Where the original tells whose record is whose, people are counted; where several
    records are one person's, records only if somebody insists (`accept_repeats`).
    """
    promised = release.guarantees if guarantees is None else tuple(guarantees)

    def counted(g: Guarantee) -> Finding:
        finding = _check(g)(original, release, g, limit=limit)
        how: dict[str, Any] = {"limit": limit, "aligned": truthful, "accept_repeats": accept_repeats}
        return with_people(finding, original, release, g, **how)

    checks: list[Callable[[], Finding]] = [partial(counted, g) for g in promised]
    if guarantees is None and not promised:
        checks.append(partial(fails, "guarantee", "the release promises nothing, so there is nothing to hold"))
    if release.margins is not None:
        checks.append(partial(check_margins, original, release))
    if truthful:
        checks.append(partial(check_truthful, original, release))
    return Verdict(tuple(parallel_map(lambda check: check(), checks, progress)))


def _check(guarantee: Guarantee) -> Check[Any]:
    """The check of a guarantee; fails if that of a plug-in raises, or returns no finding on its guarantee."""
    if (built_in := CHECKS.get(type(guarantee))) is not None:
        return built_in
    of_plugin = getattr(guarantee, "check", None)
    if of_plugin is None:
        raise ParameterError(f"{getattr(guarantee, 'id', type(guarantee).__name__)} has no check, so nothing can be promised")
    if not is_dataclass(guarantee) or not isinstance(getattr(guarantee, "id", None), str):
        raise ParameterError(f"a guarantee is a frozen dataclass with an id; got {type(guarantee).__name__}")

    def check(original: Dataset, release: Release, guarantee: Any, *, limit: int = LIMIT) -> Finding:
        with GUARANTEES.blamed(guarantee.id):
            finding = of_plugin(original, release, guarantee, limit=limit)
        if isinstance(finding, Finding) and finding.guarantee == guarantee.id:
            return finding
        return fails(guarantee.id, "its check returned no finding on it")

    return check
