# Made from the declarations by `python -m anonset.cli.stub`; a test holds it to them.
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypeVar, overload

from anonset.api import Listener
from anonset.model.policy import PrivacyPolicy, UtilityPolicy
from anonset.algorithms import ALGORITHMS as ALGORITHMS
from anonset.errors import AnonsetError as AnonsetError
from anonset.errors import Cancelled as Cancelled
from anonset.model.dataset import Dataset as Dataset
from anonset.model.guarantees import GUARANTEES as GUARANTEES
from anonset.errors import GuaranteeViolated as GuaranteeViolated
from anonset.model.hierarchy import Hierarchy as Hierarchy
from anonset.errors import InfeasibleError as InfeasibleError
from anonset.errors import InputError as InputError
from anonset.measure import MEASURES as MEASURES
from anonset.errors import ParameterError as ParameterError
from anonset.recipient.published import PublishedRelease as PublishedRelease
from anonset.api import Release as Release
from anonset.model.schema import Schema as Schema
from anonset.model.dataset import Transactions as Transactions
from anonset.model.verdict import Verdict as Verdict
from anonset.api import anonymize_files as anonymize_files
from anonset.api import attack as attack
from anonset.api import build_hierarchy as build_hierarchy
from anonset.algorithms.constraints.lint import lint as check_policies
from anonset.recipient.completion import combine as combine
from anonset.api import compare as compare
from anonset.api import explain as explain
from anonset.api import load as load
from anonset.api import load_files as load_files
from anonset.recipient.published import open_published as open_published
from anonset.api import profile as profile
from anonset.api import query as query
from anonset.data.hierarchies import read_hierarchy as read_hierarchy
from anonset.data.policies import read_policies as read_policies
from anonset.api import recommend as recommend
from anonset.api import run_project as run_project
from anonset.api import workload as workload
from anonset.data.hierarchies import write_hierarchy as write_hierarchy
from anonset.data.policies import write_policies as write_policies

Frame = TypeVar("Frame")
__version__: str
__all__ = [
    "read",
    "profile",
    "anonymize",
    "anonymize_frame",
    "anonymize_files",
    "run_project",
    "recommend",
    "compare",
    "load",
    "load_files",
    "attack",
    "explain",
    "workload",
    "query",
    "open_published",
    "combine",
    "PublishedRelease",
    "Release",
    "Dataset",
    "Transactions",
    "Hierarchy",
    "Schema",
    "Verdict",
    "read_hierarchy",
    "write_hierarchy",
    "build_hierarchy",
    "read_policies",
    "write_policies",
    "check_policies",
    "ALGORITHMS",
    "MEASURES",
    "GUARANTEES",
    "AnonsetError",
    "InputError",
    "ParameterError",
    "GuaranteeViolated",
    "InfeasibleError",
    "Cancelled",
]

@overload
def anonymize(
    data: Dataset,
    algorithm: Literal["identity"],
    *,
    k: int,
    m: int = 2,
    l: int = 1,
    output: str | Path | None = ...,
    format: str | None = ...,
    margins: bool = ...,
    into: str | None = ...,
    database: str | None = ...,
    overwrite: bool = ...,
    accept_exposure: Sequence[str] | str = ...,
    accept_loss: bool = ...,
    accept_repeats: bool = ...,
    title: str = ...,
    by: str = ...,
    language: str = ...,
    ends: str = ...,
    like: str | Path | None = ...,
    parameters: Mapping[str, Any] | None = ...,
    progress: Listener = ...,
) -> Release:
    """Publish as is.

    k: records no attacker can tell apart
    m: items an attacker may know
    l: sensitive values behind every match
    """

@overload
def anonymize(
    data: Dataset,
    algorithm: Literal["aa"],
    *,
    k: int,
    m: int = 2,
    refine: bool = False,
    steps: int = 100,
    seed: int | None = 0,
    order: Literal["lazy", "paper"] = "lazy",
    output: str | Path | None = ...,
    format: str | None = ...,
    margins: bool = ...,
    into: str | None = ...,
    database: str | None = ...,
    overwrite: bool = ...,
    accept_exposure: Sequence[str] | str = ...,
    accept_loss: bool = ...,
    accept_repeats: bool = ...,
    title: str = ...,
    by: str = ...,
    language: str = ...,
    ends: str = ...,
    like: str | Path | None = ...,
    parameters: Mapping[str, Any] | None = ...,
    progress: Listener = ...,
) -> Release:
    """Apriori anonymization.

    k: records no attacker can tell apart
    m: items an attacker may know
    refine: take nodes down again where k^m-anonymity allows it, and try other ways to reach it
    steps: moves that refine tries
    seed: makes the run repeatable; none: the system's randomness
    order: lazy: count what the cut shows; paper: count all generalizations, as the count-tree does
    """

@overload
def anonymize(
    data: Dataset,
    algorithm: Literal["vpa"],
    *,
    k: int,
    m: int = 2,
    refine: bool = False,
    steps: int = 100,
    seed: int | None = 0,
    parts: int = 8,
    output: str | Path | None = ...,
    format: str | None = ...,
    margins: bool = ...,
    into: str | None = ...,
    database: str | None = ...,
    overwrite: bool = ...,
    accept_exposure: Sequence[str] | str = ...,
    accept_loss: bool = ...,
    accept_repeats: bool = ...,
    title: str = ...,
    by: str = ...,
    language: str = ...,
    ends: str = ...,
    like: str | Path | None = ...,
    parameters: Mapping[str, Any] | None = ...,
    progress: Listener = ...,
) -> Release:
    """Vertical partitioning anonymization.

    k: records no attacker can tell apart
    m: items an attacker may know
    refine: take nodes down again where k^m-anonymity allows it, and try other ways to reach it
    steps: moves that refine tries
    seed: makes the run repeatable; none: the system's randomness
    parts: parts of the domain, at least, where the hierarchy has that many
    """

@overload
def anonymize(
    data: Dataset,
    algorithm: Literal["lra"],
    *,
    k: int,
    m: int = 2,
    parts: int | None = None,
    alike: Literal["auto", "gray", "rare", "length"] = "auto",
    inner: Literal["aa", "da", "vpa", "oa", "pcta", "coat"] = "aa",
    output: str | Path | None = ...,
    format: str | None = ...,
    margins: bool = ...,
    into: str | None = ...,
    database: str | None = ...,
    overwrite: bool = ...,
    accept_exposure: Sequence[str] | str = ...,
    accept_loss: bool = ...,
    accept_repeats: bool = ...,
    title: str = ...,
    by: str = ...,
    language: str = ...,
    ends: str = ...,
    like: str | Path | None = ...,
    parameters: Mapping[str, Any] | None = ...,
    progress: Listener = ...,
) -> Release:
    """Local recoding anonymization.

    k: records no attacker can tell apart
    m: items an attacker may know
    parts: parts of the records; none: as many as cost least
    alike: gray: Gray order of the item sets; rare: Gray order, rare items first; length: by length, then Gray order;
        auto: the best
    inner: the algorithm that protects each part
    """

