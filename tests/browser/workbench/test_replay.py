"""What the page of a release hands out: pages to read, and what makes the same release elsewhere, byte by byte."""

import hashlib
import shlex
import subprocess
import sys
import zipfile

from playwright.sync_api import expect

from anonset.samples import write_sample
from browser.workbench.acting import go, post, settled, step


def released(page):
    """A project of the sample with a chosen release, and the digest of its records."""
    project = post(page, "/projects", sample="patients")["id"]
    run = post(page, f"/projects/{project}/runs", algorithm="rmerge-r", parameters={"items": "lift"}, pages=False)["id"]
    go(page, project, f"try?run={run}")
    expect(page.get_by_text("✓ verified").first).to_be_visible()
    step(page, project, "choose_release", run=run)
    return project, page.request.get(f"/api/projects/{project}/runs/{run}").json()["digest"]


def made_by(words, folder):
    """The digest of the release that a command makes beside the data."""
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    records = (folder / "release" / "published" / "records.csv").read_bytes()
    (folder / "release").rename(folder / f"release-{len(list(folder.iterdir()))}")
    return hashlib.sha256(records).hexdigest()


def test_the_kit_makes_the_same_release_by_command_line_and_python(page, tmp_path):
    project, digest = released(page)
    go(page, project, "release")
    with page.expect_download() as started:
        page.get_by_role("link", name="Download the files that these lines need").click()
    with zipfile.ZipFile(started.value.path()) as kit:
        kit.extractall(tmp_path)
    write_sample(tmp_path / "sample").rename(tmp_path / "patients.csv")

    command = shlex.split((tmp_path / "make.sh").read_text())
    assert made_by([sys.executable, "-m", *command, "--no-report"], tmp_path) == digest
    assert made_by([sys.executable, "make.py"], tmp_path) == digest
    assert command == shlex.split(page.locator(".copyable pre").first.inner_text())


def test_report_and_certificate_open_and_ask_for_nothing(page, seen):
    project, _ = released(page)
    go(page, project, "release")
    settled(page)
    for name in ("Read the report", "Read the certificate"):
        with page.expect_popup() as opened:
            page.get_by_role("link", name=name).click()
        expect(opened.value.locator("h1").first).to_be_visible()
        assert seen.asked[-1] == opened.value.url
