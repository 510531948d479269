"""Many people at once: every page is drawn while runs are at work, and pages that were left are forgotten."""

import asyncio

import psutil
import pytest

from anonset.web.words import PLACES
from server.served import LONG, TOKEN, Served
from server.visiting import visits

pytestmark = pytest.mark.web


def test_twenty_people_and_two_runs(tmp_path):
    served = Served(tmp_path, processes=2)
    try:
        project, first = served.long_run()
        second = served.client.post(f"/api/projects/{project}/runs", json=LONG).headers["location"]
        paths = ["/", *(f"/projects/{project}/{place}" for place in PLACES)]

        def visited(people):
            headers = {"Authorization": f"Bearer {TOKEN}"}
            return asyncio.run(visits(str(served.client.base_url), headers, paths, people=people, each=5, pause=0.2))

        visited(20)
        before = psutil.Process(served.process.pid).memory_info().rss
        seconds = visited(20)

        assert len(seconds) == 100
        assert sorted(seconds)[95] < 20, "on a busy machine; bench/bench_workbench.py says how quick it is"
        assert psutil.Process(served.process.pid).memory_info().rss - before < 80_000_000
        assert max(worker.nice() for worker in served.workers()) > psutil.Process(served.process.pid).nice(), "runs give way"
        assert served.state(first) == "running"
        assert served.state(second) in ("waiting", "running")
    finally:
        served.client.close()
        served.stop()
    assert "Traceback" not in served.log.read_text()
