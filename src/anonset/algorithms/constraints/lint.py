"""Remarks about policies before a run: errors, constraints that cannot be met, and what is open now."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from anonset.algorithms.base import Algorithm
from anonset.algorithms.constraints.feasibility import find_unreachable, refusal_text
from anonset.algorithms.constraints.pcta import ConstraintBased
from anonset.algorithms.constraints.policies import (
    allowed_suppressions,
    item_groups,
    make_clusters,
    protected_sets,
    rare_itemsets,
)
from anonset.algorithms.constraints.queues import CodedItemsets, coded_names
from anonset.errors import Advice, Call, Fix, InputError
from anonset.model.arrays import Ids
from anonset.model.dataset import Dataset
from anonset.model.policy import AllItemsets, Itemsets, PrivacyPolicy, UtilityPolicy

Level = Literal["error", "infeasible", "warning", "note"]
COUNTED_ITEMS = 2  # larger sets are not counted before a run
SUPPORTS_LISTED = 6


@dataclass(frozen=True, slots=True)
class PolicyRemark:
    """One sentence about the policies; what is an error or infeasible stops a run, a warning does not, a note is a fact."""

    level: Level
    text: str

    @property
    def stops(self) -> bool:
        """Whether no run can follow."""
        return self.level in ("error", "infeasible")


def lint(data: Dataset, privacy: PrivacyPolicy, utility: UtilityPolicy | None, k: int) -> tuple[PolicyRemark, ...]:
    """Check policies against a dataset before a run.

    Parameters
    ----------
    data : Dataset
        The data.
    privacy : PrivacyPolicy
        The itemsets to protect.
    utility : UtilityPolicy or None
        The groups of items that may be generalized together.
    k : int
        The number of records that each itemset needs.

    Returns
    -------
    tuple of PolicyRemark
        Errors, infeasible constraints, warnings and notes, each with a level and a text.

    Examples
    --------
    >>> import polars as pl
    >>> import anonset
    >>> sets = [["beer", "bread"], ["beer", "bread"], ["beer", "milk"], ["bread", "milk"], ["beer", "bread", "milk"]]
    >>> data = anonset.read(pl.DataFrame({"basket": sets}), items="basket")
    >>> from anonset.model.policy import Itemsets
    >>> [remark.level for remark in anonset.check_policies(data, Itemsets((("beer", "milk"),)), None, 3)]
    ['note']
    """
    remarks = [*_name_remarks(data, privacy, utility)]
    if utility is not None:
        remarks += _coverage(data, utility)
    if any(remark.stops for remark in remarks):
        return tuple(remarks)
    return (*remarks, *_reachable(data, privacy, utility, k), *_open_now(data, privacy, k))


def lint_request(algorithm: Algorithm, data: Dataset) -> tuple[PolicyRemark, ...]:
    """Remarks about the policies of an algorithm; none where it has no policies."""
    if not isinstance(algorithm, ConstraintBased) or data.transactions is None:
        return ()
    privacy = algorithm.privacy if algorithm.privacy is not None else AllItemsets(algorithm.m)
    return lint(data, privacy, getattr(algorithm, "utility", None), algorithm.k)


def _name_remarks(data: Dataset, privacy: PrivacyPolicy, utility: UtilityPolicy | None) -> list[PolicyRemark]:
    domain = frozenset(data.linkable.domain)
    remarks = []
    if isinstance(privacy, Itemsets):
        try:
            coded_names(data, privacy.itemsets)
        except InputError as error:
            remarks.append(PolicyRemark("error", error.advice))
    if utility is not None:
        named = [name for group in utility.groups for name in group]
        unknown = [name for name in [*named, *utility.weights, *utility.penalties] if name not in domain]
        if unknown:
            what = f"the utility policy names {len(set(unknown))} items that are not in the data, e.g. {unknown[0]!r}"
            remarks.append(PolicyRemark("warning", f"{what}; they are passed over"))
    return remarks


def _coverage(data: Dataset, utility: UtilityPolicy) -> list[PolicyRemark]:
    groups, supports = item_groups(data, utility), data.linkable.supports
    uncovered = np.flatnonzero((groups < 0) & (supports > 0))
    if len(uncovered) == 0:
        return []
    example = data.linkable.domain[uncovered[0]]
    return [
        PolicyRemark(
            "error",
            Advice(
                f"{len(uncovered)} items are in no utility constraint, e.g. {example!r}; name them, or ",
                Fix("let each be a group of its own ({})", Call("UtilityPolicy.completed")),
            ),
        )
    ]


def _reachable(data: Dataset, privacy: PrivacyPolicy, utility: UtilityPolicy | None, k: int) -> list[PolicyRemark]:
    if k > len(data):
        return [PolicyRemark("infeasible", f"k={k} exceeds the {len(data)} records of the dataset")]
    clusters = make_clusters(data, utility)
    found = find_unreachable(clusters, protected_sets(data, clusters, privacy, k), k)
    if found is None:
        return []
    too_many = found.to_suppress > allowed_suppressions(clusters, utility)
    reason = refusal_text(clusters, utility, found.constraint, k, found.reachable, found.to_suppress)
    return [PolicyRemark("infeasible" if too_many else "warning", reason)]


def _open_now(data: Dataset, privacy: PrivacyPolicy, k: int) -> list[PolicyRemark]:
    clusters = make_clusters(data, None)
    if isinstance(privacy, AllItemsets):
        supports: Ids = rare_itemsets(clusters, min(privacy.m, COUNTED_ITEMS), k)[1]
        what = f"sets of at most {min(privacy.m, COUNTED_ITEMS)} items"
    else:
        listed = protected_sets(data, clusters, privacy, k)
        assert isinstance(listed, CodedItemsets)
        supports = listed.supports(clusters, k)
        what = f"of {len(listed)} privacy constraints"
        supports = supports[(supports > 0) & (supports < k)]
    if len(supports) == 0 and isinstance(privacy, AllItemsets) and privacy.m > COUNTED_ITEMS:
        return [
            PolicyRemark("note", f"no set of at most {COUNTED_ITEMS} items is open for k={k}; larger ones were not counted")
        ]
    if len(supports) == 0:
        return [PolicyRemark("note", f"nothing is open for k={k}: the data satisfy the privacy policy as they are")]
    counts = np.bincount(supports)
    shown = ", ".join(f"{counts[s]} with support {s}" for s in np.flatnonzero(counts)[:SUPPORTS_LISTED])
    more = "" if len(np.flatnonzero(counts)) <= SUPPORTS_LISTED else ", ..."
    return [PolicyRemark("note", f"{len(supports)} {what} are open for k={k}: {shown}{more}")]
