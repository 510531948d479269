"""Privacy constraints ([003] Definition 5) and utility constraints (Definition 7) as they are published."""

from collections.abc import Sequence, Set

import numpy as np

from anonset.model.arrays import Mask, Rows
from anonset.model.dataset import Dataset
from anonset.model.guarantees import Constraints, UtilityConstraints
from anonset.model.labels import GeneralizedItems
from anonset.model.release import Release
from anonset.model.verdict import Finding
from anonset.verify.attacker_view import NotPublishedError, generalized_items, sensitive_names, shortened
from anonset.verify.findings import WITNESSES, Tally, fail_closed
from anonset.verify.itemset_counts import supports_of
from anonset.verify.sets import Sets, distinct, offsets_of, require_within

NOWHERE = "none of the itemsets is in any record"


@fail_closed
def check_constraints(original: Dataset, release: Release, guarantee: Constraints, limit: int) -> Finding:
    """Count, for each itemset, the records that show for every item of it a label that stands for it.

    With global recoding this is the support of the translated itemset; an item that no label stands for is suppressed, and
    then the support is 0.
    """
    items = generalized_items(release)
    supports = itemset_supports(items, guarantee, limit)
    occurs = np.flatnonzero(supports > 0)
    tally = Tally(guarantee.id, guarantee.k)
    tally.add(supports[occurs], 0, lambda p: _text(guarantee.itemsets[occurs[p]], items))
    return tally.finding(NOWHERE)


def itemset_supports(items: GeneralizedItems, guarantee: Constraints, limit: int) -> Rows:
    """For each itemset the number of records that show for every item of it a label that stands for it."""
    known, queries = _coded(guarantee, items)
    shown = Sets(items.offsets, items.shown, len(items.labels))
    first, weights, _ = distinct(shown)
    shown = shown.take(first)
    if items.is_global:
        published, kept = _translated(queries, items)
        known = known[kept]
        supports = supports_of(published, shown, weights, limit=limit)
    else:
        supports = supports_of(queries, _possible_items(shown, items, queries, limit), weights, limit=limit)
    found = np.zeros(len(guarantee.itemsets), np.int64)
    found[known] = supports
    return found


def _coded(guarantee: Constraints, items: GeneralizedItems) -> tuple[Rows, Sets]:
    """The itemsets that have no item unknown to the release, by number, and as codes of its domain."""
    number = {name: i for i, name in enumerate(items.domain)}
    itemsets = [sorted({number.get(name, -1) for name in itemset}) for itemset in guarantee.itemsets]
    known = [p for p, itemset in enumerate(itemsets) if not itemset or itemset[0] >= 0]
    members = np.array([item for p in known for item in itemsets[p]], np.int32)
    return np.array(known, np.int64), Sets(offsets_of([len(itemsets[p]) for p in known]), members, len(items.domain))


def _translated(queries: Sets, items: GeneralizedItems) -> tuple[Sets, Rows]:
    """The itemsets as sets of labels, and which they are; those with an item that no label stands for are left out."""
    label_of = np.full(len(items.domain), -1, np.int64)
    label_of[items.labels.members] = np.repeat(np.arange(len(items.labels)), items.labels.sizes)
    labels, owners = label_of[queries.members], queries.owners
    lost = np.bincount(owners[labels < 0], minlength=queries.n) > 0
    keys = np.unique(owners[~lost[owners]] * len(items.labels) + labels[~lost[owners]])
    lengths = np.bincount(keys // max(1, len(items.labels)), minlength=queries.n)
    members = (keys % max(1, len(items.labels))).astype(np.int32)
    return Sets(offsets_of(lengths[~lost]), members, len(items.labels)), np.flatnonzero(~lost)


def _possible_items(shown: Sets, items: GeneralizedItems, queries: Sets, limit: int) -> Sets:
    """The items of the queries that each record may have, since it shows a label that stands for them."""
    wanted = np.zeros(len(items.domain), np.bool_)
    wanted[queries.members] = True
    members = Sets(items.labels.offsets, items.labels.members, len(items.domain)).keep(wanted[items.labels.members])
    require_within(int(members.lengths[shown.members].sum()), limit)
    possible = (shown.matrix @ members.matrix).tocsr()
    possible.sort_indices()
    return Sets(possible.indptr.astype(np.int64), possible.indices.astype(np.int32), len(items.domain))


def _text(itemset: Sequence[str], items: GeneralizedItems) -> str:
    """The itemset, and how it is published where every item is published in one way only."""
    plain = f"{{{', '.join(itemset)}}}"
    if not items.is_global:
        return plain
    groups = zip(items.labels.texts, items.labels.groups(), strict=True)
    shown = {items.domain[i]: text for text, group in groups for i in group}
    published = f"{{{', '.join(dict.fromkeys(shortened(shown[name]) for name in itemset))}}}"
    return plain if published == plain else f"{published}, which stands for {plain}"


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
