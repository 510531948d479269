"""How well association rules survive."""

from collections.abc import Mapping
from typing import NamedTuple, TypeVar

from anonset.errors import InputError
from anonset.measure.itemsets import Itemset, frequent_after, frequent_before
from anonset.measure.workload import Estimator
from anonset.model.dataset import Dataset
from anonset.model.release import Release

SUPPORTS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
Rule = tuple[Itemset, str]
T = TypeVar("T")


class Survival(NamedTuple):
    """Of what is found in the release, the share that is in the original (precision); of what is in the original, the share
    that is still found (recall); how many there are in the original, and how many are found."""

    precision: float
    recall: float
    number: int
    found: int


class Mined(NamedTuple):
    """Frequent itemsets and rules at a support and a confidence, before and after."""

    support: float
    confidence: float
    itemsets: Survival
    rules: Survival


def mined(
    original: Dataset,
    release: Release,
    *,
    support: float | None = None,
    confidence: float = 0.5,
    longest: int = 3,
    estimator: Estimator = "uniform",
) -> Mined | None:
    """What mining the release finds beside what mining the original finds.

    Without a support, the first of 1, 2, 5, 10, 20 and 50 % at which the itemsets can be listed; None where there is none.
    """
    for share in SUPPORTS if support is None else (support,):
        try:
            least = max(1.0, share * len(original))
            before = frequent_before(original, least, longest)
            after = frequent_after(original, release, least, longest, estimator)
        except InputError:
            if support is not None:
                raise
            continue
        found = rules(before, confidence), rules(after, confidence)
        return Mined(share, confidence, survival(set(before), set(after)), survival(*found))
    return None


def rules(supports: Mapping[Itemset, float], confidence: float) -> set[Rule]:
    """The rules {others} -> item of the itemsets that hold in at least that share of the records with the others."""
    return {
        (others, item)
        for items, n in supports.items()
        if len(items) > 1
        for p, item in enumerate(items)
        if (others := (*items[:p], *items[p + 1 :])) in supports and n >= confidence * supports[others]
    }


def survival(before: set[T], after: set[T]) -> Survival:
    """How much of what there was is still there, and how much of what is there was."""
    both = len(before & after)
    return Survival(both / len(after) if after else 1.0, both / len(before) if before else 1.0, len(before), len(after))