@overload
def anonymize(
    data: Dataset,
    algorithm: Literal["lift"],
    *,
    k: int,
    m: int = 2,
    minimize: Literal["queries", "ncp", "ul"] = "queries",
    residue: Literal["star", "drop"] = "star",
    residue_limit: float = 0.1,
    protect: Literal["no", "inversion"] = "no",
    seed: int | None = None,
    output: str | Path | None = ...,
    format: str | None = ...,
    margins: bool = ...,
    into: str | None = ...,
    database: str | None = ...,
    overwrite: bool = ...,
    accept_exposure: Sequence[str] | str = ...,
    accept_loss: bool = ...,
    accept_repeats: bool = ...,
    title: str = ...,
    by: str = ...,
    language: str = ...,
    ends: str = ...,
    like: str | Path | None = ...,
    parameters: Mapping[str, Any] | None = ...,
    progress: Listener = ...,
) -> Release:
    """Local recoding of occurrences.

    k: records no attacker can tell apart
    m: items an attacker may know
    minimize: what to keep low: wrong counts (as many items exact as possible), item NCP, or UL
    residue: what reaches the root is shown as the root's label, or left out
    residue_limit: share of the item occurrences that residue = drop may leave out
    protect: inversion: draws labels by chance, so that who knows the algorithm cannot exclude anybody
    seed: makes the run repeatable; none: the system's randomness
    """

@overload
def anonymize(
    data: Dataset,
    algorithm: Literal["coat"],
    *,
    k: int,
    m: int = 2,
    privacy: PrivacyPolicy | str | None = None,
    queue: Literal["current", "static"] = "current",
    weights: Literal["equal", "semantic"] = "equal",
    refine: bool = False,
    utility: UtilityPolicy | str | None = None,
    pick: Literal["commonest", "rarest", "first"] = "rarest",
    output: str | Path | None = ...,
    format: str | None = ...,
    margins: bool = ...,
    into: str | None = ...,
    database: str | None = ...,
    overwrite: bool = ...,
    accept_exposure: Sequence[str] | str = ...,
    accept_loss: bool = ...,
    accept_repeats: bool = ...,
    title: str = ...,
    by: str = ...,
    language: str = ...,
    ends: str = ...,
    like: str | Path | None = ...,
    parameters: Mapping[str, Any] | None = ...,
    progress: Listener = ...,
) -> Release:
    """Constraint-based anonymization of transactions (COAT).

    k: records no attacker can tell apart
    m: items an attacker may know
    privacy: itemsets to protect; none: every set of at most m items
    queue: which support puts a constraint first: the one now or the original one
    weights: what a generalized item weighs: as any other, or as its items are spread over the hierarchy
    refine: split generalized items again where the constraints allow it
    utility: which items may be generalized together; none: any
    pick: which item of a constraint is generalized: the one of most or fewest records, or the first
    """

@overload
def anonymize(
    data: Dataset,
    algorithm: Literal["pcta"],
    *,
    k: int,
    m: int = 2,
    privacy: PrivacyPolicy | str | None = None,
    queue: Literal["current", "static"] = "current",
    weights: Literal["equal", "semantic"] = "equal",
    refine: bool = False,
    absent: Literal["satisfied", "merged"] = "satisfied",
    protect: Literal["no", "inversion"] = "no",
    seed: int | None = None,
    output: str | Path | None = ...,
    format: str | None = ...,
    margins: bool = ...,
    into: str | None = ...,
    database: str | None = ...,
    overwrite: bool = ...,
    accept_exposure: Sequence[str] | str = ...,
    accept_loss: bool = ...,
    accept_repeats: bool = ...,
    title: str = ...,
    by: str = ...,
    language: str = ...,
    ends: str = ...,
    like: str | Path | None = ...,
    parameters: Mapping[str, Any] | None = ...,
    progress: Listener = ...,
) -> Release:
    """Clustering under privacy constraints (PCTA).

    k: records no attacker can tell apart
    m: items an attacker may know
    privacy: itemsets to protect; none: every set of at most m items
    queue: which support puts a constraint first: the one now or the original one
    weights: what a generalized item weighs: as any other, or as its items are spread over the hierarchy
    refine: split generalized items again where the constraints allow it
    absent: itemsets that no record holds: satisfied ([003] Definition 5), or merged until k records do (Algorithm 1 as
        printed)
    protect: inversion: draws labels by chance, so that who knows the algorithm cannot exclude anybody
    seed: makes the run repeatable; none: the system's randomness
    """

@overload
def anonymize(
    data: Dataset,
    algorithm: Literal["upcta"],
    *,
    k: int,
    m: int = 2,
    privacy: PrivacyPolicy | str | None = None,
    queue: Literal["current", "static"] = "current",
    weights: Literal["equal", "semantic"] = "equal",
    refine: bool = False,
    utility: UtilityPolicy | str | None = None,
    output: str | Path | None = ...,
    format: str | None = ...,
    margins: bool = ...,
    into: str | None = ...,
    database: str | None = ...,
    overwrite: bool = ...,
    accept_exposure: Sequence[str] | str = ...,
    accept_loss: bool = ...,
    accept_repeats: bool = ...,
    title: str = ...,
    by: str = ...,
    language: str = ...,
    ends: str = ...,
    like: str | Path | None = ...,
    parameters: Mapping[str, Any] | None = ...,
    progress: Listener = ...,
) -> Release:
    """Clustering under privacy and utility constraints (UPCTA).

    k: records no attacker can tell apart
    m: items an attacker may know
    privacy: itemsets to protect; none: every set of at most m items
    queue: which support puts a constraint first: the one now or the original one
    weights: what a generalized item weighs: as any other, or as its items are spread over the hierarchy
    refine: split generalized items again where the constraints allow it
    utility: which items may be generalized together; none: any
    """

