"""Say before a run which algorithms are for these data, and why others would be refused; and settings worth comparing."""

from itertools import combinations
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from anonset.algorithms import ALGORITHMS, RECOMMENDED
from anonset.algorithms.base import Algorithm
from anonset.algorithms.population import counts
from anonset.model.dataset import Dataset
from anonset.model.hierarchy import Hierarchy
from anonset.model.parameters import parameters
from anonset.model.sets import rows_of
from anonset.model.suitability import NamedSetting, Purpose, Suitability

ONE_CUT = ("aa", "vpa")  # show every item of the data at the nodes of one cut of the hierarchy
MOST_GROUPS = 60  # at the top of a hierarchy that is looked at
MOST_CELLS = 20_000_000  # records times groups that are looked at


def suitabilities(data: Dataset, k: int, m: int) -> tuple[Suitability, ...]:
    """Return what each algorithm is for, those for these data first; comparators are left out."""
    best = RECOMMENDED[_kind(data)][0] if data.quasi or data.transactions is not None else ""
    found = []
    for id, algorithm in ALGORITHMS.items():
        if not algorithm.comparator:
            reason = _lacking(algorithm, data) or _uncovered(algorithm, data) or _collapsed(id, data, k, m)
            found.append(Suitability(id, algorithm.title, _purpose(algorithm), reason, id == best))
    return tuple(sorted(found, key=lambda one: (bool(one.reason), not one.recommended)))


def _kind(data: Dataset) -> Literal["quasi", "items", "both"]:
    if data.transactions is None:
        return "quasi"
    return "both" if data.quasi else "items"


def _purpose(algorithm: type[Algorithm]) -> Purpose:
    if algorithm.guarantee.startswith("nr-"):
        return "doubt"
    if algorithm.covers == {"quasi"}:
        return "columns"
    if "quasi" in algorithm.covers:
        return "both"
    return "rules" if "utility" in {p.name for p in parameters(algorithm)} else "items"


def _lacking(algorithm: type[Algorithm], data: Dataset) -> str:
    """What an algorithm needs and the data do not have."""
    own_step = "items" in {p.name for p in parameters(algorithm)}  # whose needs count then
    if "items" in algorithm.needs and data.transactions is None:
        return "needs a list of items"
    if "quasi" in algorithm.needs and not data.quasi:
        return "needs columns that could be known"
    if "sensitive-column" in algorithm.needs and not data.with_role("sensitive"):
        return "needs a sensitive column"
    if "item-hierarchy" in algorithm.needs and not own_step and data.item_hierarchy is None:
        return "needs a hierarchy of the items"
    if not counts(algorithm, data):
        return "cannot count the people of a population"
    return ""


def _uncovered(algorithm: type[Algorithm], data: Dataset) -> str:
    if data.quasi and "quasi" not in algorithm.covers:
        return "does not protect the columns that could be known"
    if data.transactions is not None and "items" not in algorithm.covers:
        return "does not protect the items"
    return ""


def _collapsed(id: str, data: Dataset, k: int, m: int) -> str:
    """Whether a cut must be the root: where the groups just below it are too rare together, so is every finer cut."""
    if id not in ONE_CUT or data.item_hierarchy is None or data.transactions is None:
        return ""
    groups = _top_groups(data, data.item_hierarchy)
    if groups is None or not _rare_together(groups, k, m):
        return ""
    return f"would show no item at all: even the largest groups of the hierarchy are shared by fewer than {k} people"


def _top_groups(data: Dataset, tree: Hierarchy) -> NDArray[np.float32] | None:
    """The groups just below the root that each record has items of; None where there are too many to look at."""
    top = tree.children(tree.root)
    while len(top) == 1 and top[0] >= tree.n_leaves:
        top = tree.children(top[0])
    t = data.linkable
    if len(top) > MOST_GROUPS or len(t) * len(top) > MOST_CELLS:
        return None
    of_leaf = {tree.labels[leaf]: place for place, v in enumerate(top) for leaf in range(tree.low[v], tree.high[v])}
    places = np.array([of_leaf.get(name, -1) for name in t.domain], np.int64)[t.items]
    found = np.zeros((len(t), len(top)), np.float32)
    there = places >= 0
    found[rows_of(t.offsets)[there], places[there]] = 1
    return found


def _rare_together(groups: NDArray[np.float32], k: int, m: int) -> bool:
    """Whether some of at most two groups, or three where m allows, are together in some records but fewer than k."""
    pairs = groups.T @ groups if m > 1 else np.diag(groups.sum(axis=0))
    rare = bool(((pairs > 0) & (pairs < k)).any())
    if rare or m < 3:
        return rare
    for a, b in combinations(range(groups.shape[1]), 2):
        both = (groups[:, a] * groups[:, b]) @ groups
        if ((both > 0) & (both < k)).any():
            return True
    return False


def three_settings(data: Dataset) -> tuple[NamedSetting, ...]:
    """Return three settings for these data: one for each part and one between, or three that keep different things."""
    if data.quasi and data.transactions is not None:
        return (
            NamedSetting("columns", "rt-search", {"balance": 0.3}),
            NamedSetting("balanced", "rt-search", {}),
            NamedSetting("items", "rt-search", {"balance": 0.8}),
        )
    if data.transactions is not None:
        return (
            NamedSetting("exact", "lift", {"minimize": "ul"}),
            NamedSetting("counts", "lift", {"minimize": "queries"}),
            NamedSetting("detail", "lift", {"minimize": "ncp"}),
        )
    return (
        NamedSetting("exact", "cluster", {}),
        NamedSetting("counts", "peel", {}),
        NamedSetting("uniform", "incognito", {"suppression": 0.05}),
    )
