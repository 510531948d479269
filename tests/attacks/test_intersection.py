"""Somebody who holds two releases: candidates are counted as a slow reader of both would, and the gates refuse too few."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import anonset
from anonset.algorithms import make
from anonset.attacks.intersection import intersect, people_in_both
from anonset.errors import ExposureError, InputError
from anonset.model.dataset import Dataset
from anonset.model.labels import Ranges
from anonset.releases.earlier import EarlierRelease, read_earlier
from strategies import rt_datasets


def as_earlier(data, release, marks):
    """What `read_earlier` reads from the folder of a release."""
    domains = {column.name: column.domain for column in data.columns}
    return EarlierRelease(
        "before",
        release.columns,
        domains,
        release.items,
        release.rows,
        marks[release.rows],
        frozenset(),
        len(data),
        None,
        False,
    )


@st.composite
def two_years(draw):
    """A dataset and one of some of the same people, some of whose items changed; and a mark for each person."""
    before = draw(rt_datasets(min_records=4, max_records=9))
    stay = np.array(draw(st.lists(st.integers(0, len(before) - 1), min_size=3, max_size=8, unique=True)))
    after = before.take(stay)
    t = after.transactions
    records = [[t.domain[i] for i in t.items[t.offsets[r] : t.offsets[r + 1]]] for r in range(len(after))]
    if t.domain and draw(st.booleans()):
        records[0] = [*{*records[0], draw(st.sampled_from(t.domain))}]
    changed = type(t).from_records(records, domain=t.domain)
    marks = np.arange(len(before), dtype=np.uint64) + 100
    return before, marks, replace(after, transactions=changed), marks[stay]


def published(data, algorithm):
    return make(algorithm, {"k": 2, "m": 2} if algorithm in ("lift", "pcta", "rmerge-r") else {"k": 2}).anonymize(data)


def meaning(column, domain, code):
    """The values a published value may stand for; for a range its ends."""
    if code < 0:
        return None
    if isinstance(column.labels, Ranges):
        return float(column.labels.low[code]), float(column.labels.high[code])
    return {domain[c] for c in column.labels.members[column.labels.offsets[code] : column.labels.offsets[code + 1]]}


def labels_of(items, record):
    groups = [{items.domain[i] for i in group} for group in items.labels.groups()]
    return [groups[a] for a in items.shown[items.offsets[record] : items.offsets[record + 1]]]


def slow_candidates(data, release, old_data, old_release, row, known):
    """Count the records of the release that some person can be who has these items and the quasi values of the row."""
    domain = sorted({*data.transactions.domain, *old_data.transactions.domain})
    count = 0
    for p in range(len(release)):
        mine = labels_of(release.items, p)
        if not set(known) <= set().union(*mine) or not fits(data, release, p, row):
            continue
        for q in range(len(old_release)):
            theirs = labels_of(old_release.items, q)
            held = set().union(*mine) & set().union(*theirs)
            possible = set(known) <= held and all(label & held for label in (*mine, *theirs)) and held <= set(domain)
            if possible and fits(data, old_release, q, row, old_data) and equal(data, release, p, old_data, old_release, q):
                count += 1
                break
    return count


def fits(data, release, p, row, domains=None):
    for column in release.columns:
        original, seen = data.column(column.name), (domains or data).column(column.name)
        value = meaning(column, seen.domain, column.codes[p])
        if original.role != "quasi" or original.codes[row] < 0:
            continue
        if value is None:
            return False
        if isinstance(value, tuple):
            if not value[0] <= original.values[original.codes[row]] <= value[1]:
                return False
        elif original.domain[original.codes[row]] not in value:
            return False
    return True


def equal(data, release, p, old_data, old_release, q):
    for new, old in zip(release.columns, old_release.columns, strict=True):
        mine = meaning(new, data.column(new.name).domain, new.codes[p])
        theirs = meaning(old, old_data.column(old.name).domain, old.codes[q])
        if mine is None or theirs is None:
            if not (mine is None and theirs is None) and not widest(new, p, mine, old, q, theirs):
                return False
        elif isinstance(mine, tuple):
            if mine[0] > theirs[1] or theirs[0] > mine[1]:
                return False
        elif not mine & theirs:
            return False
    return True


def widest(new, p, mine, old, q, theirs):
    """Whether the one value that is there says anything at all."""
    column, code = (old, old.codes[q]) if mine is None else (new, new.codes[p])
    if isinstance(column.labels, Ranges):
        low, high = column.labels.low, column.labels.high
        return low[code] <= low.min() and high[code] >= high.max() and low[code] < high[code]
    used = len(set(column.labels.members.tolist()))
    return column.labels.sizes[code] >= max(2, used)


@settings(max_examples=40)
@given(two_years(), st.sampled_from(["lift", "pcta", "rmerge-r"]))
def test_candidates_are_those_of_a_slow_reader(years, algorithm):
    before, old_marks, after, marks = years
    try:
        old, new = published(before, algorithm), published(after, algorithm)
    except anonset.InfeasibleError:
        return
    after = replace(after, marks=marks, people=np.arange(len(after), dtype=np.int32))
    earlier = as_earlier(before, old, old_marks)

    found = intersect(after, new, earlier, m=2)

    t, least = after.linkable, []
    for row in range(len(after)):
        held = t.items[t.offsets[row] : t.offsets[row + 1]].tolist()
        mine = next(r for r, mark in enumerate(old_marks) if mark == marks[row])
        counts = []
        p, q = int(np.flatnonzero(new.rows == row)[0]), int(np.flatnonzero(old.rows == mine)[0])
        for known in combinations(held, min(2, len(held))):
            names = [t.domain[i] for i in known]
            if own_pair(after, new, p, before, old, q, row, names):
                counts.append(min(found.most, slow_candidates(after, new, before, old, row, names)))
        least += [min(counts)] if counts else []
    assert found.both.people == len(least)
    if least:
        assert found.both.least == min(least)
        assert found.both.below == sum(count < 2 for count in least)
    assert found.alone.below == 0 or algorithm != "rmerge-r"


def own_pair(data, new, p, old_data, old, q, row, names):
    mine, theirs = labels_of(new.items, p), labels_of(old.items, q)
    held = set().union(*mine) & set().union(*theirs)
    together = set(names) <= held and all(label & held for label in (*mine, *theirs))
    return together and fits(data, old, q, row, old_data) and equal(data, new, p, old_data, old, q)


@given(two_years())
def test_a_release_compared_with_itself_says_nothing_new(years):
    before, marks, _, _ = years
    try:
        release = published(before, "rmerge-r")
    except anonset.InfeasibleError:
        return
    data = replace(before, marks=marks, people=np.arange(len(before), dtype=np.int32))

    found = intersect(data, release, as_earlier(before, release, marks), m=2)

    assert found.both == found.alone
    assert found.changed == 0


VISITS = [["a", "b"], ["a", "b"], ["c"], ["c"], ["d", "a"], ["d", "a"]]
TABLE = pl.DataFrame({"person_id": [f"P{n}" for n in range(6)], "codes": VISITS, "illness": ["x", "y"] * 3})


def written(tmp_path, frame, name, **settings):
    data = anonset.read(frame, items="codes", identifier=["person_id"], sensitive=["illness"], **settings)
    release = anonset.anonymize(data, "lift", k=2, m=2)
    release.write(tmp_path / name, report=False, accept_exposure=["illness"], accept_loss=True)
    return release


def test_people_are_known_by_their_key_and_hashes_say_nothing_else(tmp_path):
    release = written(tmp_path, TABLE, "first", id="person_id")
    again = written(tmp_path, TABLE[::-1], "second", id="person_id")

    earlier = read_earlier(tmp_path / "first")
    new, old, known = people_in_both(again.original, again, earlier)

    assert known
    assert len(new) == len(old) == len(release) == 6
    assert "P0" not in (tmp_path / "first" / "private" / "people.csv").read_text()
    assert not list((tmp_path / "first" / "published").glob("people*"))


def test_people_without_a_key_are_known_by_their_rows_where_the_file_is_the_same(tmp_path):
    frame = TABLE.drop("person_id")
    data = anonset.read(frame, items="codes", other=["illness"])
    release = anonset.anonymize(data, "lift", k=2, m=2)
    release.write(tmp_path / "first", report=False, accept_exposure=["illness"])
    other = anonset.read(frame.head(5), items="codes", other=["illness"])

    earlier = read_earlier(tmp_path / "first")

    assert people_in_both(data, release, earlier)[2]
    assert not people_in_both(other, anonset.anonymize(other, "lift", k=2, m=2), earlier)[2]


def test_what_an_earlier_release_tells_is_refused_unless_accepted_and_recorded(tmp_path):
    written(tmp_path, TABLE, "first", id="person_id")
    later = TABLE.with_columns(illness=pl.Series(["x", "z", "y", "x", "x", "y"]))
    data = anonset.read(later, items="codes", identifier=["person_id"], sensitive=["illness"], id="person_id")
    release = anonset.anonymize(data, "lift", k=2, m=2)
    how = {"report": False, "accept_exposure": ["illness"], "accept_loss": True, "earlier": [tmp_path / "first"]}

    with pytest.raises(ExposureError, match=r"with first in hand too, . of . people in both .*accept_earlier"):
        release.write(tmp_path / "second", **how)
    assert not (tmp_path / "second").exists()
    done = release.write(tmp_path / "second", accept_earlier=True, **how)

    assert any("with first in hand too" in sentence for sentence in done.admission.sentences)
    assert not release.verify(earlier=[tmp_path / "first"]).holds
    found = anonset.attack(release, seed=1, earlier=[tmp_path / "first"]).earlier[0]
    assert found.both.below > 0
    assert found.alone.below == 0
    assert found.learnt["illness"][1] > found.learnt["illness"][0]


def test_uncertain_items_and_folders_without_a_private_half_are_named(tmp_path):
    data = anonset.read(TABLE.select("codes"), items="codes")
    anonset.anonymize(data, "nr-k", k=2, seed=1).write(tmp_path / "walks", report=False)

    with pytest.raises(InputError, match="nr-k cannot be compared"):
        read_earlier(tmp_path / "walks")
    with pytest.raises(InputError, match="private/ half"):
        read_earlier(tmp_path / "walks" / "published")
    assert isinstance(data, Dataset)
