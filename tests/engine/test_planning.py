"""The planner: which engine, how large the batches, and no where nothing fits."""

import polars as pl
import pytest

from anonset.data.roles import guess_roles
from anonset.engine.capacity import MB
from anonset.engine.planning import Resources, plan
from anonset.engine.source import open_source, read_batch
from anonset.errors import InfeasibleError
from anonset.model.schema import Schema


def planned(tmp_path, rows, reading=0.01, **given):
    pl.DataFrame({"items": [["a", "b"], ["b"], ["a"], []] * (rows // 4)}).write_parquet(tmp_path / "in.parquet")
    source = open_source(tmp_path / "in.parquet", Schema(), tmp_path)
    sample = read_batch(source.batches[0])
    return plan(source, sample, reading, guess_roles(sample, Schema()), Resources(**given))


def test_what_fits_stays_in_memory_and_what_does_not_is_streamed(tmp_path):
    large, small = planned(tmp_path, 100_000, memory=2_000 * MB), planned(tmp_path, 100_000, memory=450 * MB)

    assert (large.engine, large.keeps) == ("memory", True)
    assert (small.engine, small.keeps) == ("stream", False)
    assert small.batch_rows < large.batch_rows
    assert "stream" in small.why


def test_a_scheduler_means_dask_and_threads_share_the_memory(tmp_path):
    one, four = planned(tmp_path, 40_000, memory=500 * MB), planned(tmp_path, 40_000, memory=500 * MB, jobs=4)

    assert planned(tmp_path, 40_000, scheduler="local").engine == "dask"
    assert four.batch_rows < one.batch_rows


def test_what_cannot_fit_is_refused_with_the_least_that_would(tmp_path):
    with pytest.raises(InfeasibleError, match=r"401MB' is too little for these data; 40\dMB is the least"):
        planned(tmp_path, 100_000, memory=401 * MB)


def test_the_time_goes_with_what_reading_takes_and_is_shared_out(tmp_path):
    one, slow = planned(tmp_path, 40_000), planned(tmp_path, 40_000, reading=0.03)

    assert slow.seconds == pytest.approx(3 * one.seconds)
    assert planned(tmp_path, 40_000, jobs=2).seconds == pytest.approx(one.seconds / 2)