@overload
def anonymize(
    data: Dataset,
    algorithm: Literal["cluster"],
    *,
    k: int,
    weights: str = "",
    l: int = 1,
    diversity: Literal["distinct", "entropy", "recursive"] = "distinct",
    c: float = 1.0,
    t: float = 1.0,
    sensitive: str = "",
    seed: int | None = None,
    recoding: Literal["nodes", "ranges", "sets"] = "nodes",
    partition_above: int = 1000000,
    output: str | Path | None = ...,
    format: str | None = ...,
    margins: bool = ...,
    into: str | None = ...,
    database: str | None = ...,
    overwrite: bool = ...,
    accept_exposure: Sequence[str] | str = ...,
    accept_loss: bool = ...,
    accept_repeats: bool = ...,
    title: str = ...,
    by: str = ...,
    language: str = ...,
    ends: str = ...,
    like: str | Path | None = ...,
    parameters: Mapping[str, Any] | None = ...,
    progress: Listener = ...,
) -> Release:
    """Clusters of similar records.

    k: records no attacker can tell apart
    weights: importance of columns as name=number,...; 1 where not named
    l: well-represented sensitive values in every group; 1 asks for nothing
    diversity: what well-represented means
    c: recursive: the most frequent value is less than c times the rest from the l-th on
    t: how far the values of a group may be from those of all; 1 asks for nothing
    sensitive: the column that l and t are about; may be left open where only one is sensitive
    seed: makes the run repeatable; none: the system's randomness
    recoding: nodes: hierarchies where given; ranges: numbers as plain ranges all the same; sets: no hierarchy at all
    partition_above: cut more records than this into parts first, at medians: quicker
    """

@overload
def anonymize(
    data: Dataset,
    algorithm: Literal["mondrian"],
    *,
    k: int,
    weights: str = "",
    l: int = 1,
    diversity: Literal["distinct", "entropy", "recursive"] = "distinct",
    c: float = 1.0,
    t: float = 1.0,
    sensitive: str = "",
    splits: Literal["strict", "relaxed"] = "strict",
    recoding: Literal["nodes", "ranges", "sets"] = "nodes",
    output: str | Path | None = ...,
    format: str | None = ...,
    margins: bool = ...,
    into: str | None = ...,
    database: str | None = ...,
    overwrite: bool = ...,
    accept_exposure: Sequence[str] | str = ...,
    accept_loss: bool = ...,
    accept_repeats: bool = ...,
    title: str = ...,
    by: str = ...,
    language: str = ...,
    ends: str = ...,
    like: str | Path | None = ...,
    parameters: Mapping[str, Any] | None = ...,
    progress: Listener = ...,
) -> Release:
    """Mondrian.

    k: records no attacker can tell apart
    weights: importance of columns as name=number,...; 1 where not named
    l: well-represented sensitive values in every group; 1 asks for nothing
    diversity: what well-represented means
    c: recursive: the most frequent value is less than c times the rest from the l-th on
    t: how far the values of a group may be from those of all; 1 asks for nothing
    sensitive: the column that l and t are about; may be left open where only one is sensitive
    splits: whether records with equal values stay together, or may be divided
    recoding: nodes: hierarchies where given; ranges: numbers as plain ranges all the same; sets: no hierarchy at all
    """

@overload
def anonymize(
    data: Dataset,
    algorithm: Literal["incognito"],
    *,
    k: int,
    weights: str = "",
    l: int = 1,
    diversity: Literal["distinct", "entropy", "recursive"] = "distinct",
    c: float = 1.0,
    t: float = 1.0,
    sensitive: str = "",
    suppression: float = 0.0,
    output: str | Path | None = ...,
    format: str | None = ...,
    margins: bool = ...,
    into: str | None = ...,
    database: str | None = ...,
    overwrite: bool = ...,
    accept_exposure: Sequence[str] | str = ...,
    accept_loss: bool = ...,
    accept_repeats: bool = ...,
    title: str = ...,
    by: str = ...,
    language: str = ...,
    ends: str = ...,
    like: str | Path | None = ...,
    parameters: Mapping[str, Any] | None = ...,
    progress: Listener = ...,
) -> Release:
    """Best full-domain levels.

    k: records no attacker can tell apart
    weights: importance of columns as name=number,...; 1 where not named
    l: well-represented sensitive values in every group; 1 asks for nothing
    diversity: what well-represented means
    c: recursive: the most frequent value is less than c times the rest from the l-th on
    t: how far the values of a group may be from those of all; 1 asks for nothing
    sensitive: the column that l and t are about; may be left open where only one is sensitive
    suppression: share of the records that may be left out
    """

@overload
def anonymize(
    data: Dataset,
    algorithm: Literal["top-down"],
    *,
    k: int,
    weights: str = "",
    l: int = 1,
    diversity: Literal["distinct", "entropy", "recursive"] = "distinct",
    c: float = 1.0,
    t: float = 1.0,
    sensitive: str = "",
    suppression: float = 0.0,
    output: str | Path | None = ...,
    format: str | None = ...,
    margins: bool = ...,
    into: str | None = ...,
    database: str | None = ...,
    overwrite: bool = ...,
    accept_exposure: Sequence[str] | str = ...,
    accept_loss: bool = ...,
    accept_repeats: bool = ...,
    title: str = ...,
    by: str = ...,
    language: str = ...,
    ends: str = ...,
    like: str | Path | None = ...,
    parameters: Mapping[str, Any] | None = ...,
    progress: Listener = ...,
) -> Release:
    """Top-down specialization.

    k: records no attacker can tell apart
    weights: importance of columns as name=number,...; 1 where not named
    l: well-represented sensitive values in every group; 1 asks for nothing
    diversity: what well-represented means
    c: recursive: the most frequent value is less than c times the rest from the l-th on
    t: how far the values of a group may be from those of all; 1 asks for nothing
    sensitive: the column that l and t are about; may be left open where only one is sensitive
    suppression: share of the records that may be left out
    """

@overload
def anonymize(
    data: Dataset,
    algorithm: Literal["bottom-up"],
    *,
    k: int,
    weights: str = "",
    l: int = 1,
    diversity: Literal["distinct", "entropy", "recursive"] = "distinct",
    c: float = 1.0,
    t: float = 1.0,
    sensitive: str = "",
    suppression: float = 0.0,
    output: str | Path | None = ...,
    format: str | None = ...,
    margins: bool = ...,
    into: str | None = ...,
    database: str | None = ...,
    overwrite: bool = ...,
    accept_exposure: Sequence[str] | str = ...,
    accept_loss: bool = ...,
    accept_repeats: bool = ...,
    title: str = ...,
    by: str = ...,
    language: str = ...,
    ends: str = ...,
    like: str | Path | None = ...,
    parameters: Mapping[str, Any] | None = ...,
    progress: Listener = ...,
) -> Release:
    """Bottom-up generalization.

    k: records no attacker can tell apart
    weights: importance of columns as name=number,...; 1 where not named
    l: well-represented sensitive values in every group; 1 asks for nothing
    diversity: what well-represented means
    c: recursive: the most frequent value is less than c times the rest from the l-th on
    t: how far the values of a group may be from those of all; 1 asks for nothing
    sensitive: the column that l and t are about; may be left open where only one is sensitive
    suppression: share of the records that may be left out
    """

