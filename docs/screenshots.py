"""Pictures of every page of the workbench, light, dark and on a tablet: python docs/screenshots.py [FOLDER]."""

import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from urllib.request import urlopen

from playwright.sync_api import Page, expect, sync_playwright

PLACES = {
    "projects": "/",
    "data": "/projects/{id}/data",
    "hierarchies": "/projects/{id}/hierarchies?tab=4",
    "promise": "/projects/{id}/promise",
    "try": "/projects/{id}/try?run={run}",
    "inspect": "/projects/{id}/inspect?run={run}",
    "story": "/projects/{id}/inspect?run={run}&tab=story&row=2",
    "check": "/projects/{id}/inspect?run={run}&tab=verdict",
    "counts": "/projects/{id}/inspect?run={run}&tab=counts",
    "attack": "/projects/{id}/inspect?run={run}&tab=attack&row=2",
    "versus": "/projects/{id}/inspect?run={run}&tab=versus",
    "foreign": "/projects/{id}/inspect?run={run}&tab=foreign",
    "release": "/projects/{id}/release",
}
KINDS = {"light": (1400, 900, "light"), "dark": (1400, 900, "dark"), "tablet": (820, 1100, "light")}
PATIENCE = 600_000


def main(folder: Path) -> None:
    """Serve a sample, make releases of it, and take the pictures."""
    folder.mkdir(parents=True, exist_ok=True)
    expect.set_options(timeout=PATIENCE)
    with tempfile.TemporaryDirectory() as store, socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        free.close()
        command = [sys.executable, "-m", "anonset", "serve", "--port", str(port), "--store", store, "--no-token", "--quiet"]
        server = subprocess.Popen(command)
        try:
            _wait_for(f"http://127.0.0.1:{port}/api/samples")
            _take_all(f"http://127.0.0.1:{port}", folder)
        finally:
            server.terminate()
            server.wait(20)


def _wait_for(address: str) -> None:
    for _ in range(300):
        try:
            with urlopen(address, timeout=5):
                return
        except OSError:
            time.sleep(0.2)


def _take_all(base: str, folder: Path) -> None:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(base_url=base)
        page.set_default_timeout(PATIENCE)
        names = _prepared(page)
        for kind, (width, height, scheme) in KINDS.items():
            page.set_viewport_size({"width": width, "height": height})
            page.emulate_media(color_scheme=scheme)
            for place, address in PLACES.items():
                page.goto(address.format(**names))
                expect(page.locator("h1")).to_be_visible()
                expect(page.get_by_label("Loading")).to_have_count(0)
                expect(page.get_by_role("status")).to_have_count(0)
                if place == "inspect":
                    expect(page.locator(".ag-cell.cell-changed").first).to_be_visible()
                page.wait_for_load_state("networkidle")
                page.wait_for_timeout(1_000)  # for what moves into its place
                page.screenshot(path=folder / f"{place}-{kind}.png")
        browser.close()


def _prepared(page: Page) -> dict[str, str]:
    """A project of the sample with some runs, one of them chosen."""
    project = _post(page, "/projects", {"sample": "patients", "name": "Patients of the north"})["id"]
    _post(page, f"/projects/{project}/steps", {"kind": "set_promise", "k": 5, "m": 2})
    for k in (3, 5, 10, 20):
        run = {"algorithm": "rmerge-r", "parameters": {"k": k, "items": "lift"}, "pages": False}
        _post(page, f"/projects/{project}/runs", run)
    chosen = _ended(page, project)
    _post(page, f"/projects/{project}/steps", {"kind": "choose_release", "run": chosen})
    page.request.get(f"/api/projects/{project}/profile", timeout=PATIENCE)
    return {"id": project, "run": chosen}


def _ended(page: Page, project: str) -> str:
    """The id of the run to be chosen, once all have ended."""
    while True:
        runs = page.request.get(f"/api/projects/{project}/runs").json()["entries"]
        if not any(run["state"] in {"waiting", "running"} for run in runs):
            done = [run for run in runs if run["state"] == "done" and run["parameters"]["k"] == 5]
            return str(min(done, key=lambda run: run["measures"]["ncp-items"])["id"])
        time.sleep(1)


def _post(page: Page, path: str, body: dict[str, object]) -> dict[str, str]:
    page.request.get("/api/samples")
    token = next(cookie["value"] for cookie in page.context.cookies() if cookie["name"] == "anonset_csrf")
    answer = page.request.post(f"/api{path}", data=body, headers={"X-CSRF-Token": token}, timeout=PATIENCE)
    assert answer.ok, answer.text()
    found: dict[str, str] = answer.json()
    return found


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "images")
