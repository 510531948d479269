"""Asking workers, and stopping them."""

import os
import time

import pytest

from anonset.workbench.workers import WorkerPool
from job_servers import obedient


@pytest.fixture
def crew():
    made = WorkerPool(obedient, processes=1)
    yield made
    made.close()


def test_an_answer_comes_back_to_who_asked(crew):
    assert [crew.ask(str(i), ("echo", i)).value for i in range(3)] == [0, 1, 2]


def test_a_request_is_taken_back_and_its_process_ends(crew, tmp_path):
    heard, mark = [], tmp_path / "mark"
    crew.submit("long", ("sleep", str(mark)), heard.append)
    while not mark.exists() or not mark.read_text():
        time.sleep(0.01)
    crew.cancel("long")
    until = time.monotonic() + 3
    while not heard and time.monotonic() < until:
        time.sleep(0.01)

    assert heard[-1].outcome == "cancelled"
    with pytest.raises(ProcessLookupError):
        os.kill(int(mark.read_text()), 0)