@overload
def anonymize(
    data: Dataset,
    algorithm: Literal["peel"],
    *,
    k: int,
    weights: str = "",
    l: int = 1,
    diversity: Literal["distinct", "entropy", "recursive"] = "distinct",
    c: float = 1.0,
    t: float = 1.0,
    sensitive: str = "",
    choices: int = 100000,
    recoding: Literal["nodes", "ranges", "sets"] = "nodes",
    output: str | Path | None = ...,
    format: str | None = ...,
    margins: bool = ...,
    into: str | None = ...,
    database: str | None = ...,
    overwrite: bool = ...,
    accept_exposure: Sequence[str] | str = ...,
    accept_loss: bool = ...,
    accept_repeats: bool = ...,
    title: str = ...,
    by: str = ...,
    language: str = ...,
    ends: str = ...,
    like: str | Path | None = ...,
    parameters: Mapping[str, Any] | None = ...,
    progress: Listener = ...,
) -> Release:
    """Cheapest levels first.

    k: records no attacker can tell apart
    weights: importance of columns as name=number,...; 1 where not named
    l: well-represented sensitive values in every group; 1 asks for nothing
    diversity: what well-represented means
    c: recursive: the most frequent value is less than c times the rest from the l-th on
    t: how far the values of a group may be from those of all; 1 asks for nothing
    sensitive: the column that l and t are about; may be left open where only one is sensitive
    choices: choices of levels that are tried before the rest is partitioned
    recoding: nodes: hierarchies where given; ranges: numbers as plain ranges all the same; sets: no hierarchy at all
    """

@overload
def anonymize(
    data: Dataset,
    algorithm: Literal["r-first"],
    *,
    k: int,
    m: int = 2,
    l: int = 1,
    items: str = "lift",
    tum: Literal["ul-record", "ul-record-exact0"] = "ul-record",
    recoding: Literal["nodes", "ranges", "sets"] = "nodes",
    weights: str = "",
    utility: UtilityPolicy | str | None = None,
    item_weights: Literal["equal", "semantic"] = "equal",
    clusters: str = "cluster",
    seed: int | None = None,
    output: str | Path | None = ...,
    format: str | None = ...,
    margins: bool = ...,
    into: str | None = ...,
    database: str | None = ...,
    overwrite: bool = ...,
    accept_exposure: Sequence[str] | str = ...,
    accept_loss: bool = ...,
    accept_repeats: bool = ...,
    title: str = ...,
    by: str = ...,
    language: str = ...,
    ends: str = ...,
    like: str | Path | None = ...,
    parameters: Mapping[str, Any] | None = ...,
    progress: Listener = ...,
) -> Release:
    """Quasi values first, items after.

    k: records no attacker can tell apart
    m: items an attacker may know
    l: sensitive values behind every match
    items: the transaction algorithm that generalizes the items of a cluster
    tum: the loss of items: the paper's, or with exact items at no cost
    recoding: nodes: hierarchies where given; ranges: numbers as plain ranges all the same; sets: no hierarchy at all
    weights: importance of columns as name=number,...; 1 where not named
    utility: which items may be generalized together, in every cluster; none: any
    item_weights: what a generalized item weighs: as any other, or as its items are spread over the hierarchy
    clusters: the relational algorithm that forms the initial clusters
    seed: makes the run repeatable; none: the system's randomness
    """

@overload
def anonymize(
    data: Dataset,
    algorithm: Literal["t-first"],
    *,
    k: int,
    m: int = 2,
    l: int = 1,
    items: str = "lift",
    tum: Literal["ul-record", "ul-record-exact0"] = "ul-record",
    recoding: Literal["nodes", "ranges", "sets"] = "nodes",
    weights: str = "",
    utility: UtilityPolicy | str | None = None,
    item_weights: Literal["equal", "semantic"] = "equal",
    partition: int = 10000,
    output: str | Path | None = ...,
    format: str | None = ...,
    margins: bool = ...,
    into: str | None = ...,
    database: str | None = ...,
    overwrite: bool = ...,
    accept_exposure: Sequence[str] | str = ...,
    accept_loss: bool = ...,
    accept_repeats: bool = ...,
    title: str = ...,
    by: str = ...,
    language: str = ...,
    ends: str = ...,
    like: str | Path | None = ...,
    parameters: Mapping[str, Any] | None = ...,
    progress: Listener = ...,
) -> Release:
    """Items first, quasi values after.

    k: records no attacker can tell apart
    m: items an attacker may know
    l: sensitive values behind every match
    items: the transaction algorithm that generalizes the items of a cluster
    tum: the loss of items: the paper's, or with exact items at no cost
    recoding: nodes: hierarchies where given; ranges: numbers as plain ranges all the same; sets: no hierarchy at all
    weights: importance of columns as name=number,...; 1 where not named
    utility: which items may be generalized together, in every cluster; none: any
    item_weights: what a generalized item weighs: as any other, or as its items are spread over the hierarchy
    partition: records with similar items that form a group, about
    """

@overload
def anonymize(
    data: Dataset,
    algorithm: Literal["rmerge-r"],
    *,
    k: int,
    m: int = 2,
    l: int = 1,
    items: str = "lift",
    tum: Literal["ul-record", "ul-record-exact0"] = "ul-record",
    recoding: Literal["nodes", "ranges", "sets"] = "nodes",
    weights: str = "",
    utility: UtilityPolicy | str | None = None,
    item_weights: Literal["equal", "semantic"] = "equal",
    clusters: str = "cluster",
    seed: int | None = None,
    delta: float | None = None,
    proximity: Literal["btd", "ul"] = "btd",
    refine: bool = False,
    compare: int = 4096,
    rum: Literal["ncp", "discernibility", "c-avg"] = "ncp",
    output: str | Path | None = ...,
    format: str | None = ...,
    margins: bool = ...,
    into: str | None = ...,
    database: str | None = ...,
    overwrite: bool = ...,
    accept_exposure: Sequence[str] | str = ...,
    accept_loss: bool = ...,
    accept_repeats: bool = ...,
    title: str = ...,
    by: str = ...,
    language: str = ...,
    ends: str = ...,
    like: str | Path | None = ...,
    parameters: Mapping[str, Any] | None = ...,
    progress: Listener = ...,
) -> Release:
    """Bounded loss of quasi values, merged by quasi values.

    k: records no attacker can tell apart
    m: items an attacker may know
    l: sensitive values behind every match
    items: the transaction algorithm that generalizes the items of a cluster
    tum: the loss of items: the paper's, or with exact items at no cost
    recoding: nodes: hierarchies where given; ranges: numbers as plain ranges all the same; sets: no hierarchy at all
    weights: importance of columns as name=number,...; 1 where not named
    utility: which items may be generalized together, in every cluster; none: any
    item_weights: what a generalized item weighs: as any other, or as its items are spread over the hierarchy
    clusters: the relational algorithm that forms the initial clusters
    seed: makes the run repeatable; none: the system's randomness
    delta: bound on rum (rmerge) or UL (tmerge); auto: the knee of the trade-off
    proximity: how alike items are: by bit-vector distance, or by the true loss of the union (slow)
    refine: afterwards move records and lower items again while no loss rises
    compare: clusters compared with each other; more are split at medians first
    rum: what delta bounds: NCP (at most 1), discernibility (sum of squared group sizes) or C_avg (times k)
    """

