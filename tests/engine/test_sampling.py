"""Records drawn from batches are the same whatever the batches are."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from anonset.engine.sampling import Draw, drawn_records
from engine_data import driver_of
from strategies import rt_datasets


@given(data=rt_datasets(max_records=30), n=st.integers(1, 12), cuts=st.lists(st.integers(0, 30), max_size=4))
@settings(max_examples=20)
def test_the_same_records_are_drawn_from_any_batches(tmp_path_factory, data, n, cuts):
    answers = []
    for places in ([], cuts):
        driver, source = driver_of(data, places, tmp_path_factory.mktemp("work"), jobs=2)
        answers.append(driver.ask(Draw(n, 7), source.batches))
    whole, batches = answers
    order = np.argsort(batches["rows"])
    drawn = drawn_records(batches, data).take(order)
    expected = data.take(np.sort(whole["rows"]))

    assert batches["rows"][order].tolist() == sorted(whole["rows"].tolist())
    assert len(drawn) == min(n, len(data))
    assert [column.codes.tolist() for column in drawn.columns] == [column.codes.tolist() for column in expected.columns]
    assert drawn.transactions.items.tolist() == expected.transactions.items.tolist()
