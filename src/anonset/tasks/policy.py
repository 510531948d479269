"""Make privacy and utility constraints for a file, and check them against it."""

from dataclasses import dataclass
from pathlib import Path

from anonset.algorithms.constraints.lint import PolicyRemark, lint
from anonset.data.files import require_free
from anonset.data.policies import Policies, read_policies, write_policies
from anonset.errors import InputError, ParameterError, way
from anonset.model.dataset import Dataset
from anonset.model.policy import AllItemsets, PrivacyPolicy, UtilityPolicy, WholeTransactions
from anonset.model.policy_generators import groups_at_level, neighbours, pairs_of_some_items, privacy_set, utility_set
from anonset.tasks.inputs import Input


@dataclass(frozen=True, slots=True)
class MakeRequest:
    """Which privacy constraints (all:M, transactions, pairs:SHARE, PR1 to PR9) and utility constraints (level:N, ...)."""

    source: Input
    output: Path
    privacy: str | None = None
    utility: str | None = None
    suppression: float = 0.0
    seed: int = 0
    overwrite: bool = False


@dataclass(frozen=True, slots=True)
class PolicyCheckRequest:
    """A file of policies and the data it is for."""

    file: Path
    source: Input
    k: int = 5
    m: int = 2


def run_make(request: MakeRequest) -> Policies:
    """Write privacy constraints, utility constraints, or both, for the items of a dataset."""
    if request.privacy is None and request.utility is None:
        raise ParameterError(f"nothing is asked for; pass {way('privacy')} or {way('utility')}")
    if request.utility is None and request.suppression:
        raise ParameterError(f"{way('suppression')} needs {way('utility')} beside it")
    require_free(request.output, overwrite=request.overwrite)
    data = _with_items(request.source)
    made = make_policies(data, request.privacy, request.utility, seed=request.seed, suppression=request.suppression)
    write_policies(request.output, made.privacy, made.utility)
    return made


def make_policies(
    data: Dataset, privacy: str | None, utility: str | None, *, seed: int = 0, suppression: float = 0.0
) -> Policies:
    """Policies for data in memory."""
    return Policies(
        None if privacy is None else _privacy(data, privacy, seed),
        None if utility is None else _utility(data, utility, suppression),
    )


def run_check(request: PolicyCheckRequest) -> tuple[PolicyRemark, ...]:
    """What is wrong with policies on these data, and which constraints are open."""
    policies = read_policies(request.file)
    data = _with_items(request.source)
    return lint(data, policies.privacy or AllItemsets(request.m), policies.utility, request.k)


def of_dataset(
    data: Dataset, privacy: PrivacyPolicy | None, utility: UtilityPolicy | None, *, k: int, m: int
) -> tuple[PolicyRemark, ...]:
    """The same of policies and data in memory."""
    return lint(data, privacy or AllItemsets(m), utility, k)


def write(path: Path, privacy: PrivacyPolicy | None, utility: UtilityPolicy | None) -> None:
    """Write policies to a file that other tasks read."""
    write_policies(path, privacy, utility)


def _with_items(source: Input) -> Dataset:
    data = source.read()
    if data.transactions is None:
        raise InputError("the data have no set-valued attribute, so there is nothing to constrain", file=str(source.data))
    return data


def _privacy(data: Dataset, which: str, seed: int) -> PrivacyPolicy:
    match which.split(":"):
        case ["transactions"]:
            return WholeTransactions()
        case ["all", size]:
            return AllItemsets(int(_number(size, "all:M")))
        case ["pairs", share]:
            return pairs_of_some_items(data, _number(share, "pairs:SHARE"), seed=seed)
        case _:
            return privacy_set(data, which, seed=seed)


def _utility(data: Dataset, which: str, suppression: float) -> UtilityPolicy:
    match which.split(":"):
        case ["level", level]:
            if data.item_hierarchy is None:
                raise InputError(f"level:N needs a hierarchy of the items; pass {way('item_hierarchy')}")
            return groups_at_level(data.item_hierarchy, int(_number(level, "level:N")), suppression=suppression)
        case ["neighbours", size]:
            return neighbours(data, int(_number(size, "neighbours:N")), suppression=suppression)
        case _:
            return utility_set(data, which, suppression=suppression)


def _number(text: str, form: str) -> float:
    """The number in a text like all:2."""
    whole = not form.endswith("SHARE")
    try:
        value = int(text) if whole else float(text)
    except ValueError:
        value = -1
    if value < 0 or (not whole and not value <= 1):
        raise ParameterError(f"{form} needs {'a whole number from 0' if whole else 'a share from 0 to 1'}; got {text!r}")
    return value