@overload
def anonymize(
    data: Dataset,
    algorithm: Literal["rmerge-t"],
    *,
    k: int,
    m: int = 2,
    l: int = 1,
    items: str = "lift",
    tum: Literal["ul-record", "ul-record-exact0"] = "ul-record",
    recoding: Literal["nodes", "ranges", "sets"] = "nodes",
    weights: str = "",
    utility: UtilityPolicy | str | None = None,
    item_weights: Literal["equal", "semantic"] = "equal",
    clusters: str = "cluster",
    seed: int | None = None,
    delta: float | None = None,
    proximity: Literal["btd", "ul"] = "btd",
    refine: bool = False,
    compare: int = 4096,
    rum: Literal["ncp", "discernibility", "c-avg"] = "ncp",
    output: str | Path | None = ...,
    format: str | None = ...,
    margins: bool = ...,
    into: str | None = ...,
    database: str | None = ...,
    overwrite: bool = ...,
    accept_exposure: Sequence[str] | str = ...,
    accept_loss: bool = ...,
    accept_repeats: bool = ...,
    title: str = ...,
    by: str = ...,
    language: str = ...,
    ends: str = ...,
    like: str | Path | None = ...,
    parameters: Mapping[str, Any] | None = ...,
    progress: Listener = ...,
) -> Release:
    """Bounded loss of quasi values, merged by items.

    k: records no attacker can tell apart
    m: items an attacker may know
    l: sensitive values behind every match
    items: the transaction algorithm that generalizes the items of a cluster
    tum: the loss of items: the paper's, or with exact items at no cost
    recoding: nodes: hierarchies where given; ranges: numbers as plain ranges all the same; sets: no hierarchy at all
    weights: importance of columns as name=number,...; 1 where not named
    utility: which items may be generalized together, in every cluster; none: any
    item_weights: what a generalized item weighs: as any other, or as its items are spread over the hierarchy
    clusters: the relational algorithm that forms the initial clusters
    seed: makes the run repeatable; none: the system's randomness
    delta: bound on rum (rmerge) or UL (tmerge); auto: the knee of the trade-off
    proximity: how alike items are: by bit-vector distance, or by the true loss of the union (slow)
    refine: afterwards move records and lower items again while no loss rises
    compare: clusters compared with each other; more are split at medians first
    rum: what delta bounds: NCP (at most 1), discernibility (sum of squared group sizes) or C_avg (times k)
    """

@overload
def anonymize(
    data: Dataset,
    algorithm: Literal["rmerge-rt"],
    *,
    k: int,
    m: int = 2,
    l: int = 1,
    items: str = "lift",
    tum: Literal["ul-record", "ul-record-exact0"] = "ul-record",
    recoding: Literal["nodes", "ranges", "sets"] = "nodes",
    weights: str = "",
    utility: UtilityPolicy | str | None = None,
    item_weights: Literal["equal", "semantic"] = "equal",
    clusters: str = "cluster",
    seed: int | None = None,
    delta: float | None = None,
    proximity: Literal["btd", "ul"] = "btd",
    refine: bool = False,
    compare: int = 4096,
    rum: Literal["ncp", "discernibility", "c-avg"] = "ncp",
    output: str | Path | None = ...,
    format: str | None = ...,
    margins: bool = ...,
    into: str | None = ...,
    database: str | None = ...,
    overwrite: bool = ...,
    accept_exposure: Sequence[str] | str = ...,
    accept_loss: bool = ...,
    accept_repeats: bool = ...,
    title: str = ...,
    by: str = ...,
    language: str = ...,
    ends: str = ...,
    like: str | Path | None = ...,
    parameters: Mapping[str, Any] | None = ...,
    progress: Listener = ...,
) -> Release:
    """Bounded loss of quasi values, merged by quasi values and items.

    k: records no attacker can tell apart
    m: items an attacker may know
    l: sensitive values behind every match
    items: the transaction algorithm that generalizes the items of a cluster
    tum: the loss of items: the paper's, or with exact items at no cost
    recoding: nodes: hierarchies where given; ranges: numbers as plain ranges all the same; sets: no hierarchy at all
    weights: importance of columns as name=number,...; 1 where not named
    utility: which items may be generalized together, in every cluster; none: any
    item_weights: what a generalized item weighs: as any other, or as its items are spread over the hierarchy
    clusters: the relational algorithm that forms the initial clusters
    seed: makes the run repeatable; none: the system's randomness
    delta: bound on rum (rmerge) or UL (tmerge); auto: the knee of the trade-off
    proximity: how alike items are: by bit-vector distance, or by the true loss of the union (slow)
    refine: afterwards move records and lower items again while no loss rises
    compare: clusters compared with each other; more are split at medians first
    rum: what delta bounds: NCP (at most 1), discernibility (sum of squared group sizes) or C_avg (times k)
    """

