"""Every release survives being written and read back, in every format; what is published says nothing it should not."""

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonset.errors import GuaranteeViolated
from anonset.model.dataset import Dataset, Transactions
from anonset.model.guarantees import KKm
from anonset.model.labels import GeneralizedItems, Labels, PublishedColumn, Ranges, UncertainItems
from anonset.model.release import Provenance, Release
from anonset.model.sets import set_ranks
from anonset.releases.folder import canonical, read_folder, write_folder
from strategies import columns, transactions

odd_texts = st.text(st.characters(exclude_categories=("Cs",)), min_size=0, max_size=4)


def shown_column(column, source):
    """What each record shows in a column: a pair of bounds, a set of values, or None."""
    labels = column.labels
    if isinstance(labels, Ranges):
        meaning = list(zip(labels.low.tolist(), labels.high.tolist(), strict=True))
    else:
        meaning = [frozenset(source.domain[c] for c in members) for members in labels.groups()]
    return [None if code < 0 else meaning[code] for code in column.codes]


def shown_items(items):
    """What each record shows as items."""
    if isinstance(items, GeneralizedItems):
        meaning = [frozenset(items.domain[i] for i in members) for members in items.labels.groups()]
        bounds = zip(items.offsets[:-1], items.offsets[1:], strict=True)
        return [frozenset(meaning[a] for a in items.shown[start:stop]) for start, stop in bounds]
    sets = []
    for r in range(len(items)):
        base = items.base[items.base_offsets[r] : items.base_offsets[r + 1]]
        doubt = items.distance[items.distance_offsets[r] : items.distance_offsets[r + 1]]
        sets.append((frozenset(items.domain[i] for i in base), frozenset(items.domain[i] for i in doubt), items.threshold[r]))
    return sets


def shown(release, original):
    """Each record by the input row behind it."""
    attributes = [shown_column(column, original.column(column.name)) for column in release.columns]
    if release.items is not None:
        attributes.append(shown_items(release.items))
    return dict(zip(release.rows.tolist(), zip(*attributes, strict=True), strict=True))


@st.composite
def published_columns(draw, column, kept):
    """Any recoding of a column: every label truthful or not, missing values shown as missing."""
    n = draw(st.integers(1, 4)) if column.domain else 0
    codes = np.array(draw(st.lists(st.integers(-1, n - 1), min_size=kept, max_size=kept)), np.int32)
    if n and column.kind == "numeric" and draw(st.booleans()):
        low = np.array(draw(st.lists(st.floats(-1e6, 1e6), min_size=n, max_size=n)))
        texts = draw(st.lists(odd_texts, min_size=n, max_size=n))
        labels = Ranges(low, low + draw(st.sampled_from([0.0, 0.5, 10.0])), tuple(texts))
    else:
        groups = [sorted(draw(st.sets(st.integers(0, len(column.domain) - 1), min_size=1))) for _ in range(n)]
        labels = Labels.from_groups(groups, draw(st.lists(odd_texts, min_size=n, max_size=n, unique=True)))
    return PublishedColumn(column.name, column.role, codes, labels)


@st.composite
def published_items(draw, t, kept):
    """Any local recoding of item sets, or any uncertain sets."""
    d = len(t.domain)
    if draw(st.booleans()):
        sets = st.lists(st.sets(st.integers(0, d - 1)), min_size=kept, max_size=kept)
        base, doubt = Transactions.from_records([], t.domain), Transactions.from_records([], t.domain)
        base, doubt = (
            Transactions.from_records([[t.domain[i] for i in row] for row in draw(sets)], t.domain) for _ in range(2)
        )
        threshold = np.array([draw(st.integers(0, length)) for length in doubt.lengths], np.int32)
        return UncertainItems(base.offsets, base.items, doubt.offsets, doubt.items, threshold, t.domain)
    n = draw(st.integers(1, 5))
    groups = [sorted(draw(st.sets(st.integers(0, d - 1), min_size=1))) for _ in range(n)]
    labels = Labels.from_groups(groups, draw(st.lists(odd_texts, min_size=n, max_size=n, unique=True)))
    rows = draw(st.lists(st.sets(st.integers(0, n - 1)), min_size=kept, max_size=kept))
    offsets = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
    entries = np.array([a for row in rows for a in sorted(row)], np.int32)
    return GeneralizedItems(offsets, entries, labels, t.domain, np.zeros(0, np.int32))


