"""Data that do not fit into memory are read in batches, or refused with the numbers; nobody has to ask for it."""

import gzip
import sqlite3

import numpy as np
import polars as pl
import pytest

import anonset
from anonset.cli import main
from anonset.engine import capacity
from anonset.engine.capacity import BASE, TEXT, VALUE, Capacity, capacity_of, free_memory
from anonset.errors import InfeasibleError
from anonset.model.schema import Schema
from anonset.tasks.algorithms import AlgorithmChoice
from anonset.tasks.anonymize import AnonymizeRequest, run, run_to_stream
from anonset.tasks.inputs import Input

TREE = {"item_hierarchy": "balanced:3"}


@pytest.fixture
def clicks(tmp_path):
    rng = np.random.default_rng(0)
    path = tmp_path / "clicks.dat"
    path.write_text("".join(" ".join(map(str, rng.choice(30, rng.integers(1, 5), replace=False))) + "\n" for _ in range(2_000)))
    return path


@pytest.fixture
def short(monkeypatch):
    """A machine on which nothing fits at once; the work itself may take what it needs."""
    monkeypatch.setattr(capacity, "FULL", 1e-9)
    monkeypatch.setattr(capacity, "free_memory", lambda: 10**9)


def wanted(data, out, algorithm="aa", **more):
    return AnonymizeRequest(Input(data, TREE), out, AlgorithmChoice(algorithm, {"k": 3}), report=False, **more)


def test_what_does_not_fit_is_read_in_batches_without_a_flag(clicks, tmp_path, short):
    done = run(wanted(clicks, tmp_path / "out"))

    assert done.verdict.holds
    assert (tmp_path / "out" / "published").is_dir()
    assert done.remarks[0].startswith("in memory these data would take some 314 MB")
    assert "1.0 GB are free: they were read in batches" in done.remarks[0]
    assert "s of work" in done.remarks[1]


def test_the_command_line_says_so(clicks, tmp_path, short, capsys):
    arguments = [str(clicks), "-a", "aa", "-k", "3", "--hierarchy", "balanced:3", "--no-report", "-o", str(tmp_path / "out")]

    assert main(["anonymize", *arguments]) == 0
    assert "they were read in batches" in capsys.readouterr().err


def test_what_cannot_be_in_batches_is_refused_with_the_numbers(clicks, tmp_path, short):
    with pytest.raises(InfeasibleError, match=r"1\.0 GB are free; in batches: partition works on data in memory only"):
        run(wanted(clicks, tmp_path / "out", "partition"))
    assert not list(tmp_path.glob("*out*"))


def test_other_commands_refuse_what_does_not_fit(clicks, tmp_path, monkeypatch):
    monkeypatch.setattr(capacity, "free_memory", lambda: 10**8)

    with pytest.raises(InfeasibleError, match="and 100 MB are free; take a sample"):
        anonset.read(clicks)
    with pytest.raises(InfeasibleError, match="100 MB are free"), (tmp_path / "out").open("wb") as stream:
        run_to_stream(wanted(clicks, tmp_path / "-"), stream)


def test_what_fits_is_read_at_once(clicks, tmp_path):
    assert run(wanted(clicks, tmp_path / "out")).parts is None


def test_every_kind_of_input_is_estimated(tmp_path, monkeypatch):
    frame = pl.DataFrame({"a": ["x"] * 5_000, "b": [["u", "v"]] * 5_000})
    frame.write_parquet(tmp_path / "a.parquet")
    frame.write_ipc(tmp_path / "a.feather")
    frame.drop("b").write_csv(tmp_path / "a.csv")
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress((tmp_path / "a.csv").read_bytes()))
    frame.drop("b").write_excel(tmp_path / "a.xlsx")
    with sqlite3.connect(tmp_path / "a.db") as database:
        database.execute("create table a (a)")
        database.executemany("insert into a values (?)", [("abcd",)] * 5_000)
    database.close()
    monkeypatch.setattr(capacity, "SMALL", 1)

    def needed(data, **settings):
        return capacity_of(data if "://" in str(data) else tmp_path / data, Schema(**settings)).needed

    assert needed("a.parquet") == BASE + VALUE * 15_000
    assert needed("a.feather") >= BASE + VALUE * 10_000
    assert needed("a.csv") == BASE + TEXT * 10_002
    assert needed("a.csv.gz") == pytest.approx(needed("a.csv"), rel=0.01)
    assert needed("a.xlsx") > BASE
    assert needed(f"sqlite:///{tmp_path}/a.db", table="a") == pytest.approx(BASE + TEXT * 20_000, rel=0.9)
    assert needed("a.csv", id="a", long=str(tmp_path / "a.csv")) == BASE + 2 * TEXT * 10_002
    assert needed("none.csv") == 0
    assert capacity_of(frame, Schema()).needed == 0


def test_a_packed_file_is_not_unpacked_to_see_how_large_it_is(tmp_path, monkeypatch):
    monkeypatch.setattr(capacity, "SMALL", 1)
    monkeypatch.setattr(capacity, "UNPACKED", 1 << 20)
    text = np.random.default_rng(0).integers(0, 99, 3_000_000).astype("S2").tobytes()
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(b"a\n" + text, 1))

    assert capacity_of(tmp_path / "a.csv.gz", Schema()).needed == pytest.approx(BASE + TEXT * len(text), rel=0.2)


def test_the_smallest_limit_counts(tmp_path, monkeypatch):
    group = tmp_path / "group"
    group.mkdir()
    (group / "memory.max").write_text("1000000")
    (group / "memory.current").write_text("400000")
    (group / "memory.stat").write_text("anon 5\ninactive_file 1000\n")
    assert 0 < free_memory() < 1 << 50
    monkeypatch.setattr(capacity, "_of_groups", lambda: iter([10**6 - 4 * 10**5 + 1000]))

    assert free_memory() == 601_000
    assert Capacity(700_000, 601_000).fits is False


def test_limits_of_control_groups_are_read(tmp_path, monkeypatch):
    files = {
        "/proc/self/cgroup": "0::/user/job\n",
        "/sys/fs/cgroup/user/job/memory.max": "max",
        "/sys/fs/cgroup/user/job/memory.current": "5",
        "/sys/fs/cgroup/user/memory.max": "1000",
        "/sys/fs/cgroup/user/memory.current": "300",
        "/sys/fs/cgroup/user/memory.stat": "inactive_file 50",
    }
    for name, text in files.items():
        place = tmp_path / name.lstrip("/")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    below = lambda name: name if tmp_path in getattr(name, "parents", ()) else tmp_path / str(name).lstrip("/")  # noqa: E731
    monkeypatch.setattr(capacity, "Path", below)

    assert list(capacity._of_groups()) == [750]


def test_a_damaged_file_is_refused_when_it_is_read_and_not_before(tmp_path):
    footer = b"\x45\x02\x00"  # a number where the row groups should be
    (tmp_path / "people.parquet").write_bytes(b"PAR1" + footer + len(footer).to_bytes(4, "little") + b"PAR1")

    assert capacity_of(tmp_path / "people.parquet", Schema()).needed == 0