@overload
def anonymize(
    data: Dataset,
    algorithm: Literal["tmerge-r"],
    *,
    k: int,
    m: int = 2,
    l: int = 1,
    items: str = "lift",
    tum: Literal["ul-record", "ul-record-exact0"] = "ul-record",
    recoding: Literal["nodes", "ranges", "sets"] = "nodes",
    weights: str = "",
    utility: UtilityPolicy | str | None = None,
    item_weights: Literal["equal", "semantic"] = "equal",
    clusters: str = "cluster",
    seed: int | None = None,
    delta: float | None = None,
    proximity: Literal["btd", "ul"] = "btd",
    refine: bool = False,
    compare: int = 4096,
    output: str | Path | None = ...,
    format: str | None = ...,
    margins: bool = ...,
    into: str | None = ...,
    database: str | None = ...,
    overwrite: bool = ...,
    accept_exposure: Sequence[str] | str = ...,
    accept_loss: bool = ...,
    accept_repeats: bool = ...,
    title: str = ...,
    by: str = ...,
    language: str = ...,
    ends: str = ...,
    like: str | Path | None = ...,
    parameters: Mapping[str, Any] | None = ...,
    progress: Listener = ...,
) -> Release:
    """Bounded loss of items, merged by quasi values.

    k: records no attacker can tell apart
    m: items an attacker may know
    l: sensitive values behind every match
    items: the transaction algorithm that generalizes the items of a cluster
    tum: the loss of items: the paper's, or with exact items at no cost
    recoding: nodes: hierarchies where given; ranges: numbers as plain ranges all the same; sets: no hierarchy at all
    weights: importance of columns as name=number,...; 1 where not named
    utility: which items may be generalized together, in every cluster; none: any
    item_weights: what a generalized item weighs: as any other, or as its items are spread over the hierarchy
    clusters: the relational algorithm that forms the initial clusters
    seed: makes the run repeatable; none: the system's randomness
    delta: bound on rum (rmerge) or UL (tmerge); auto: the knee of the trade-off
    proximity: how alike items are: by bit-vector distance, or by the true loss of the union (slow)
    refine: afterwards move records and lower items again while no loss rises
    compare: clusters compared with each other; more are split at medians first
    """

@overload
def anonymize(
    data: Dataset,
    algorithm: Literal["tmerge-t"],
    *,
    k: int,
    m: int = 2,
    l: int = 1,
    items: str = "lift",
    tum: Literal["ul-record", "ul-record-exact0"] = "ul-record",
    recoding: Literal["nodes", "ranges", "sets"] = "nodes",
    weights: str = "",
    utility: UtilityPolicy | str | None = None,
    item_weights: Literal["equal", "semantic"] = "equal",
    clusters: str = "cluster",
    seed: int | None = None,
    delta: float | None = None,
    proximity: Literal["btd", "ul"] = "btd",
    refine: bool = False,
    compare: int = 4096,
    output: str | Path | None = ...,
    format: str | None = ...,
    margins: bool = ...,
    into: str | None = ...,
    database: str | None = ...,
    overwrite: bool = ...,
    accept_exposure: Sequence[str] | str = ...,
    accept_loss: bool = ...,
    accept_repeats: bool = ...,
    title: str = ...,
    by: str = ...,
    language: str = ...,
    ends: str = ...,
    like: str | Path | None = ...,
    parameters: Mapping[str, Any] | None = ...,
    progress: Listener = ...,
) -> Release:
    """Bounded loss of items, merged by items.

    k: records no attacker can tell apart
    m: items an attacker may know
    l: sensitive values behind every match
    items: the transaction algorithm that generalizes the items of a cluster
    tum: the loss of items: the paper's, or with exact items at no cost
    recoding: nodes: hierarchies where given; ranges: numbers as plain ranges all the same; sets: no hierarchy at all
    weights: importance of columns as name=number,...; 1 where not named
    utility: which items may be generalized together, in every cluster; none: any
    item_weights: what a generalized item weighs: as any other, or as its items are spread over the hierarchy
    clusters: the relational algorithm that forms the initial clusters
    seed: makes the run repeatable; none: the system's randomness
    delta: bound on rum (rmerge) or UL (tmerge); auto: the knee of the trade-off
    proximity: how alike items are: by bit-vector distance, or by the true loss of the union (slow)
    refine: afterwards move records and lower items again while no loss rises
    compare: clusters compared with each other; more are split at medians first
    """

@overload
def anonymize(
    data: Dataset,
    algorithm: Literal["tmerge-rt"],
    *,
    k: int,
    m: int = 2,
    l: int = 1,
    items: str = "lift",
    tum: Literal["ul-record", "ul-record-exact0"] = "ul-record",
    recoding: Literal["nodes", "ranges", "sets"] = "nodes",
    weights: str = "",
    utility: UtilityPolicy | str | None = None,
    item_weights: Literal["equal", "semantic"] = "equal",
    clusters: str = "cluster",
    seed: int | None = None,
    delta: float | None = None,
    proximity: Literal["btd", "ul"] = "btd",
    refine: bool = False,
    compare: int = 4096,
    output: str | Path | None = ...,
    format: str | None = ...,
    margins: bool = ...,
    into: str | None = ...,
    database: str | None = ...,
    overwrite: bool = ...,
    accept_exposure: Sequence[str] | str = ...,
    accept_loss: bool = ...,
    accept_repeats: bool = ...,
    title: str = ...,
    by: str = ...,
    language: str = ...,
    ends: str = ...,
    like: str | Path | None = ...,
    parameters: Mapping[str, Any] | None = ...,
    progress: Listener = ...,
) -> Release:
    """Bounded loss of items, merged by quasi values and items.

    k: records no attacker can tell apart
    m: items an attacker may know
    l: sensitive values behind every match
    items: the transaction algorithm that generalizes the items of a cluster
    tum: the loss of items: the paper's, or with exact items at no cost
    recoding: nodes: hierarchies where given; ranges: numbers as plain ranges all the same; sets: no hierarchy at all
    weights: importance of columns as name=number,...; 1 where not named
    utility: which items may be generalized together, in every cluster; none: any
    item_weights: what a generalized item weighs: as any other, or as its items are spread over the hierarchy
    clusters: the relational algorithm that forms the initial clusters
    seed: makes the run repeatable; none: the system's randomness
    delta: bound on rum (rmerge) or UL (tmerge); auto: the knee of the trade-off
    proximity: how alike items are: by bit-vector distance, or by the true loss of the union (slow)
    refine: afterwards move records and lower items again while no loss rises
    compare: clusters compared with each other; more are split at medians first
    """

