"""Uncertain item sets are read back from published/ alone, whatever items are called."""

import shutil
import tempfile
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonset.algorithms import make
from anonset.errors import GuaranteeViolated, InputError
from anonset.model.dataset import Column, Dataset, Transactions
from anonset.model.labels import UncertainItems
from anonset.model.release import Provenance, Release
from anonset.releases.folder import write_folder
from anonset.releases.frames import read_published_sets

odd_names = st.lists(st.text("-?ab \n|,\"'", min_size=1, max_size=4), min_size=1, max_size=5, unique=True)


def written(data, release, folder, format):
    """The published half of the release, and nothing else."""
    write_folder(release, data, folder, format=format)
    shutil.rmtree(folder / "private")
    return read_published_sets(folder / "published")


def records(items):
    """How often each (base, uncertain items, threshold) is shown."""

    def names(offsets, entries, r):
        return frozenset(items.domain[i] for i in entries[offsets[r] : offsets[r + 1]])

    return Counter(
        (names(items.base_offsets, items.base, r), names(items.distance_offsets, items.distance, r), int(items.threshold[r]))
        for r in range(len(items))
    )


@pytest.mark.parametrize("format", ["csv", "parquet", "feather", "jsonl", "xlsx", "fimi"])
@given(st.data())
def test_sets_of_odd_items_are_read_as_they_were_written(format, source):
    domain = tuple(source.draw(odd_names))
    rows = st.lists(st.sets(st.sampled_from(domain)), min_size=3, max_size=3)
    base, doubt = (Transactions.from_records(source.draw(rows), domain) for _ in range(2))
    threshold = np.array([source.draw(st.integers(0, int(n))) for n in doubt.lengths], np.int32)
    items = UncertainItems(base.offsets, base.items, doubt.offsets, doubt.items, threshold, domain)
    release = Release((), items, (), Provenance("test"), np.arange(3))

    with tempfile.TemporaryDirectory() as folder:
        found = written(Dataset(transactions=base), release, Path(folder), format)

    assert records(found.items) == records(items)


@pytest.mark.parametrize("format", ["csv", "parquet", "jsonl"])
def test_records_with_a_value_can_be_picked(tmp_path, format):
    codes = np.array([0, 1, 2, 0, 1, -1], np.int32)
    salary = Column("salary", "sensitive", "numeric", codes, ("10", "20.5", "30"), np.array([10.0, 20.5, 30.0]))
    job = Column("job", "other", "categorical", codes, ("a, b", "c", "d"))
    data = Dataset((salary, job), Transactions.from_records(["ab", "a", "b", "abc", "c", ""]))
    release = make("nr-k", {"k": 2, "seed": 1}).anonymize(data)

    found = written(data, release, tmp_path, format)

    assert len(found.where("job", "c").items) == 2
    assert len(found.where("job", "a, b").where("salary", "10").items) == 2
    with pytest.raises(InputError, match="no record shows job as 'x'"):
        found.where("job", "x")
    with pytest.raises(InputError, match="no column 'age' with exact values; there are: salary, job"):
        found.where("age", "1")


def test_other_releases_and_broken_files_are_refused(tmp_path):
    data = Dataset(transactions=Transactions.from_records(["a", "a"]))
    write_folder(make("identity", {"k": 2}).anonymize(data), data, _new(tmp_path / "exact"))
    write_folder(make("nr-k", {"k": 2}).anonymize(data), data, _new(tmp_path / "sets"))
    (tmp_path / "sets/published/records.csv").write_text("items,items.errors\na,x\na,0\n")
    (_new(tmp_path / "odd") / "about.json").write_text("{}")

    with pytest.raises(InputError, match="no uncertain item sets"):
        read_published_sets(tmp_path / "exact")
    with pytest.raises(GuaranteeViolated, match=r"about.json is damaged: the key .format. is missing"):
        read_published_sets(tmp_path / "odd")
    with pytest.raises(InputError, match=r"records.csv: cannot be read as about.json explains it"):
        read_published_sets(tmp_path / "sets")


def _new(folder):
    folder.mkdir()
    return folder
