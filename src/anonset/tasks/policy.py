"""Make, read and check privacy and utility constraints for a dataset, and describe them while a person writes them."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

import numpy as np

from anonset.algorithms.constraints.lint import PolicyRemark, lint
from anonset.data.files import require_free
from anonset.data.policies import Policies, read_policies, read_privacy, read_utility, write_policies
from anonset.errors import Fix, InputError, ParameterError, Set
from anonset.model.arrays import Rows
from anonset.model.dataset import Dataset, Transactions
from anonset.model.policy import (
    AllItemsets,
    ConstraintLines,
    Itemset,
    Itemsets,
    LineFacts,
    PrivacyPolicy,
    UtilityPolicy,
    WholeTransactions,
    groups_at_level,
    neighbours,
    pairs_of_some_items,
    privacy_set,
    utility_set,
)
from anonset.model.release import Accepted
from anonset.model.sets import offsets_of, rows_of
from anonset.releases.gates import foreseen_exposures
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
        raise ParameterError(
            "neither privacy nor utility constraints are requested", fix=[Fix("pass {} or {}", Set("privacy"), Set("utility"))]
        )
    if request.utility is None and request.suppression:
        raise ParameterError("a suppression limit needs utility constraints", fix=[Set("utility")])
    require_free(request.output, overwrite=request.overwrite)
    data = _with_items(request.source)
    policies = make_policies(data, request.privacy, request.utility, seed=request.seed, suppression=request.suppression)
    write_policies(request.output, policies.privacy, policies.utility)
    return policies


def make_policies(
    data: Dataset, privacy: str | None, utility: str | None, *, seed: int = 0, suppression: float = 0.0
) -> Policies:
    """Policies for data in memory."""
    return Policies(
        None if privacy is None else _privacy(data, privacy, seed),
        None if utility is None else _utility(data, utility, suppression),
    )


def run_check(request: PolicyCheckRequest) -> tuple[PolicyRemark, ...]:
    """Return the errors of policies on these data, and the constraints that are open."""
    policies = read_policies(request.file)
    data = _with_items(request.source)
    return lint(data, policies.privacy or AllItemsets(request.m), policies.utility, request.k)


def of_dataset(
    data: Dataset, privacy: PrivacyPolicy | None, utility: UtilityPolicy | None, *, k: int, m: int
) -> tuple[PolicyRemark, ...]:
    """Check policies against data in memory."""
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
                raise InputError("level:N needs a hierarchy of the items", fix=[Set("item_hierarchy")])
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


def make(data: Dataset, privacy: str | None, utility: str | None, *, seed: int = 0) -> ConstraintLines:
    """Constraints made from the data: pairs:0.1, PR1 to PR9; level:2, neighbours:25, UR1 to UR5."""
    return written(make_policies(data, privacy, utility, seed=seed))


def read(file: Path, holds: str) -> ConstraintLines:
    """The constraints in a TOML or JSON file, or those of one kind, privacy or utility, in CSV."""
    if not file.name.removesuffix(".gz").endswith(".csv"):
        return written(read_policies(file))
    return written(Policies(read_privacy(file), None) if holds == "privacy" else Policies(None, read_utility(file)))


def written(policies: Policies) -> ConstraintLines:
    """Policies as lines."""
    privacy, utility = policies
    if not isinstance(privacy, Itemsets | AllItemsets | None):
        raise InputError("whole transactions cannot be listed; name sets of items, or all sets of at most m")
    sets = privacy.itemsets if isinstance(privacy, Itemsets) else ()
    m = privacy.m if isinstance(privacy, AllItemsets) else None
    groups = () if utility is None else utility.groups
    return ConstraintLines(sets, groups, 0.0 if utility is None else utility.suppression, m)


def utility_policy(data: Dataset, groups: Sequence[Itemset], suppression: float) -> UtilityPolicy | None:
    """The groups as a policy, in which every other item stays on its own; none without groups."""
    return UtilityPolicy(tuple(groups), suppression).completed(data.linkable.domain) if groups else None


def look(data: Dataset, lines: Sequence[Itemset]) -> list[LineFacts]:
    """Return the facts about each line of items."""
    if data.transactions is None:
        raise InputError("the data have no list of items")
    domain, records = data.transactions.domain, _records(data.transactions)
    place = {name: i for i, name in enumerate(domain)}

    def facts(line: Itemset) -> LineFacts:
        unknown = tuple(name for name in line if name not in place)
        held = sorted((records(place[name]) for name in set(line) if name in place), key=len)
        if not held:
            return LineFacts(0, 0, unknown, _close(unknown, domain))
        common, some = held[0], np.unique(np.concatenate(held))
        for more in held[1:]:
            common = np.intersect1d(common, more, assume_unique=True)
        return LineFacts(0 if unknown else len(common), len(some), unknown, _close(unknown, domain))

    return [facts(line) for line in lines]


def _close(unknown: Sequence[str], domain: Sequence[str]) -> tuple[str, ...]:
    return tuple(found for name in unknown[:1] for found in get_close_matches(name, domain, 1))


def _records(t: Transactions) -> Callable[[int], Rows]:
    """A function that gives the records of an item."""
    order = np.argsort(t.items, kind="stable")
    rows, starts = rows_of(t.offsets)[order], offsets_of(t.supports)
    return lambda item: rows[starts[item] : starts[item + 1]]


def foreseen(
    data: Dataset,
    k: int,
    l: int | None,  # noqa: E741 - the field's letter
    accepted: Collection[str] = (),
) -> tuple[list[str], list[str]]:
    """Return why l cannot be promised for sensitive columns, and which columns would be refused unless they are accepted."""
    impossible = [
        f"{column.name} has {len(column.domain)} different answers, and l is {l}"
        for column in data.with_role("sensitive")
        if l is not None and len(column.domain) < l
    ]
    exposed = foreseen_exposures(data, k)
    return impossible, [f"would be refused: {text}" for name, text in exposed.items() if name not in accepted]


def repeats(data: Dataset, accepted: Accepted) -> str:
    """Return why repeated rows of people are refused; empty where people have one row or repeats are accepted."""
    if not data.tied or accepted.takes_repeats(data.tied):
        return ""
    return f"values of {', '.join(data.tied)} repeat, so people have several rows, and k rows may all be one person's"
