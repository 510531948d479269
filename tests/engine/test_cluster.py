"""Workers that die, a driver that dies, a disk that is full: nothing half done is ever published."""

import json
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import polars as pl
import pytest

import anonset
from anonset.engine.executors import DaskCluster
from anonset.engine.journal import work_folder
from anonset.engine.questions import Context, LostBatch
from anonset.engine.strategies import GRAY
from anonset.errors import InputError
from anonset.tasks import attack as attacking
from anonset.tasks import measure as measuring
from anonset.tasks import verify as verifying
from anonset.tasks.attack import AttackRequest
from anonset.tasks.inputs import Input, Limits
from anonset.tasks.measure import MeasureRequest
from anonset.tasks.verify import VerifyRequest
from engine_data import Counting, Deadly, Poisoned, Writing, limit_files, write_baskets

pytestmark = [pytest.mark.scale, pytest.mark.filterwarnings("ignore")]


@pytest.fixture(scope="module")
def cluster():
    found = DaskCluster.open("local", 2)
    yield found
    found.close()


def command(*words, **how):
    line = [sys.executable, "-m", "anonset", "anonymize", *words, "--quiet"]
    return subprocess.run(line, capture_output=True, text=True, timeout=240, **how)


def asked(folder, out, *more):
    return (str(folder), "-o", str(out), "-a", "aa", "-k", "3", "-m", "2", "--hierarchy", "balanced:3", *more)


@pytest.mark.skipif(sys.platform == "win32", reason="needs limits of Unix")
def test_a_full_disk_on_a_worker_names_the_batch(cluster, tmp_path):
    cluster.client.run(limit_files, 50_000)
    try:
        with pytest.raises(LostBatch, match=r"filling: \d: File too large"):
            cluster.reduce(Writing(100_000), [0, 1], Context(tmp_path))
    finally:
        cluster.client.run(limit_files, None)

    assert sorted(cluster.reduce(Writing(100_000), [0, 1], Context(tmp_path))["unit"].tolist()) == [0, 1]


def test_a_worker_that_is_killed_is_survived(cluster, tmp_path):
    victim = next(iter(cluster.client.run(os.getpid).values()))
    threading.Timer(1.0, os.kill, (victim, signal.SIGKILL)).start()

    answer = cluster.reduce(Counting(0.4), list(range(12)), Context(tmp_path))

    assert sorted(answer["unit"].tolist()) == list(range(12))
    assert victim not in cluster.client.run(os.getpid).values()


def test_a_batch_that_cannot_be_worked_on_is_named(cluster, tmp_path):
    with pytest.raises(LostBatch, match="poisoned: 7: no records"):
        cluster.reduce(Poisoned(7), list(range(10)), Context(tmp_path))


def test_a_batch_that_kills_every_worker_is_named(cluster, tmp_path):
    with pytest.raises(LostBatch, match="deadly: 1: every worker that took it died"):
        cluster.reduce(Deadly(1), [0, 1, 2], Context(tmp_path))


SETTINGS = {
    "aa": {"k": 3, "m": 2, "item_hierarchy": "balanced:3"},
    "pcta": {"k": 3, "m": 2},
    "gray-ring": {"k": 3, "seed": 1},
}


@pytest.mark.parametrize("algorithm", SETTINGS)
def test_memory_stream_and_workers_publish_the_same(cluster, tmp_path, monkeypatch, algorithm):
    folder = write_baskets(tmp_path / "big", 1_500)
    monkeypatch.setattr("anonset.engine.planning.LARGEST", 400)
    monkeypatch.setitem(GRAY, "gray-ring", 400)
    engines = {"memory": {}, "stream": {}, "dask": {"scheduler": cluster.client.scheduler.address}}
    frames = {}
    for engine, given in engines.items():
        monkeypatch.setattr("anonset.engine.planning.KEPT_SHARE", 0.0 if engine == "stream" else 0.5)
        done = anonset.anonymize_files(folder, tmp_path / engine, algorithm, memory="1GB", **given, **SETTINGS[algorithm])
        assert done.verdict.holds
        assert done.remarks[0].startswith(engine)
        frame = pl.read_parquet(tmp_path / engine / "published" / "records.parquet")
        frames[engine] = frame.sort(frame.columns)

    assert frames["memory"].equals(frames["stream"])
    assert frames["memory"].equals(frames["dask"])


