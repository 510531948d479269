"""Jobs in other processes: what they tell, what limits them, and that no process is left behind."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import job_servers
from anonset.jobs import Ended, Pool, Progressed, Reported


def drain(pool, patience=60.0):
    """All events until nothing is unfinished."""
    events, until = [], time.monotonic() + patience
    while pool.unfinished:
        assert time.monotonic() < until, "the pool does not come to an end"
        events += pool.poll()
    return events


def ended(events):
    return {event.key: event for event in events if isinstance(event, Ended)}


def is_gone(pid, patience=3.0):
    """Whether a process ends within so many seconds; a zombie has ended."""
    until = time.monotonic() + patience
    while time.monotonic() < until:
        try:
            os.kill(pid, 0)
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except (ProcessLookupError, FileNotFoundError):
            return True
        time.sleep(0.05)
    return False


def written(path, patience=60.0):
    """The process id that a job writes when it is at work."""
    until = time.monotonic() + patience
    while time.monotonic() < until:
        if path.exists() and (text := path.read_text()):
            return int(text)
        time.sleep(0.02)
    raise AssertionError(f"nothing was written to {path}")


@pytest.fixture(scope="module")
def pool():
    """One process for all tests that leave it alive."""
    with Pool(job_servers.obedient) as pool:
        yield pool


def test_results_come_back_with_time_and_memory(pool):
    pool.submit("a", ("echo", {"x": (1, 2)}))

    (event,) = drain(pool)

    assert event._replace(seconds=0.0, memory_mb=0.0) == Ended("a", "done", {"x": (1, 2)})
    assert event.seconds > 0
    assert event.memory_mb > 1


def test_progress_is_told_by_phase_and_its_end_always(pool):
    pool.submit("a", ("shares", "Reading", 0.1, 0.2, 1.0))

    events = drain(pool)

    told = [event for event in events if isinstance(event, Progressed)]
    assert told[0] == Progressed("a", "Reading", 0.1)
    assert told[-1] == Progressed("a", "Reading", 1.0)
    assert events[-1].outcome == "done"


def test_values_are_said_before_the_end(pool):
    pool.submit("a", ("say", "one", [2]))

    events = drain(pool)

    assert events[:2] == [Reported("a", "one"), Reported("a", [2])]
    assert (events[2].outcome, events[2].value) == ("done", 2)


def test_only_our_own_errors_are_quoted(pool):
    pool.submit("ours", ("refuse", "k=5 exceeds the 4 records"))
    pool.submit("others", ("fail", "Jane Doe, 1970-01-01"))
    pool.submit("odd", ("odd",))

    found = ended(drain(pool))

    assert {event.outcome for event in found.values()} == {"failed"}
    assert found["ours"].reason == "k=5 exceeds the 4 records"
    assert found["others"].reason == "internal error: ValueError"
    assert "Jane" not in repr(found)
    assert found["odd"].reason.startswith("internal error: ")


@pytest.mark.parametrize(("ours", "reason"), [(True, "no such file"), (False, "internal error: ValueError")])
def test_a_server_that_cannot_be_made_is_told_by_every_job(ours, reason, capfd):
    with Pool(job_servers.broken, "no such file", ours) as pool:
        pool.submit("a", ("echo", 1))
        pool.submit("b", ("echo", 2))

        found = ended(drain(pool))

    assert [found[key].reason for key in "ab"] == [reason] * 2
    assert "no such file" not in capfd.readouterr().err


def test_a_job_whose_process_ends_is_told_and_the_next_one_gets_a_new_one(pool):
    pool.submit("a", ("exit",))
    pool.submit("b", ("echo", 1))

    found = ended(drain(pool))

    assert (found["a"].outcome, found["a"].reason) == ("failed", "the process ended without an answer")
    assert found["b"].value == 1


def test_an_idle_process_that_was_killed_is_replaced(pool):
    pool.submit("a", ("pid",))
    first = ended(drain(pool))["a"].value
    os.kill(first, signal.SIGKILL)
    assert is_gone(first)

    pool.submit("b", ("pid",))

    assert ended(drain(pool))["b"].value != first


def test_the_time_limit_stops_a_job_that_is_silent_and_one_that_talks(pool, tmp_path):
    for key, request in (("talks", ("chatter", 30)), ("silent", ("sleep", str(tmp_path / "mark")))):
        pool.submit("start", ("echo", 1))
        drain(pool)
        pool.submit(key, request, seconds=0.5)
        events = drain(pool)
        (end,) = ended(events).values()

        assert (end.key, end.outcome, end.reason) == (key, "time", "took more than 0.5 s")
        assert 0.5 <= end.seconds < 15
        assert (Progressed("talks", "Talking", 0.5) in events) == (key == "talks")
    assert is_gone(written(tmp_path / "mark"))


def test_the_memory_limit_ends_the_job_and_spares_the_next():
    with Pool(job_servers.obedient, memory_mb=600) as pool:
        pool.submit("a", ("eat", 900, 60))
        pool.submit("b", ("eat", 900, 0))  # has perhaps ended before anybody looked
        pool.submit("c", ("echo", 1))

        found = ended(drain(pool))

    assert (found["a"].outcome, found["a"].reason) == ("memory", "used more than 600 MB")
    assert found["b"].outcome in ("memory", "done")
    assert found["c"].value == 1


def test_waiting_and_working_jobs_are_cancelled(pool, tmp_path):
    pool.submit("working", ("sleep", str(tmp_path / "mark")))
    pool.submit("waiting", ("echo", 1))
    pool.submit("stays", ("echo", 2))
    pool.poll()
    worker = written(tmp_path / "mark")

    pool.cancel("waiting")
    pool.cancel("working")
    pool.cancel("unknown")

    assert is_gone(worker)
    assert pool.unfinished == 3
    found = ended(drain(pool))
    assert {key: event.outcome for key, event in found.items()} == {
        "working": "cancelled",
        "waiting": "cancelled",
        "stays": "done",
    }


def test_many_jobs_on_two_processes_and_none_is_left(tmp_path):
    with Pool(job_servers.obedient, str(tmp_path), processes=2) as pool:
        for n in range(20):
            pool.submit(str(n), ("echo", n))
        found = ended(drain(pool))
        for n in range(2):
            pool.submit(f"sleep{n}", ("sleep", str(tmp_path / f"mark{n}")))
        pool.poll()
        working = [written(tmp_path / f"mark{n}") for n in range(2)]

    assert {key: event.value for key, event in found.items()} == {str(n): n for n in range(20)}
    made = {int(path.name) for path in tmp_path.iterdir() if path.name.isdecimal()}
    assert made == set(working)
    assert len(made) == 2
    assert all(is_gone(pid, patience=0.5) for pid in made)
    assert pool.unfinished == 0


def test_workers_do_not_outlive_a_parent_that_is_killed(tmp_path):
    mark = tmp_path / "mark"
    script = f"import job_servers\nif __name__ == '__main__':\n    job_servers.hold_pool({str(mark)!r})\n"
    (tmp_path / "parent.py").write_text(script)
    paths = os.pathsep.join([str(Path(job_servers.__file__).parent), *filter(None, sys.path)])
    parent = subprocess.Popen([sys.executable, str(tmp_path / "parent.py")], env={**os.environ, "PYTHONPATH": paths})
    try:
        workers = [written(tmp_path / f"mark{n}") for n in range(2)]
    finally:
        parent.kill()
        parent.wait()

    assert all(is_gone(worker) for worker in workers)
