"""Truthfulness: every published value covers the original one, and no label reveals values of records that were left out."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import NamedTuple, TypeVar

import numpy as np

from anonset import threads
from anonset.model.arrays import Ids, Mask, Reals, Rows
from anonset.model.dataset import Column, Dataset
from anonset.model.guarantees import PartialItems
from anonset.model.hierarchy import Hierarchy
from anonset.model.labels import GeneralizedItems, Labels, PublishedColumn, Ranges, UncertainItems
from anonset.model.release import Release
from anonset.model.verdict import Finding
from anonset.verify.attacker_view import NotPublishedError, cell_text, covers, generalized_items, is_exact, shortened
from anonset.verify.findings import WITNESSES, Breaches, fail_closed
from anonset.verify.sets import BLOCK, ROWS, SHARED, Sets, blocks, owned
from anonset.verify.uncertain_matches import UncertainSets

SPARE = Fraction(10_001, 1_000_000)  # of its width, by which rounded ends may widen a range: a hundredth, and what floats lose
FINEST = 3  # powers of ten below the width of a range, the finest steps that its ends are rounded to


def named_left_out(original: Dataset, release: Release) -> Iterator[Breaches]:
    """Labels that are shown and stand for a value, end at a number or stand for an item that no published record holds."""
    known = {column.name: column for column in original.columns}
    for column in release.columns:
        own = known.get(column.name)
        if own is not None and not _is_public(own.hierarchy):
            yield _said(column.name, column.labels, _in_column(own, column, release.rows))
    items = release.items
    if isinstance(items, GeneralizedItems) and original.transactions is not None and not _is_public(original.item_hierarchy):
        taken = original.transactions.take(release.rows)
        held = {original.transactions.domain[i] for i in np.unique(taken.items)}
        strange = np.array([name not in held for name in items.domain], np.bool_)
        yield _said(original.item_column, items.labels, _with_member(items.labels, strange, np.unique(items.shown)))


def _is_public(hierarchy: Hierarchy | None) -> bool:
    return hierarchy is not None and not hierarchy.derived


def _in_column(own: Column, published: PublishedColumn, rows: Rows) -> Mask:
    """Which labels are shown and go beyond the values of published records."""
    codes, labels = own.codes[rows], published.labels
    held = np.unique(codes[codes >= 0])
    shown = np.unique(published.codes[published.codes >= 0])
    if isinstance(labels, Labels):
        strange = np.ones(max(len(own.domain), int(labels.members.max(initial=-1)) + 1), np.bool_)
        strange[held] = False
        return _with_member(labels, strange, shown)
    numbers = np.sort(own.values[held]) if own.values is not None else np.zeros(0)
    beyond: Mask = ~(np.isin(labels.low, numbers) & np.isin(labels.high, numbers))
    for a in np.intersect1d(np.flatnonzero(beyond), shown):
        beyond[a] = not _is_rounded(float(labels.low[a]), float(labels.high[a]), numbers)
    beyond[np.setdiff1d(np.arange(len(labels)), shown)] = False
    return beyond


def _is_rounded(low: float, high: float, numbers: Reals) -> bool:
    """Whether both ends are what numbers of published records in the range round to, whatever those left out hold.

    There is a step of 1, 2 or 5 times a power of ten, no smaller than a thousandth of the width of those numbers, whose next
    multiples below and above them are the ends, and at most a hundredth of that width away.
    """
    inside = numbers[np.searchsorted(numbers, low) : np.searchsorted(numbers, high, side="right")]
    if len(inside) == 0 or inside[0] == inside[-1]:
        return False
    first, last = Fraction(repr(float(inside[0]))), Fraction(repr(float(inside[-1])))
    width = last - first
    power = int(np.floor(np.log10(float(width)))) - FINEST
    for step in (digit * Fraction(10) ** p for p in range(power, power + FINEST + 2) for digit in (1, 2, 5)):
        below, above = first // step * step, -(-last // step) * step
        if (float(below), float(above)) == (low, high) and (first - below) + (above - last) <= width * SPARE:
            return True
    return False


def _with_member(labels: Labels, marked: Mask, shown: Ids) -> Mask:
    """Which of the labels that are shown have a marked member."""
    found = np.zeros(len(labels), np.bool_)
    found[np.repeat(np.arange(len(labels)), labels.sizes)[marked[labels.members]]] = True
    found[np.setdiff1d(np.arange(len(labels)), shown)] = False
    return found


def _said(name: str, labels: Labels | Ranges, wrong: Mask) -> Breaches:
    places = np.flatnonzero(wrong)
    texts = [shortened(labels.texts[a]) for a in places[:WITNESSES]]
    return len(places), [f"{name}={text} tells of a value that only records hold which are left out" for text in texts]


TRUTHFUL = "truthful"
R = TypeVar("R")


def check_truthful(original: Dataset, release: Release) -> Finding:
    """Compare every published record with the original one behind it."""
    outside = np.flatnonzero((release.rows < 0) | (release.rows >= len(original)))
    if len(outside):
        row = release.rows[outside[0]]
        why = f"published record {outside[0]} comes from input row {row}, and there are {len(original)} rows"
        return Finding(TRUTHFUL, False, len(outside), why, None, (why,))
    violations, witnesses = 0, list[str]()
    for count, said in _all_breaches(original, release):
        violations += count
        witnesses += said
    left_out = len(original) - len(release)
    note = f"{left_out} of {len(original)} records are not published" if left_out else ""
    worst = witnesses[0] if witnesses else note
    return Finding(TRUTHFUL, violations == 0, violations, worst, None, tuple(witnesses[:WITNESSES]))


def _all_breaches(original: Dataset, release: Release) -> Iterator[Breaches]:
    yield _wrong_columns(original, release)
    if len(release) < len(original):
        yield from named_left_out(original, release)
    known = {column.name: column for column in original.columns}
    for column in release.columns:
        if column.name in known:
            yield _wrong_cells(known[column.name], column, release.rows)
    if original.transactions is None or release.items is None:
        return
    if isinstance(release.items, GeneralizedItems):
        partial = any(isinstance(guarantee, PartialItems) for guarantee in release.guarantees)
        yield generalized_breaches(original, release.items, release.rows, partial=partial)
    else:
        yield uncertain_breaches(original, release)


def _wrong_columns(original: Dataset, release: Release) -> Breaches:
    """Columns that should not be there, are not there, or play another role."""
    known, found = {column.name: column for column in original.columns}, list[str]()
    for column in release.columns:
        if column.name in original.identifiers:
            found.append(f"column {column.name!r} identifies persons, and is published")
        elif column.name not in known:
            found.append(f"column {column.name!r} is published, and the original has no such column")
        elif column.role != known[column.name].role:
            role = known[column.name].role
            found.append(f"column {column.name!r} is published as {column.role}, and is {role} in the original")
    names = [column.name for column in release.columns]
    found += [f"column {name!r} is published twice" for name in dict.fromkeys(names) if names.count(name) > 1]
    found += [f"quasi column {column.name!r} is not published" for column in original.quasi if column.name not in names]
    if (original.transactions is None) != (release.items is None):
        found.append(
            "the items are not published" if release.items is None else "items are published, and the original has none"
        )
    return len(found), found


def _wrong_cells(column: Column, published: PublishedColumn, rows: Rows) -> Breaches:
    """Cells that do not cover the original value, or that are not exact where they must be."""
    wrong = ~covers(column, published, rows, np.arange(len(rows)), rows)
    why = "which does not cover the original value"
    if column.role != "quasi":
        wrong |= ~is_exact(published) | ((column.codes[rows] < 0) != (published.codes < 0))
        why = "which is not the original value"
    places = np.flatnonzero(wrong)
    few = [f"published record {r} shows {published.name}={cell_text(published, int(r))}, {why}" for r in places[:WITNESSES]]
    return len(places), few


def generalized_breaches(original: Dataset, items: GeneralizedItems, rows: Rows, *, partial: bool) -> Breaches:
    """Labels without an item of the record behind them, items without a label, and labels that must not be shown.

    Items that are not sensitive may be without a label where the release says that it is partial.
    """
    words = _in_their_words(original, items)
    suppressed = np.zeros(len(words.sensitive), np.bool_)
    suppressed[items.suppressed] = True
    may_go = (suppressed | partial) & ~words.sensitive

    def breaches(first: int, records: Sets, shown: Sets, true: Mask, covered: Mask) -> tuple[Breaches, Breaches]:
        lost = ~covered & ~may_go[records.members]
        return _false_labels(first, shown, true, items), _lost_items(first, records, lost)

    label_count, said = _wrong_labels(items, words.known, suppressed, words.sensitive)
    false, lost = zip(*_compared(original, items, rows, words, breaches), strict=True) if len(rows) else ((), ())
    for found in (false, lost):
        said += [text for _, texts in found for text in texts][:WITNESSES]
    return label_count + sum(count for count, _ in (*false, *lost)), said


def left_out(original: Dataset, items: GeneralizedItems, rows: Rows) -> tuple[int, int]:
    """How many items of the records that are not sensitive have no label there, and how many such items there are."""
    words = _in_their_words(original, items)

    def counted(_first: int, records: Sets, _shown: Sets, _true: Mask, covered: Mask) -> tuple[int, int]:
        linkable = ~words.sensitive[records.members]
        return int((linkable & ~covered).sum()), int(linkable.sum())

    found = _compared(original, items, rows, words, counted)
    return sum(gone for gone, _ in found), sum(of for _, of in found)


def uncertain_breaches(original: Dataset, release: Release) -> Breaches:
    """Records that the original behind them does not match, or whose sensitive items are not exact."""
    assert isinstance(release.items, UncertainItems)
    sets = UncertainSets.of(original, release)
    wrong = ~sets.match_items(release.rows, np.arange(len(release)))
    places = np.flatnonzero(wrong)
    said = [f"published record {r} does not match the original record behind it" for r in places[:WITNESSES]]
    inexact = _inexact_sensitive(original, release.items, release.rows)
    said += [f"published record {r} does not show the sensitive items as they are" for r in inexact[:WITNESSES]]
    return len(places) + len(inexact), said


class _Words(NamedTuple):
    """The release's code of each item of the original; which of its items the original knows, and which are sensitive."""

    code: Ids
    known: Mask
    sensitive: Mask


