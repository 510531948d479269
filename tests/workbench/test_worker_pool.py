"""Requests to worker processes, and their cancellation."""

import os
import time

import pytest

from anonset.workbench.workers import WorkerPool
from job_servers import obedient


@pytest.fixture
def pool():
    made = WorkerPool(obedient, processes=1)
    yield made
    made.close()


def test_a_request_gets_its_own_result(pool):
    assert [pool.ask(str(i), ("echo", i)).value for i in range(3)] == [0, 1, 2]


def test_a_request_is_taken_back_and_its_process_ends(pool, tmp_path):
    events, mark = [], tmp_path / "mark"
    pool.submit("long", ("sleep", str(mark)), events.append)
    while not mark.exists() or not mark.read_text():
        time.sleep(0.01)
    pool.cancel("long")
    until = time.monotonic() + 3
    while not events and time.monotonic() < until:
        time.sleep(0.01)

    assert events[-1].outcome == "cancelled"
    with pytest.raises(ProcessLookupError):
        os.kill(int(mark.read_text()), 0)
