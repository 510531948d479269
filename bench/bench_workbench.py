"""How quick the workbench is: the slider, a large upload, a long table, many people at once. Needs Chromium.

Run: python bench/bench_workbench.py [slider] [upload] [rows] [people]; all of them where none is named.
"""

import asyncio
import gzip
import os
import re
import statistics
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import psutil

HERE = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(HERE / "tests"))

from browser.workbench.acting import settled  # noqa: E402
from browser.workbench.test_trying import many_baskets  # noqa: E402
from server.served import LONG, TOKEN, Served  # noqa: E402
from server.visiting import visits  # noqa: E402

REAL = Path(os.environ.get("ANONSET_DATA", HERE.parent / "shared" / "data")) / "transactions" / "bms_webview_2.dat.gz"
TREE = REAL.parents[1] / "hierarchies" / "bms_webview_2.csv"
CHROMIUM = os.environ.get("ANONSET_CHROMIUM", "/usr/bin/chromium")
PLACES = ("data", "hierarchies", "promise", "try", "inspect", "release")
ROWS, MEGABYTES, PEOPLE, VISITS = 2_000_000, 105, 20, 200
POINTS = "n => Number(document.querySelector('.map').dataset.points) > n"


def slider(served, page):
    """From a key on the slider to the dot on the map, with aa and a worker that is warm: values that were not made before."""
    text = gzip.decompress(REAL.read_bytes()) if REAL.exists() else many_baskets().encode()
    project = uploaded(served, "baskets.dat", [text])
    if REAL.exists():
        answer = served.client.post(f"/api/projects/{project}/hierarchies/items/uploads", content=TREE.read_bytes())
        step(served, project, kind="use_hierarchy", column="items", upload=answer.json()["upload"])
    waits = []
    for m, key in ((2, "ArrowRight"), (3, "ArrowLeft")):
        step(served, project, kind="set_promise", k=5, m=m)
        waits += slid(page, project, key)
    told = "bms_webview_2" if REAL.exists() else "a look-alike"
    print(f"slider, aa, {told}, {len(waits)} values: median {statistics.median(waits):.2f} s, most {max(waits):.2f} s")


def slid(page, project, key):
    """The seconds from each key to the dot on the map, once a run has warmed the worker."""
    page.goto(f"/projects/{project}/try")
    settled(page)
    page.get_by_label("Algorithm").fill("aa")
    page.get_by_role("option", name="aa:").first.click()
    page.get_by_role("button", name="Run", exact=True).click()
    page.get_by_role("button", name="Release this run").wait_for()
    waits = []
    for _ in range(5):
        before = int(page.locator(".map").get_attribute("data-points"))
        page.locator(".k-slider [tabindex]").focus()
        began = time.perf_counter()
        page.keyboard.press(key)
        page.wait_for_function(POINTS, arg=before, polling=20)
        waits.append(time.perf_counter() - began)
        page.get_by_role("button", name="Release this run").wait_for()
    return waits


def upload(served, page):
    """100 MB go through a server of one process: what its memory grows by, and how long others wait meanwhile."""
    line = b"1234567,Ulm,some text that makes the file larger," + b"x" * 49 + b"\n"
    pieces = [b"age,town,note,more\n", *([line * 10_000] * MEGABYTES)]
    before, most, waits, stop = memory(served), [], [], threading.Event()

    def ping():
        with httpx.Client(base_url=served.client.base_url, headers=dict(served.client.headers)) as other:
            while not stop.wait(0.05):
                began = time.perf_counter()
                other.get("/api/samples")
                waits.append(time.perf_counter() - began)
                most.append(memory(served))

    watching = threading.Thread(target=ping)
    watching.start()
    began = time.perf_counter()
    uploaded(served, "large.csv", pieces)
    seconds = time.perf_counter() - began
    stop.set()
    watching.join()
    late = sorted(waits)[int(0.95 * len(waits))]
    print(
        f"upload of {MEGABYTES} MB, read and checked: {seconds:.1f} s; memory grows by {max(most) - before:.0f} MB; "
        f"{len(waits)} pings, median {1000 * statistics.median(waits):.0f} ms, p95 {1000 * late:.0f} ms, "
        f"most {1000 * max(waits):.0f} ms"
    )