@overload
def anonymize(
    data: Dataset,
    algorithm: Literal["rt-search"],
    *,
    k: int,
    m: int = 2,
    l: int = 1,
    items: str = "auto",
    tum: Literal["ul-record", "ul-record-exact0"] = "ul-record",
    recoding: Literal["nodes", "ranges", "sets"] = "nodes",
    weights: str = "",
    utility: UtilityPolicy | str | None = None,
    item_weights: Literal["equal", "semantic"] = "equal",
    labels: Literal["tree", "any"] = "tree",
    aim: Literal["queries", "detail"] = "queries",
    balance: float | None = None,
    asks: int = 1000,
    values: int = 3,
    delta: float | None = None,
    clusters: str = "auto",
    seed: int | None = None,
    seconds: float = 5.0,
    steps: str = "",
    protect: Literal["no", "inversion"] = "no",
    output: str | Path | None = ...,
    format: str | None = ...,
    margins: bool = ...,
    into: str | None = ...,
    database: str | None = ...,
    overwrite: bool = ...,
    accept_exposure: Sequence[str] | str = ...,
    accept_loss: bool = ...,
    accept_repeats: bool = ...,
    title: str = ...,
    by: str = ...,
    language: str = ...,
    ends: str = ...,
    like: str | Path | None = ...,
    parameters: Mapping[str, Any] | None = ...,
    progress: Listener = ...,
) -> Release:
    """Both parts together, for an aim, in a given time.

    k: records no attacker can tell apart
    m: items an attacker may know
    l: sensitive values behind every match
    items: auto: align items of like records, or lift; or one of them, or another transaction algorithm
    tum: the loss of items: the paper's, or with exact items at no cost
    recoding: nodes: hierarchies where given; ranges: numbers as plain ranges all the same; sets: no hierarchy at all
    weights: importance of columns as name=number,...; 1 where not named
    utility: which items may be generalized together, in every cluster; none: any
    item_weights: what a generalized item weighs: as any other, or as its items are spread over the hierarchy
    labels: tree: nodes of a given item hierarchy, or parts of one below its root; any: whatever keeps counts right
    aim: what to minimize: the error of queries for both parts, or the detail lost
    balance: 0: quasi values exact, 1: items exact; between: the weight of the items' detail; none: what the aim weighs
        by itself
    asks: queries that are drawn for aim = queries
    values: maximum number of quasi values in such a query
    delta: bound on NCP; none by default
    clusters: the relational algorithm that forms clusters; auto: mondrian, peel and cluster
    seed: makes the run repeatable; none: the system's randomness
    seconds: time to search; the best result found by then is released
    steps: number of starts and rounds instead of a time, e.g. 12+7; a release records them
    protect: inversion: only classes of equal records, so that who knows the algorithm excludes nobody
    """

@overload
def anonymize(
    data: Dataset,
    algorithm: Literal["nr-k"],
    *,
    k: int,
    bits: int = 4,
    seed: int | None = None,
    walk: Literal["halving", "closed", "backtracking"] = "halving",
    rounds: int = 3,
    rings: Literal["one", "many"] = "one",
    output: str | Path | None = ...,
    format: str | None = ...,
    margins: bool = ...,
    into: str | None = ...,
    database: str | None = ...,
    overwrite: bool = ...,
    accept_exposure: Sequence[str] | str = ...,
    accept_loss: bool = ...,
    accept_repeats: bool = ...,
    title: str = ...,
    by: str = ...,
    language: str = ...,
    ends: str = ...,
    like: str | Path | None = ...,
    parameters: Mapping[str, Any] | None = ...,
    progress: Listener = ...,
) -> Release:
    """Nonreciprocal recoding.

    k: records no attacker can tell apart
    bits: bits of a numeric column: more keep numbers closer together, fewer items
    seed: makes the run repeatable; none: the system's randomness
    walk: how assignments are found: halving (fast), closed walks or backtracking ([004] 4.2)
    rounds: rounds of local search that bring similar records together
    rings: one ring over all records ([004]), or many small ones, which lose less
    """

@overload
def anonymize(
    data: Dataset,
    algorithm: Literal["nr-l"],
    *,
    l: int,
    bits: int = 4,
    seed: int | None = None,
    walk: Literal["halving", "closed", "backtracking"] = "halving",
    rounds: int = 3,
    graph: Literal["rings", "greedy"] = "rings",
    output: str | Path | None = ...,
    format: str | None = ...,
    margins: bool = ...,
    into: str | None = ...,
    database: str | None = ...,
    overwrite: bool = ...,
    accept_exposure: Sequence[str] | str = ...,
    accept_loss: bool = ...,
    accept_repeats: bool = ...,
    title: str = ...,
    by: str = ...,
    language: str = ...,
    ends: str = ...,
    like: str | Path | None = ...,
    parameters: Mapping[str, Any] | None = ...,
    progress: Listener = ...,
) -> Release:
    """Nonreciprocal recoding with diverse labels.

    l: sensitive values behind every match
    bits: bits of a numeric column: more keep numbers closer together, fewer items
    seed: makes the run repeatable; none: the system's randomness
    walk: how assignments are found: halving (fast), closed walks or backtracking ([004] 4.2)
    rounds: rounds of local search that bring similar records together
    graph: which matches a record may have: in rings of different labels, or the paper's greedy ones, which break l as a
        rule
    """

@overload
def anonymize(
    data: Dataset,
    algorithm: str | None = None,
    *,
    absent: Literal["satisfied", "merged"] = ...,
    aim: Literal["queries", "detail"] = ...,
    alike: Literal["auto", "gray", "rare", "length"] = ...,
    asks: int = ...,
    balance: float | None = ...,
    bits: int = ...,
    c: float = ...,
    choices: int = ...,
    clusters: str = ...,
    compare: int = ...,
    delta: float | None = ...,
    diversity: Literal["distinct", "entropy", "recursive"] = ...,
    graph: Literal["rings", "greedy"] = ...,
    inner: Literal["aa", "da", "vpa", "oa", "pcta", "coat"] = ...,
    item_weights: Literal["equal", "semantic"] = ...,
    items: str = ...,
    k: int = ...,
    l: int = ...,
    labels: Literal["tree", "any"] = ...,
    m: int = ...,
    minimize: Literal["queries", "ncp", "ul"] = ...,
    order: Literal["lazy", "paper"] = ...,
    partition: int = ...,
    partition_above: int = ...,
    parts: int | None = ...,
    pick: Literal["commonest", "rarest", "first"] = ...,
    privacy: PrivacyPolicy | str | None = ...,
    protect: Literal["no", "inversion"] = ...,
    proximity: Literal["btd", "ul"] = ...,
    queue: Literal["current", "static"] = ...,
    recoding: Literal["nodes", "ranges", "sets"] = ...,
    refine: bool = ...,
    residue: Literal["star", "drop"] = ...,
    residue_limit: float = ...,
    rings: Literal["one", "many"] = ...,
    rounds: int = ...,
    rum: Literal["ncp", "discernibility", "c-avg"] = ...,
    seconds: float = ...,
    seed: int | None = ...,
    sensitive: str = ...,
    splits: Literal["strict", "relaxed"] = ...,
    steps: int | str = ...,
    suppression: float = ...,
    t: float = ...,
    tum: Literal["ul-record", "ul-record-exact0"] = ...,
    utility: UtilityPolicy | str | None = ...,
    values: int = ...,
    walk: Literal["halving", "closed", "backtracking"] = ...,
    weights: Literal["equal", "semantic"] | str = ...,
    output: str | Path | None = ...,
    format: str | None = ...,
    margins: bool = ...,
    into: str | None = ...,
    database: str | None = ...,
    overwrite: bool = ...,
    accept_exposure: Sequence[str] | str = ...,
    accept_loss: bool = ...,
    accept_repeats: bool = ...,
    title: str = ...,
    by: str = ...,
    language: str = ...,
    ends: str = ...,
    like: str | Path | None = ...,
    parameters: Mapping[str, Any] | None = ...,
    progress: Listener = ...,
) -> Release:
    """By the algorithm of that id, or by the one that fits the data."""

