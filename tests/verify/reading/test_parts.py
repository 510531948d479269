"""Tables in slices: every reader finds its rows, in their order, and no other's texts."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonset.verify.reading.parts import read_slice, read_slices, write_slices

N = 4
texts = st.one_of(st.none(), st.sampled_from(["a", "", "a text that is longer than twelve bytes", "ä"]))
rows = st.tuples(
    st.integers(0, N - 1), texts, st.lists(texts, max_size=3) | st.none(), st.floats(-1, 1) | st.none(), st.integers()
)


def frame_of(drawn):
    return pl.DataFrame(
        {
            "text": pl.Series([row[1] for row in drawn], dtype=pl.String),
            "items": pl.Series([row[2] for row in drawn], dtype=pl.List(pl.String)),
            "number": pl.Series([row[3] for row in drawn], dtype=pl.Float64),
            "behind": pl.Series(np.array([[row[4] % 7, 1] for row in drawn], np.int64).reshape(-1, 2)),
        }
    )


@given(st.lists(rows, min_size=1, max_size=12), st.integers(1, 11))
def test_each_reader_finds_its_rows_in_their_order(tmp_path_factory, drawn, cut):
    path, reader = tmp_path_factory.mktemp("slices") / "file", np.array([row[0] for row in drawn])
    frame = pl.concat([frame_of(drawn)[:cut], frame_of(drawn)[cut:]], rechunk=False)

    write_slices(frame, reader, N, path)

    for number in range(N):
        found, expected = read_slice(path, number), frame.filter(pl.Series(reader == number))
        assert (found is None) == expected.is_empty()
        if found is not None:
            assert found.schema == expected.schema
            assert found.equals(expected)
    assert pl.concat(list(read_slices(path))).height == len(drawn)


def test_a_slice_has_no_texts_of_others(tmp_path):
    words = [f"{'a text of some length':40} {i:08}" for i in range(4000)]
    frame = pl.DataFrame({"word": words, "items": [[word, word] for word in words]})

    write_slices(frame, np.arange(4000) % 200, 200, tmp_path / "file")

    assert (tmp_path / "file").stat().st_size < 3 * frame.estimated_size()


def test_a_row_without_a_reader_is_refused(tmp_path):
    with pytest.raises(AssertionError, match="every row has a reader"):
        write_slices(pl.DataFrame({"a": [1, 2]}), np.array([0, 5]), 2, tmp_path / "file")