def test_workers_find_a_pair_that_is_rare_over_two_parts(cluster, tmp_path, monkeypatch):
    folder, out = write_baskets(tmp_path / "big", 900), tmp_path / "out"
    monkeypatch.setattr("anonset.engine.planning.LARGEST", 300)
    anonset.anonymize_files(folder, out, "pcta", k=3, m=2)
    for path in sorted((out / "published" / "records.parquet").iterdir())[:2]:
        frame = pl.read_parquet(path)
        lists = frame["items"].to_list()
        lists[-1] = ["i0", "i39"]
        frame.with_columns(pl.Series("items", lists, frame["items"].dtype)).write_parquet(path)

    each = Limits("1GB", scheduler=cluster.client.scheduler.address)
    findings = verifying.run(VerifyRequest(out, Input(folder), limits=each)).verdict.findings

    assert not findings[0].holds
    assert findings[0].support == 2
    assert "{i0, i39}" in " ".join(findings[0].witnesses)


def test_a_driver_that_is_killed_publishes_nothing_and_goes_on(tmp_path):
    folder, out = write_baskets(tmp_path / "big", 20_000), tmp_path / "out"
    journal = work_folder(out) / "journal"
    line = [sys.executable, "-m", "anonset", "anonymize", *asked(folder, out, "--memory", "500MB"), "--quiet"]
    process = subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    limit = time.monotonic() + 120
    while len(list(journal.glob("*.npz"))) < 2 and time.monotonic() < limit and process.poll() is None:
        time.sleep(0.005)
    process.kill()
    process.wait()
    assert not out.exists()
    done = len(list(journal.glob("*.npz")))
    assert done >= 2

    again = command(*asked(folder, out, "--memory", "500MB"))

    assert again.returncode == 0, again.stderr
    timings = json.loads((out / "private" / "manifest.json").read_text())["timings"]
    assert "values" not in timings
    assert len(timings) == 6 - done
    assert not work_folder(out).exists()


@pytest.mark.skipif(sys.platform == "win32", reason="needs limits of Unix")
def test_a_full_disk_is_said_in_a_line_and_publishes_nothing(tmp_path):
    import resource

    folder = write_baskets(tmp_path / "big", 20_000)

    def small_files():
        resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, 40_000))

    found = command(*asked(folder, tmp_path / "out", "--jobs", "1"), preexec_fn=small_files)

    assert found.returncode == 2, found.stderr
    assert len(found.stderr.strip().splitlines()) == 1
    assert not (tmp_path / "out").exists()


def test_an_address_without_a_scheduler_is_an_input_error(monkeypatch):
    monkeypatch.setattr("anonset.engine.executors.PATIENCE", 1)
    with pytest.raises(InputError, match="no Dask scheduler at"):
        DaskCluster.open("tcp://127.0.0.1:9", 1)


def test_counting_is_what_it_says(tmp_path):
    assert Counting(0.0).fold(None, 3, Context(tmp_path))["unit"].tolist() == [3]
    assert np.array_equal(Counting(0.0).both({"unit": np.array([1])}, {"unit": np.array([2])})["unit"], [1, 2])


def test_workers_measure_and_attack_as_threads_do(cluster, tmp_path, monkeypatch):
    monkeypatch.setattr("anonset.engine.planning.LARGEST", 200)
    folder, out = write_baskets(tmp_path / "big", 600), tmp_path / "out"
    anonset.anonymize_files(folder, out, "aa", k=3, m=2, item_hierarchy="balanced:3")
    address = cluster.client.scheduler.address
    limits = Limits("1GB"), Limits("1GB", scheduler=address)

    threads, workers = (measuring.run(MeasureRequest(out, Input(folder), limits=each)) for each in limits)
    found = [attacking.run(AttackRequest(out, Input(folder), attackers=30, seed=2, limits=each)) for each in limits]

    assert workers.values == pytest.approx(dict(threads.values))
    assert [linkage.after.prosecutor for linkage in found[0].linkages] == [x.after.prosecutor for x in found[1].linkages]
