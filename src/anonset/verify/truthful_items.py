"""Whether published items are true to the original sets behind them."""

import numpy as np

from anonset.model.arrays import Mask, Rows
from anonset.model.dataset import Dataset
from anonset.model.labels import GeneralizedItems, UncertainItems
from anonset.model.release import Release
from anonset.verify.findings import WITNESSES
from anonset.verify.limits import BLOCK
from anonset.verify.matching import Uncertain
from anonset.verify.sets import Sets, is_among, runs
from anonset.verify.shown import shortened

Breaches = tuple[int, list[str]]  # how many, and the first few in words


def generalized_breaches(original: Dataset, items: GeneralizedItems, rows: Rows, *, partial: bool) -> Breaches:
    """Labels without an item of the record behind them, items without a label, and labels that must not be shown.

    Items that are not sensitive may be without a label where the release says that it is partial.
    """
    records, known, sensitive = _in_their_words(original, items, rows)
    shown = Sets(items.offsets, items.shown, len(items.labels))
    true, covered = _covering(records, shown, _labels(items))
    suppressed = np.zeros(records.d, np.bool_)
    suppressed[items.suppressed] = True
    may_go = (suppressed | partial) & ~sensitive
    lost = ~covered & ~may_go[records.members]
    false_count, false = _false_labels(shown, true, items)
    lost_count, missing = _lost_items(records, lost)
    label_count, wrong = _wrong_labels(items, known, suppressed, sensitive)
    return label_count + false_count + lost_count, [*wrong, *false, *missing]


def left_out(original: Dataset, items: GeneralizedItems, rows: Rows) -> tuple[int, int]:
    """How many items of the records that are not sensitive have no label there, and how many such items there are."""
    records, _, sensitive = _in_their_words(original, items, rows)
    _, covered = _covering(records, Sets(items.offsets, items.shown, len(items.labels)), _labels(items))
    linkable = ~sensitive[records.members]
    return int((linkable & ~covered).sum()), int(linkable.sum())


def uncertain_breaches(original: Dataset, release: Release) -> Breaches:
    """Records that the original behind them does not match, or whose sensitive items are not exact."""
    assert isinstance(release.items, UncertainItems)
    sets = Uncertain.of(original, release)
    wrong = ~sets.match_items(release.rows, np.arange(len(release)))
    places = np.flatnonzero(wrong)
    said = [f"published record {r} does not match the original record behind it" for r in places[:WITNESSES]]
    inexact = _inexact_sensitive(original, release.items, release.rows)
    said += [f"published record {r} does not show the sensitive items as they are" for r in inexact[:WITNESSES]]
    return len(places) + len(inexact), said


def _in_their_words(original: Dataset, items: GeneralizedItems, rows: Rows) -> tuple[Sets, Mask, Mask]:
    """The original records in the release's item codes; which of its items the original knows, and which are sensitive.

    Original items that the release does not know get codes of their own, above the others.
    """
    transactions = original.transactions
    assert transactions is not None
    number = {name: i for i, name in enumerate(items.domain)}
    code = np.array([number.setdefault(name, len(number)) for name in transactions.domain], np.int32)
    mine = set(transactions.domain)
    known = np.array([name in mine for name in items.domain], np.bool_)
    sensitive = np.zeros(len(number), np.bool_)
    if original.sensitive_items is not None:
        sensitive[code[original.sensitive_items]] = True
    taken = transactions.take(rows)
    return Sets(taken.offsets, taken.items, len(mine)).rename(code, len(number)), known, sensitive


def _labels(items: GeneralizedItems) -> Sets:
    return Sets(items.labels.offsets, items.labels.members, len(items.domain))


def _covering(records: Sets, shown: Sets, labels: Sets) -> tuple[Mask, Mask]:
    """Which shown labels have an item of the record behind them, and which items of a record have a label it shows.

    Walks from each item to the labels that stand for it, or from each shown label to its items, whichever is shorter.
    """
    labels = Sets(labels.offsets, labels.members, records.d)
    standing = labels.matrix.T.tocsr()
    for_item = Sets(standing.indptr.astype(np.int64), standing.indices.astype(np.int32), labels.n)
    if int(for_item.lengths[records.members].sum()) <= int(labels.lengths[shown.members].sum()):
        covered, true = _walk(records, for_item, shown)
    else:
        true, covered = _walk(shown, labels, records)
    return true, covered


