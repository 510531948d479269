"""One workbench with the sample in it for all tests that only look, and an empty one for those that change things."""

import time

import pytest

from anonset.workbench import Workbench


def ended(bench, project, run, seconds=900):
    until = time.monotonic() + seconds
    while bench.runs.get(project, run).state in ("waiting", "running"):
        assert time.monotonic() < until, "the run takes too long"
        time.sleep(0.05)
    return bench.runs.get(project, run)


@pytest.fixture(scope="session")
def bench(tmp_path_factory):
    made = Workbench(tmp_path_factory.mktemp("store"), processes=1, largest_upload=20_000_000)
    yield made
    made.close()


@pytest.fixture(scope="session")
def project(bench):
    return bench.projects.create_from_sample("patients").id


@pytest.fixture(scope="session")
def done(bench, project):
    return ended(bench, project, bench.runs.start(project, "rmerge-r", {"delta": 0.4, "items": "pcta", "seed": 1}).id)


@pytest.fixture(scope="session")
def wait():
    return ended
