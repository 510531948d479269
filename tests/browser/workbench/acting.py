"""What the tests do with a page, as a person would."""

import os
import re
import subprocess
import sys
import time
import zipfile
from pathlib import Path

from playwright.sync_api import Page, expect

SET_VALUED = "".join(f"{' '.join(str(1 + (7 * r + j * (r % 5 + 1)) % 12) for j in range(1 + r % 4))}\n" for r in range(240))
MARKER = "pwned"  # in names and values of hostile files: neither runs nor is told
MOST_TABS = 250
PATIENCE = 1_000 * int(os.environ.get("ANONSET_PATIENCE", "240"))  # milliseconds
FOCUSED = """() => {
  const e = document.activeElement;
  if (e === document.body) return '';
  return (e.getAttribute('aria-label') || e.innerText || e.labels?.[0]?.innerText || '').trim();
}"""


def token(page: Page) -> dict[str, str]:
    """The header that requests which change something carry."""
    found = {cookie["name"]: cookie["value"] for cookie in page.context.cookies()}
    return {"X-CSRF-Token": found["anonset_csrf"]}


def post(page: Page, path: str, **body) -> dict:
    """The answer of the API to a request of this browser."""
    if not page.context.cookies():
        page.request.get("/api/samples")
    answer = page.request.post(f"/api{path}", data=body, headers=token(page), timeout=PATIENCE)
    assert answer.ok, answer.text()
    return answer.json()


def upload(page: Page, name: str, text: str) -> str:
    """A project with a file, by the API; its id."""
    project = post(page, "/projects", name="From a test")["id"]
    headers = token(page) | {"X-File-Name": name, "Content-Type": "application/octet-stream"}
    answer = page.request.put(f"/api/projects/{project}/data", data=text.encode(), headers=headers, timeout=PATIENCE)
    assert answer.ok, answer.text()
    return project


def step(page: Page, project: str, kind: str, **values) -> None:
    """Take a step by the API."""
    post(page, f"/projects/{project}/steps", kind=kind, **values)


def finished_run(page: Page, project: str, **asked) -> str:
    """Have a run made by the API; its id."""
    run = post(page, f"/projects/{project}/runs", **asked)["id"]
    until = time.monotonic() + PATIENCE / 1000
    while (found := page.request.get(f"/api/projects/{project}/runs/{run}").json())["state"] in {"waiting", "running"}:
        assert time.monotonic() < until
        page.wait_for_timeout(100)
    assert found["state"] == "done", found["reason"]
    return run


def go(page: Page, project: str, place: str) -> None:
    """Open a place of a project, and wait until it is drawn."""
    page.goto(f"/projects/{project}/{place}")
    expect(page.locator("h1")).to_be_visible()


def settled(page: Page) -> None:
    """Wait until a page has everything it asked for."""
    expect(page.get_by_label("Loading")).to_have_count(0)
    expect(page.get_by_role("status")).to_have_count(0)
    page.wait_for_load_state("networkidle")


def project_of(page: Page) -> str:
    """The id in the address of a page."""
    return re.search(r"/projects/([0-9a-f]+)/", page.url)[1]


def tab_to(page: Page, name: str) -> None:
    """Press Tab until the part of that name has the focus."""
    for _ in range(MOST_TABS):
        page.keyboard.press("Tab")
        focused = page.evaluate(FOCUSED)
        if name in focused:
            return
    raise AssertionError(f"Tab never comes to {name}")


def verified(download: Path, folder: Path, original: Path, *roles: str) -> str:
    """What the command line says of a downloaded bundle."""
    with zipfile.ZipFile(download) as archive:
        archive.extractall(folder)
    command = [sys.executable, "-m", "anonset", "verify", str(folder), "--original", str(original), *roles]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