@st.composite
def releases(draw, items_only=False):
    """An original with odd names and any release of it, records suppressed and shuffled."""
    t = draw(transactions())
    odd = draw(st.lists(odd_texts.filter(bool), min_size=len(t.domain), max_size=len(t.domain), unique=True))
    t = Transactions(t.offsets, t.items, tuple(odd))
    n = len(t)
    named = [] if items_only else ['a "b', "c,d", "items.errors"][: draw(st.integers(0, 3))]
    quasi = tuple(draw(columns(n, name)) for name in named)
    original = Dataset(quasi, t if items_only or not quasi or draw(st.booleans()) else None)
    rows = np.array(draw(st.permutations(range(n)))[: draw(st.integers(1, n))], np.int64)
    shown_as = tuple(draw(published_columns(column, len(rows))) for column in quasi)
    items = None if original.transactions is None else draw(published_items(t, len(rows)))
    return original, Release(shown_as, items, (KKm(2, 2),), Provenance("any", {"k": 2, "seed": 7}, "0"), rows)


@given(st.lists(st.sets(st.integers(0, 300), max_size=40), max_size=12), st.sampled_from([301, 2**31 - 2]))
def test_sets_are_ranked_as_words_in_a_dictionary(sets, d):
    sets = sets + sets[:3] + [set(list(s)[:8]) for s in sets]
    rows = [sorted(s) for s in sets]
    offsets = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)

    ranks = set_ranks(offsets, np.array([i for row in rows for i in row], np.int32), d)

    assert ranks.tolist() == [sum(other < row for other in rows) for row in rows]


@pytest.mark.parametrize("format", ["csv", "parquet", "jsonl"])
@given(case=releases())
def test_a_release_is_read_back_as_it_was_written(format, case):
    original, release = case

    with tempfile.TemporaryDirectory() as folder:
        write_folder(release, original, Path(folder), format=format)
        again = read_folder(Path(folder), original)

    assert shown(again, original) == shown(canonical(release), original) == shown(release, original)
    assert again.guarantees == release.guarantees
    assert again.provenance.parameters == release.provenance.parameters


@given(case=releases(items_only=True))
def test_a_release_of_items_is_read_back_from_fimi(case):
    original, release = case

    with tempfile.TemporaryDirectory() as folder:
        write_folder(release, original, Path(folder), format="fimi")
        again = read_folder(Path(folder), original)

    assert shown(again, original) == shown(release, original)


@pytest.mark.parametrize("format", ["csv", "parquet", "jsonl"])
@given(case=releases(), data=st.data())
def test_the_published_bytes_do_not_depend_on_the_order_of_the_input(format, case, data):
    original, release = case
    order = np.array(data.draw(st.permutations(range(len(release)))), np.int64)
    shuffled = release.take(order)

    assert published_bytes(release, original, format) == published_bytes(shuffled, original, format)


def published_bytes(release, original, format):
    with tempfile.TemporaryDirectory() as folder:
        write_folder(release, original, Path(folder), format=format)
        return {path.name: path.read_bytes() for path in (Path(folder) / "published").iterdir()}


@pytest.mark.parametrize("content", [b"junk", b"", np.zeros((1, 2)), np.array([None, None], object), np.array(["a"])])
def test_assignments_that_are_none_are_a_breach(tmp_path, content):
    t = Transactions.from_records(["a", "b"])
    none, two = np.zeros(3, np.int64), np.array([0, 0], np.int32)
    items = UncertainItems(t.offsets, t.items, none, none[:0].astype(np.int32), two, t.domain)
    assignments = np.array([[0, 1]])
    write_folder(Release((), items, (), Provenance("any"), np.arange(2), assignments), Dataset(transactions=t), tmp_path)
    path = tmp_path / "private/assignments.npy"
    np.testing.assert_array_equal(read_folder(tmp_path, Dataset(transactions=t)).assignments, assignments)

    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        np.save(path, content, allow_pickle=True)

    with pytest.raises(GuaranteeViolated, match=r"private/assignments.npy must be an array of whole numbers"):
        read_folder(tmp_path, Dataset(transactions=t))
