"""Utility constraints ([003] Definition 7): labels stay inside the groups, and only a share of the items is suppressed."""

from collections.abc import Sequence, Set

import numpy as np

from anonset.model.arrays import Mask
from anonset.model.dataset import Dataset
from anonset.model.guarantees import UtilityConstraints
from anonset.model.labels import GeneralizedItems
from anonset.model.release import Release
from anonset.model.verdict import Finding
from anonset.verify.findings import WITNESSES, fail_closed
from anonset.verify.shown import NotPublishedError, generalized_items, sensitive_names, shortened


@fail_closed
def check_utility_constraints(original: Dataset, release: Release, guarantee: UtilityConstraints, limit: int) -> Finding:
    """Look at every label that a record shows, and at every item of the original that no shown label stands for.

    A label for one item is inside any constraint. Sensitive items are not asked for.
    """
    if original.transactions is None:
        raise NotPublishedError("the guarantee is about items, and the original has none")
    items = generalized_items(release)
    shown = np.zeros(len(items.labels), np.bool_)
    shown[items.shown] = True
    outside = np.flatnonzero(shown & ~_inside(items, guarantee))
    member = np.repeat(shown, items.labels.sizes)
    visible = {items.domain[i] for i in np.unique(items.labels.members[member])}
    return utility_finding(original, guarantee, [items.labels.texts[a] for a in outside], visible)


def utility_finding(original: Dataset, guarantee: UtilityConstraints, outside: Sequence[str], visible: Set[str]) -> Finding:
    """The finding where these labels are outside the constraints, and labels are shown that stand for these items."""
    witnesses = [f"{shortened(text)} is in no utility constraint" for text in outside[:WITNESSES]]
    lost, of = _suppressed(original, visible)
    too_many = lost > guarantee.suppression * of + 1e-9
    sentence = f"{lost} of {of} items are suppressed; {guarantee.suppression:.2%} of them are allowed"
    witnesses += [sentence] * too_many
    violations = len(outside) + too_many
    return Finding(guarantee.id, violations == 0, violations, witnesses[0] if violations else sentence, None, tuple(witnesses))


def _inside(items: GeneralizedItems, guarantee: UtilityConstraints) -> Mask:
    """Which labels stand for one item, or for items of one and the same constraint."""
    group_of = {name: g for g, group in enumerate(guarantee.groups) for name in group}
    group = np.array([group_of.get(name, -1) for name in items.domain], np.int64)[items.labels.members]
    if not len(group):
        return np.zeros(0, np.bool_)
    starts = items.labels.offsets[:-1]
    lowest, highest = np.minimum.reduceat(group, starts), np.maximum.reduceat(group, starts)
    inside: Mask = ((lowest == highest) & (lowest >= 0)) | (items.labels.sizes == 1)
    return inside


def _suppressed(original: Dataset, visible: Set[str]) -> tuple[int, int]:
    """How many items of the original no record shows any more, and how many there are; sensitive ones aside."""
    assert original.transactions is not None
    sensitive = sensitive_names(original)
    supports = original.transactions.supports
    names = [name for name, n in zip(original.transactions.domain, supports, strict=True) if n > 0 and name not in sensitive]
    return sum(name not in visible for name in names), len(names)
