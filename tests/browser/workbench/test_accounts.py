"""People with accounts at the pages: what a page does is done as the person who signed in, through its socket too."""

import socket
import subprocess
import sys
import time
from urllib.request import urlopen

import pytest
from playwright.sync_api import expect

from anonset.workbench.accounts import Accounts
from anonset.workbench.audit import AuditLog
from anonset.workbench.store import Store
from browser.workbench.acting import PATIENCE

PASSWORD = "a password of some length"


@pytest.fixture
def team(tmp_path):
    """The address of a server whose people are lou, who may look, and rex, who may release; and its store."""
    folder = tmp_path / "store"
    store = Store(folder)
    for name, role in (("lou", "look"), ("rex", "release")):
        Accounts(store).add(name, role, PASSWORD)
    store.close()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = ["serve", "--port", str(port), "--store", str(folder), "--processes", "1"]
    with (tmp_path / "log").open("w") as log:
        server = subprocess.Popen([sys.executable, "-m", "anonset", *words], stdout=log, stderr=log)
    base = f"http://127.0.0.1:{port}"
    try:
        for _ in range(600):
            assert server.poll() is None, (tmp_path / "log").read_text()
            try:
                urlopen(f"{base}/login", timeout=5).close()
                break
            except OSError:
                time.sleep(0.2)
        yield base, folder
    finally:
        server.terminate()
        server.wait(60)
    assert "Traceback" not in (tmp_path / "log").read_text()


def sign_in(browser, base, name):
    context = browser.new_context(base_url=base)
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    page.goto("/")
    page.get_by_label("Account").fill(name)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    return page


def create_project(page):
    page.get_by_role("button", name="New project").click()
    dialog = page.get_by_role("dialog")
    dialog.locator("input").first.fill("Wards")
    dialog.get_by_role("button", name="Create").click()


def test_a_role_counts_for_what_a_page_does_and_one_can_sign_out(browser, team):
    base, folder = team
    lou, rex = sign_in(browser, base, "lou"), sign_in(browser, base, "rex")

    create_project(lou)
    expect(lou.get_by_text("your account may not change projects and start runs")).to_be_visible(timeout=PATIENCE)
    create_project(rex)
    rex.wait_for_url("**/projects/*/data")
    rex.get_by_role("link", name="rex").click()
    expect(rex.get_by_text("You are signed in as rex.")).to_be_visible()
    rex.get_by_role("button", name="Sign out").click()
    expect(rex.get_by_label("Password")).to_be_visible()
    rex.goto("/")
    expect(rex.get_by_label("Password")).to_be_visible()

    for page in (lou, rex):
        page.context.close()
    store = Store(folder)
    done = [(entry.person, entry.action) for entry in AuditLog(store).all()]
    store.close()
    assert ("lou", "refused: create project") in done
    assert ("rex", "create project") in done
    assert ("lou", "create project") not in done
    assert done[-1] == ("rex", "signed out")