@overload
def anonymize(
    data: str | Path,
    algorithm: str | None = None,
    *,
    memory: str | int | None = ...,
    jobs: int | None = ...,
    scheduler: str | None = ...,
    output: str | Path | None = ...,
    format: str | None = ...,
    margins: bool = ...,
    into: str | None = ...,
    database: str | None = ...,
    overwrite: bool = ...,
    accept_exposure: Sequence[str] | str = ...,
    accept_loss: bool = ...,
    accept_repeats: bool = ...,
    title: str = ...,
    by: str = ...,
    language: str = ...,
    ends: str = ...,
    like: str | Path | None = ...,
    parameters: Mapping[str, Any] | None = ...,
    progress: Listener = ...,
    **settings: Any,
) -> Release:
    """Data that are read first: `settings` are fields of `Schema` and parameters of the algorithm."""

def read(
    source: Any,
    schema: Schema | None = None,
    *,
    progress: Listener = ...,
    quasi: str | Sequence[str] | None = ...,
    sensitive: str | Sequence[str] | None = ...,
    identifier: str | Sequence[str] | None = ...,
    other: str | Sequence[str] | None = ...,
    kinds: Mapping[str, Literal["numeric", "ordered", "categorical", "flag"]] = ...,
    items: str | Sequence[str] | None = ...,
    item_separator: str | None = ...,
    drop_items: tuple[str, ...] | None = ...,
    multiset: bool = ...,
    sensitive_items: tuple[str, ...] | str | Path | None = ...,
    item_hierarchy: str | Path | None = ...,
    hierarchies: str | Path | Mapping[str, str | Path] | None = ...,
    id: str | None = ...,
    long: str | Path | None = ...,
    population: str | Path | None = ...,
    sampling: float | None = ...,
    repeated: bool = ...,
    table: str | None = ...,
    query: str | None = ...,
    items_table: str | None = ...,
    items_key: str | None = ...,
    sheet: str | None = ...,
    format: str | None = ...,
    delimiter: str | None = ...,
    missing: str | Sequence[str] | None = ...,
    key: str | None = ...,
) -> Dataset:
    """The dataset in a file or a DataFrame.

    quasi: columns an attacker may know; they are generalized
    sensitive: columns attackers do not know and must not learn; they are published unchanged
    identifier: columns that name people; they are left out
    other: columns by which nobody finds a person; they are published unchanged
    items: the column with sets of items; several are merged
    item_separator: the separator between items
    drop_items: items to remove when reading: patterns such as mrn:*
    multiset: keep repeated items: the count becomes part of the item
    sensitive_items: items to protect against inference, or a file with them
    item_hierarchy: the hierarchy of the items: a file, or a builder such as balanced:5
    hierarchies: a folder with hierarchies: <column>.csv, and items.csv for the items
    id: the column that identifies a person; all rows of a person become one record
    long: a second file with one row for each id and item
    population: a file of the population that the records were taken from; guarantees count its people
    sampling: the share of the population that was drawn at random, such as 0.02; guarantees become estimates
    repeated: the file has several rows for each id
    table: the table of a database
    query: the query to run on a database, instead of a table
    items_table: a second table with one row for each id and item
    items_key: the id column of the second file or table, if its name differs
    sheet: the sheet of an Excel file
    format: the format of the input: csv, tsv, parquet, feather, jsonl, json, xlsx, fimi or spmf
    delimiter: the separator between columns
    """

def anonymize_frame(
    frame: Frame,
    algorithm: str | None = None,
    *,
    structured: bool = False,
    accept_exposure: Sequence[str] | str = (),
    accept_loss: bool = False,
    accept_repeats: bool = False,
    parameters: Mapping[str, Any] | None = None,
    progress: Listener = ...,
    quasi: str | Sequence[str] | None = ...,
    sensitive: str | Sequence[str] | None = ...,
    identifier: str | Sequence[str] | None = ...,
    other: str | Sequence[str] | None = ...,
    kinds: Mapping[str, Literal["numeric", "ordered", "categorical", "flag"]] = ...,
    items: str | Sequence[str] | None = ...,
    item_separator: str | None = ...,
    drop_items: tuple[str, ...] | None = ...,
    multiset: bool = ...,
    sensitive_items: tuple[str, ...] | str | Path | None = ...,
    item_hierarchy: str | Path | None = ...,
    hierarchies: str | Path | Mapping[str, str | Path] | None = ...,
    id: str | None = ...,
    long: str | Path | None = ...,
    population: str | Path | None = ...,
    sampling: float | None = ...,
    repeated: bool = ...,
    table: str | None = ...,
    query: str | None = ...,
    items_table: str | None = ...,
    items_key: str | None = ...,
    sheet: str | None = ...,
    format: str | None = ...,
    delimiter: str | None = ...,
    missing: str | Sequence[str] | None = ...,
    key: str | None = ...,
    **others: Any,
) -> Frame:
    """A DataFrame that may be handed out, of the library of the one given; `others` are the algorithm's parameters.

    quasi: columns an attacker may know; they are generalized
    sensitive: columns attackers do not know and must not learn; they are published unchanged
    identifier: columns that name people; they are left out
    other: columns by which nobody finds a person; they are published unchanged
    items: the column with sets of items; several are merged
    item_separator: the separator between items
    drop_items: items to remove when reading: patterns such as mrn:*
    multiset: keep repeated items: the count becomes part of the item
    sensitive_items: items to protect against inference, or a file with them
    item_hierarchy: the hierarchy of the items: a file, or a builder such as balanced:5
    hierarchies: a folder with hierarchies: <column>.csv, and items.csv for the items
    id: the column that identifies a person; all rows of a person become one record
    long: a second file with one row for each id and item
    population: a file of the population that the records were taken from; guarantees count its people
    sampling: the share of the population that was drawn at random, such as 0.02; guarantees become estimates
    repeated: the file has several rows for each id
    table: the table of a database
    query: the query to run on a database, instead of a table
    items_table: a second table with one row for each id and item
    items_key: the id column of the second file or table, if its name differs
    sheet: the sheet of an Excel file
    format: the format of the input: csv, tsv, parquet, feather, jsonl, json, xlsx, fimi or spmf
    delimiter: the separator between columns
    """