def _in_their_words(original: Dataset, items: GeneralizedItems) -> _Words:
    """Original items that the release does not know get codes of their own, above the others."""
    transactions = original.transactions
    assert transactions is not None
    number = {name: i for i, name in enumerate(items.domain)}
    code = np.array([number.setdefault(name, len(number)) for name in transactions.domain], np.int32)
    mine = set(transactions.domain)
    known = np.array([name in mine for name in items.domain], np.bool_)
    sensitive = np.zeros(len(number), np.bool_)
    if original.sensitive_items is not None:
        sensitive[code[original.sensitive_items]] = True
    return _Words(code, known, sensitive)


def _compared(
    original: Dataset, items: GeneralizedItems, rows: Rows, words: _Words, look: Callable[[int, Sets, Sets, Mask, Mask], R]
) -> list[R]:
    """The results of `look` on blocks of records, on all cores.

    It is handed the number of the first, the original records in the release's codes, what is published of them, which shown
    labels have an item of the record behind them, and which items of a record have a label that it shows.
    """
    assert original.transactions is not None
    originals = Sets(original.transactions.offsets, original.transactions.items, len(words.code))
    labels = Sets(items.labels.offsets, items.labels.members, len(words.sensitive))
    standing = labels.matrix.T.tocsr()
    for_item = Sets(standing.indptr.astype(np.int64), standing.indices.astype(np.int32), labels.n)

    def work(low: int) -> R:
        high = min(low + size, len(rows))
        records = originals.take(rows[low:high]).rename(words.code, labels.d)
        ends = items.offsets[low : high + 1]
        shown = Sets(ends - ends[0], items.shown[ends[0] : ends[-1]], labels.n)
        return look(low, records, shown, *_covering(records, shown, labels, for_item))

    size = min(ROWS, len(rows) // (2 * threads.THREADS) + 1) if len(items.shown) > SHARED else ROWS
    return threads.parallel_map(work, range(0, len(rows), size))


def _covering(records: Sets, shown: Sets, labels: Sets, for_item: Sets) -> tuple[Mask, Mask]:
    """Which shown labels have an item of the record behind them, and which items of a record have a label it shows.

    Walks from each item to the labels that stand for it, or from each shown label to its items, whichever is shorter.
    """
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
    if len(goals) == 0:
        return leads, reached

    for low, high in blocks(work, BLOCK // threads.THREADS, len(sets.members)):
        here = sets.members[low:high]
        entry, at = owned(steps.offsets[here], steps.offsets[here + 1])
        keys = owners[low:high][entry] * others.d + steps.members[at]
        place = np.minimum(np.searchsorted(goals, keys), len(goals) - 1)
        hits = goals[place] == keys
        leads[low:high][entry[hits]] = True
        reached[place[hits]] = True
    return leads, reached


def _false_labels(first: int, shown: Sets, true: Mask, items: GeneralizedItems) -> Breaches:
    places = np.flatnonzero(~true)
    owners = first + np.searchsorted(shown.offsets, places[:WITNESSES], side="right") - 1
    texts = [shortened(items.labels.texts[a]) for a in shown.members[places[:WITNESSES]]]
    said = [
        f"published record {r} shows {text}, and the original record has nothing it stands for"
        for r, text in zip(owners, texts, strict=True)
    ]
    return len(places), said


def _lost_items(first: int, records: Sets, lost: Mask) -> Breaches:
    places = np.flatnonzero(lost)
    owners = first + np.unique(np.searchsorted(records.offsets, places, side="right") - 1)[:WITNESSES]
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


@fail_closed
def check_partial_items(original: Dataset, release: Release, guarantee: PartialItems, limit: int) -> Finding:
    """Count the items that are not sensitive and have no label in their published record."""
    items = generalized_items(release)
    if original.transactions is None:
        raise NotPublishedError("the guarantee is about items, and the original has none")
    gone, of = left_out(original, items, release.rows)
    worst = f"{gone} of {of} items are not shown in their records; at most {guarantee.share:.2%} is promised"
    holds = gone <= guarantee.share * of
    return Finding(guarantee.id, holds, 0 if holds else gone, worst, None, () if holds else (worst,))
