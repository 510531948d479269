"""Privacy and utility constraints while a person writes them: made, read from a file, and looked at line by line."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

import numpy as np

from anonset.data.policies import Policies, read_policies, read_privacy, read_utility
from anonset.errors import InputError
from anonset.model.accepted import Accepted
from anonset.model.arrays import Rows
from anonset.model.dataset import Dataset, Transactions
from anonset.model.policy import AllItemsets, Itemset, Itemsets, UtilityPolicy
from anonset.model.sets import offsets_of, rows_of
from anonset.releases.gates import foreseen_exposures
from anonset.tasks.policy import make_policies


@dataclass(frozen=True, slots=True)
class Written:
    """Constraints as they are written down; m where all sets of at most m items are meant."""

    privacy: tuple[Itemset, ...] = ()
    utility: tuple[Itemset, ...] = ()
    suppression: float = 0.0
    m: int | None = None


@dataclass(frozen=True, slots=True)
class LineFacts:
    """A line: the records that hold all of its items, or any of them; names that do not occur, and what is close to them."""

    all_of: int
    any_of: int
    unknown: tuple[str, ...] = ()
    close: tuple[str, ...] = ()


def make(data: Dataset, privacy: str | None, utility: str | None, *, seed: int = 0) -> Written:
    """Constraints made from the data: pairs:0.1, PR1 to PR9; level:2, neighbours:25, UR1 to UR5."""
    return written(make_policies(data, privacy, utility, seed=seed))


def read(file: Path, holds: str) -> Written:
    """The constraints in a TOML or JSON file, or those of one kind, privacy or utility, in CSV."""
    if not file.name.removesuffix(".gz").endswith(".csv"):
        return written(read_policies(file))
    return written(Policies(read_privacy(file), None) if holds == "privacy" else Policies(None, read_utility(file)))


def written(policies: Policies) -> Written:
    """Policies as lines."""
    privacy, utility = policies
    if not isinstance(privacy, Itemsets | AllItemsets | None):
        raise InputError("whole transactions cannot be listed; name sets of items, or all sets of at most m")
    sets = privacy.itemsets if isinstance(privacy, Itemsets) else ()
    m = privacy.m if isinstance(privacy, AllItemsets) else None
    groups = () if utility is None else utility.groups
    return Written(sets, groups, 0.0 if utility is None else utility.suppression, m)


def utility_policy(data: Dataset, groups: Sequence[Itemset], suppression: float) -> UtilityPolicy | None:
    """The groups as a policy, in which every other item stays on its own; none without groups."""
    return UtilityPolicy(tuple(groups), suppression).completed(data.linkable.domain) if groups else None


def look(data: Dataset, lines: Sequence[Itemset]) -> list[LineFacts]:
    """What each line of items is about."""
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
    """What cannot be promised of sensitive columns, and which columns would be refused as they are, but for those accepted."""
    impossible = [
        f"{column.name} has {len(column.domain)} different answers, and l is {l}"
        for column in data.with_role("sensitive")
        if l is not None and len(column.domain) < l
    ]
    exposed = foreseen_exposures(data, k)
    return impossible, [f"would be refused: {text}" for name, text in exposed.items() if name not in accepted]


def repeats(data: Dataset, accepted: Accepted) -> str:
    """What to say where people have several rows and nobody insists on counting rows; empty where they have one."""
    if not data.tied or accepted.takes_repeats(data.tied):
        return ""
    return f"values of {', '.join(data.tied)} repeat, so people have several rows, and k rows may all be one person's"