def _walk(sets: Sets, steps: Sets, others: Sets) -> tuple[Mask, Mask]:
    """Which entries of `sets` lead, by a step, to an entry of the same row of `others`, and which entries are reached."""
    leads, reached = np.zeros(len(sets.members), np.bool_), np.zeros(len(others.members), np.bool_)
    owners, goals = sets.owners, others.owners * others.d + others.members
    work = np.concatenate([[0], np.cumsum(steps.lengths[sets.members])])
    low = 0
    while low < len(sets.members):
        high = max(low + 1, int(np.searchsorted(work, work[low] + BLOCK, side="right")) - 1)
        here = sets.members[low:high]
        lengths, at = runs(steps.offsets[here], steps.offsets[here + 1])
        keys = np.repeat(owners[low:high], lengths) * others.d + steps.members[at]
        hits = is_among(keys, goals)
        leads[low:high] = np.bincount(np.repeat(np.arange(high - low), lengths)[hits], minlength=high - low) > 0
        reached[np.searchsorted(goals, keys[hits])] = True
        low = high
    return leads, reached


def _false_labels(shown: Sets, true: Mask, items: GeneralizedItems) -> Breaches:
    places = np.flatnonzero(~true)
    owners = np.searchsorted(shown.offsets, places[:WITNESSES], side="right") - 1
    texts = [shortened(items.labels.texts[a]) for a in shown.members[places[:WITNESSES]]]
    said = [
        f"published record {r} shows {text}, and the original record has nothing it stands for"
        for r, text in zip(owners, texts, strict=True)
    ]
    return len(places), said


def _lost_items(records: Sets, lost: Mask) -> Breaches:
    places = np.flatnonzero(lost)
    owners = np.unique(np.searchsorted(records.offsets, places[:WITNESSES], side="right") - 1)
    said = [f"an item of published record {r} is neither shown nor listed as suppressed" for r in owners]
    return len(places), said


def _wrong_labels(items: GeneralizedItems, known: Mask, suppressed: Mask, sensitive: Mask) -> Breaches:
    """Shown labels that stand for unknown or suppressed items, or for a sensitive item and others."""
    members = items.labels.members
    shown = np.zeros(len(items.labels), np.bool_)
    shown[items.shown] = True
    faults = (
        (~known[members], "stands for an item the original does not know"),
        (suppressed[members], "stands for an item that is listed as suppressed"),
        (sensitive[members] & np.repeat(items.labels.sizes > 1, items.labels.sizes), "hides a sensitive item among others"),
    )
    owners = np.repeat(np.arange(len(items.labels)), items.labels.sizes)
    found = [(a, why) for marked, why in faults for a in np.unique(owners[marked]) if shown[a]]
    return len(found), [f"{shortened(items.labels.texts[a])} {why}" for a, why in found[:WITNESSES]]


def _inexact_sensitive(original: Dataset, items: UncertainItems, rows: Rows) -> Rows:
    """Published records whose base differs from the original in sensitive items, or that have one as uncertain."""
    if original.sensitive_items is None or original.transactions is None:
        return np.zeros(0, np.int64)
    transactions, d = original.transactions, len(original.transactions.domain)
    number = {name: i for i, name in enumerate(transactions.domain) if original.sensitive_items[i]}
    code = np.array([number.get(name, -1) for name in items.domain], np.int32)
    truth = transactions.without(~original.sensitive_items).take(rows)
    base = Sets(items.base_offsets, items.base, len(code)).rename(code, d)
    unsure = Sets(items.distance_offsets, items.distance, len(code)).rename(code, d)
    expected = Sets(truth.offsets, truth.items, d)
    different = np.setxor1d(base.owners * d + base.members, expected.owners * d + expected.members) // max(1, d)
    return np.unique(np.concatenate([different, unsure.owners]))
