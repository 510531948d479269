"""The server as a process: what it uses, what it leaves behind, and what survives it."""

import threading
import time

import httpx
import psutil
import pytest

from server.served import Served

pytestmark = pytest.mark.web
MARKER = "Xq7MARKERq7X"


@pytest.fixture
def served(tmp_path):
    made = Served(tmp_path)
    yield made
    made.client.close()
    if made.process.poll() is None:
        made.stop()
    assert "Traceback" not in made.log.read_text()


def gone(processes):
    return not [process for process in processes if process.is_running() and process.status() != psutil.STATUS_ZOMBIE]


def test_a_cancelled_run_is_gone_at_once_and_leaves_nothing(served):
    project, run = served.long_run()
    workers = served.workers()

    began = time.monotonic()
    served.client.post(f"{run}/cancel")
    served.wait(lambda: served.state(run) == "cancelled", 3)

    served.wait(lambda: any(gone([worker]) for worker in workers), 3)
    assert time.monotonic() - began < 3
    assert list((served.folder / "store" / "projects" / project / "runs").iterdir()) == []


def test_a_killed_server_takes_its_workers_along_and_its_runs_start_again(served):
    _, run = served.long_run()
    workers = served.workers()
    assert workers

    served.process.kill()
    served.process.wait()
    served.client.close()
    served.wait(lambda: gone(workers), 30)
    served.start()

    assert served.state(run) == "interrupted"
    assert served.client.post(f"{run}/restart").status_code == 202
    served.wait(lambda: served.state(run) == "running", 600)


def test_a_large_upload_stays_out_of_memory_and_the_server_answers_meanwhile(served):
    project = served.client.post("/api/projects", json={"name": "large"}).json()["id"]
    line = b"1234567,Ulm,some text that makes the file larger," + b"x" * 49 + b"\n"
    piece = line * 10_000
    before, waits, stop = psutil.Process(served.process.pid).memory_info().rss, [], threading.Event()
    most = [before]

    def ping():
        with httpx.Client(base_url=served.client.base_url, headers=dict(served.client.headers), timeout=60) as other:
            while not stop.wait(0.1):
                began = time.monotonic()
                other.get("/api/samples")
                waits.append(time.monotonic() - began)
                most.append(psutil.Process(served.process.pid).memory_info().rss)

    def body():
        yield b"age,town,note,more\n"
        for _ in range(110):
            yield piece

    watching = threading.Thread(target=ping)
    watching.start()
    answer = served.client.put(f"/api/projects/{project}/data", content=body(), headers={"X-File-Name": "large.csv"})
    stop.set()
    watching.join()

    assert answer.status_code == 200, answer.text
    assert answer.json()["file"]["bytes"] > 100_000_000
    assert max(most) - before < 50_000_000
    assert sorted(waits)[len(waits) // 2] < 0.3


def test_the_last_of_two_million_rows_is_found_within_a_second(served):
    project = served.client.post("/api/projects", json={"name": "long"}).json()["id"]

    def body():
        yield b"age,town\n"
        for start in range(0, 2_000_000, 50_000):
            yield b"".join(b"%d,t%d\n" % (i % 90, i) for i in range(start, start + 50_000))

    assert served.client.put(f"/api/projects/{project}/data", content=body()).json()["file"]["rows"] == 2_000_000
    rows = f"/api/projects/{project}/data/rows?start=1999900&count=200"
    served.client.get(rows)
    waits = []
    for _ in range(5):
        began = time.monotonic()
        page = served.client.get(rows).json()
        waits.append(time.monotonic() - began)

    assert page["rows"][-1]["c1"] == "t1999999"
    assert len(page["rows"]) == 100
    assert sorted(waits)[2] < 1


def test_a_value_of_the_data_is_in_no_log_no_error_and_after_deleting_nowhere(served):
    rows = "".join(f"{20 + i % 60},{MARKER}{i % 7}\n" for i in range(500))
    project = served.client.post("/api/projects", json={"name": "marked"}).json()["id"]
    served.client.put(f"/api/projects/{project}/data", content=f"age,town\n{rows}".encode())
    roles = {"kind": "set_roles", "roles": {"age": "quasi", "town": "quasi"}}
    assert served.client.post(f"/api/projects/{project}/steps", json=roles).status_code == 201
    errors = [
        served.client.post(
            f"/api/projects/{project}/steps", json={"kind": "build_hierarchy", "column": "town", "how": "dates"}
        ),
        served.client.post(
            f"/api/projects/{project}/steps", json={"kind": "build_hierarchy", "column": "town", "how": "ranges:3"}
        ),
        served.client.put(f"/api/projects/{project}/data", content=f"age,town\n{MARKER}\n".encode()),
        served.client.get(f"/api/projects/{project}/nothing"),
    ]
    run = served.client.post(f"/api/projects/{project}/runs", json={"algorithm": "mondrian"}).headers["location"]
    served.wait(lambda: served.state(run) not in ("waiting", "running"), 600)
    assert served.state(run) == "done"
    store = served.folder / "store"
    held = [path for path in store.rglob("*") if path.is_file() and MARKER.encode() in path.read_bytes()]

    assert served.client.delete(f"/api/projects/{project}").status_code == 204

    assert held
    assert [answer.status_code for answer in errors] == [422, 422, 422, 404]
    assert not [answer.text for answer in errors if MARKER in answer.text]
    assert MARKER not in served.log.read_text()
    assert [path for path in store.rglob("*") if path.is_file() and MARKER.encode() in path.read_bytes()] == []
