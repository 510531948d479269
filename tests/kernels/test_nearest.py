import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonset.attacks.matching import Attributes, released_records
from oracles import matching as oracle
from release_makers import any_release
from strategies import rt_datasets


def labels_of(items, record):
    behind = [set(members.tolist()) for members in items.labels.groups()]
    return [behind[a] for a in items.shown[items.offsets[record] : items.offsets[record + 1]]]


@st.composite
def released(draw):
    data = draw(rt_datasets(min_records=2))
    return data, draw(any_release(data))


@given(released(), st.booleans(), st.booleans())
def test_the_nearest_record_is_the_nearest_by_the_definition(pair, whole, columns):
    data, release = pair
    records = released_records(data, release)
    people = records.people(data)
    every = records.attributes
    used = Attributes(every.numeric if columns else (), every.other if columns else (), True, whole)

    found, distance = records.nearest(people, used, np.random.default_rng(1))

    n = len(release.columns) if columns else 0
    for row in range(len(data)):
        known = set(people.items[people.offsets[row] : people.offsets[row + 1]].tolist())
        wanted = []
        for record in range(len(release)):
            far = (0.5 if n else 1.0) * oracle.item_distance(known, labels_of(release.items, record), whole=whole)
            for published in release.columns[:n]:
                column = data.column(published.name)
                span = np.subtract(*column.span[::-1]) if column.values is not None else 0.0
                far += 0.5 / n * oracle.column_distance(column, published, row, record, span)
            wanted.append(far)
        assert distance[row] == pytest.approx(min(wanted), abs=1e-12)
        assert wanted[found[row]] == pytest.approx(min(wanted), abs=1e-12)


@given(released(), st.integers(0, 3))
def test_people_described_by_records_are_those_of_the_definition(pair, seed):
    data, release = pair
    records = released_records(data, release)
    people = records.people(data)
    rng = np.random.default_rng(seed)
    some = np.arange(len(release))
    used = rng.random((len(release), len(records.names))) < 0.5

    counts = records.described(people, some, (records.shown_offsets, records.shown), used, len(data))

    by_name = {published.name: published for published in release.columns}
    for record in some:
        fitting = 0
        for row in range(len(data)):
            held = set(people.items[people.offsets[row] : people.offsets[row + 1]].tolist())
            names = [name for name, asked in zip(records.names, used[record], strict=True) if asked]
            far = [oracle.column_distance(data.column(name), by_name[name], row, record, 0.0) for name in names]
            fitting += oracle.described(held, labels_of(release.items, record), far)
        assert counts[record] == fitting