def rows(served, page):
    """From a key to the last of two million rows on the page, and the most rows in an answer."""
    pieces = (
        b"".join(b"%d,t%d\n" % (row % 90, row) for row in range(start, start + 50_000)) for start in range(0, ROWS, 50_000)
    )
    project = uploaded(served, "long.csv", (b"age,town\n", *pieces))
    counts = []
    page.on("request", lambda request: counts.extend(map(int, re.findall(r"/data/rows.*count=(\d+)", request.url))))
    waits = []
    for _ in range(5):
        page.goto(f"/projects/{project}/data")
        page.locator(".ag-cell").get_by_text("t0", exact=True).click()
        began = time.perf_counter()
        page.keyboard.press("Control+End")
        page.locator(".ag-cell").get_by_text(f"t{ROWS - 1}", exact=True).wait_for()
        waits.append(time.perf_counter() - began)
    print(f"last of {ROWS:,} rows: median of 5 {statistics.median(waits):.2f} s; at most {max(counts)} rows in an answer")


def people(served, page):
    """People who go from page to page while two runs are at work, and the server's memory when all is quiet again."""
    project, first = served.long_run()
    jobs = [first, served.client.post(f"/api/projects/{project}/runs", json=LONG).headers["location"]]
    paths = ["/", *(f"/projects/{project}/{place}" for place in PLACES)]
    quiet = []
    for _ in range(3):
        going = visits(
            str(served.client.base_url),
            {"Authorization": f"Bearer {TOKEN}"},
            paths,
            people=PEOPLE,
            each=VISITS // PEOPLE,
            pause=1.0,
        )
        with ThreadPoolExecutor(1) as thread:  # the browser keeps a loop in this one
            found = sorted(thread.submit(asyncio.run, going).result())
        at_work = [served.state(job) for job in jobs].count("running")
        time.sleep(35)  # the server forgets a page 30 s after it was left
        quiet.append(memory(served))
        print(
            f"{PEOPLE} people, {at_work} runs at work, {len(found)} pages: median {statistics.median(found):.2f} s, "
            f"p95 {found[int(0.95 * len(found))]:.2f} s; then {quiet[-1]:.0f} MB"
        )
    for job in jobs:
        served.client.post(f"{job}/cancel")


def uploaded(served, name, pieces):
    """A project with a file."""
    project = served.client.post("/api/projects", json={"name": name}).json()["id"]
    answer = served.client.put(f"/api/projects/{project}/data", content=iter(pieces), headers={"X-File-Name": name})
    assert answer.status_code == 200, answer.text
    return project


def step(served, project, **body):
    """A decision."""
    assert served.client.post(f"/api/projects/{project}/steps", json=body).status_code == 201


def memory(served):
    """What the server's own process uses, in MB."""
    return psutil.Process(served.process.pid).memory_info().rss / 1e6


def main(names):
    """Measure what is named, each with a server of its own: one run at a time, but for many people."""
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=600_000)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        for job in (slider, upload, rows, people):
            if not names or job.__name__ in names:
                with tempfile.TemporaryDirectory() as folder:
                    served = Served(Path(folder), processes=2 if job is people else 1)
                    try:
                        job(served, signed_in(browser, served))
                    finally:
                        served.stop()
        browser.close()


def signed_in(browser, served):
    """A page of somebody who showed the token."""
    page = browser.new_page(base_url=str(served.client.base_url), viewport={"width": 1400, "height": 900})
    page.set_default_timeout(600_000)
    page.goto("/login")
    page.get_by_label("The token").fill(TOKEN)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url("**/")
    return page


if __name__ == "__main__":
    main(sys.argv[1:])
