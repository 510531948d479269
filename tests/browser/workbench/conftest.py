"""A server of our own and pages on it; whatever a page complains of in its console fails the test."""

import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.cookiejar import CookieJar
from urllib.parse import urlparse
from urllib.request import HTTPCookieProcessor, Request, build_opener, urlopen

import pytest

from browser.workbench.acting import MARKER, PATIENCE


@dataclass
class Seen:
    """What went wrong in a browser: errors of scripts, refusals by the policy, hosts that are not ours; all it asked for."""

    base: str
    wrong: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    def watch(self, context) -> None:
        context.on("console", lambda message: self._said(message))
        context.on("weberror", lambda error: self.wrong.append(f"script: {error.error}"))
        context.on("dialog", lambda dialog: (self.wrong.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        context.on("request", lambda request: self._asked(request.url))
        context.on("page", lambda page: page.on("websocket", lambda opened: self._asked(opened.url)))

    def _said(self, message) -> None:
        if message.type == "error" or "Content Security Policy" in message.text:
            self.wrong.append(f"console: {message.text}")

    def _asked(self, url: str) -> None:
        self.asked.append(url)
        if urlparse(url).scheme in {"http", "https", "ws", "wss"} and urlparse(url).netloc != urlparse(self.base).netloc:
            self.wrong.append(f"foreign: {url}")


@pytest.fixture(scope="session")
def served(tmp_path_factory) -> Iterator[str]:
    """The address of a server with an empty store."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    store = tmp_path_factory.mktemp("store")
    command = [sys.executable, "-m", "anonset", "serve", "--port", str(port), "--store", str(store / "store"), "--no-token"]
    log = (store / "log").open("w")
    server = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT)
    base = f"http://127.0.0.1:{port}"
    try:
        _wait_for(base, server)
        _warm(base)
        yield base
    finally:
        server.terminate()
        server.wait(60)
        log.close()
    said = (store / "log").read_text()
    assert "Traceback" not in said, said[-3_000:]
    assert MARKER not in said


def _wait_for(base: str, server: subprocess.Popen) -> None:
    for _ in range(600):
        assert server.poll() is None, "the server ended"
        try:
            with urlopen(f"{base}/api/samples", timeout=5):
                return
        except OSError:
            time.sleep(0.2)
    raise AssertionError("the server does not answer")


def _warm(base: str) -> None:
    """Have a sample taken in once: workers that start take their time, and tests are not about that."""
    jar = CookieJar()
    opener = build_opener(HTTPCookieProcessor(jar))
    opener.open(f"{base}/api/samples", timeout=60).close()
    token = next(cookie.value for cookie in jar if cookie.name == "anonset_csrf")
    headers = {"Content-Type": "application/json", "X-CSRF-Token": token}
    with opener.open(Request(f"{base}/api/projects", b'{"sample": "patients"}', headers), timeout=900) as answer:
        project = json.loads(answer.read())["id"]
    opener.open(f"{base}/api/projects/{project}/profile", timeout=900).close()


@pytest.fixture
def seen(served) -> Iterator[Seen]:
    """What the pages of a test asked for; there must be nothing to complain of."""
    watched = Seen(served)
    yield watched
    assert watched.wrong == []
    assert not [url for url in watched.asked if MARKER in url]


@pytest.fixture
def page(browser, served, seen) -> Iterator:
    """A page of 1400 x 900, watched as are those it opens."""
    from playwright.sync_api import expect

    expect.set_options(timeout=PATIENCE)
    context = browser.new_context(viewport={"width": 1400, "height": 900}, base_url=served, accept_downloads=True)
    context.set_default_timeout(PATIENCE)
    seen.watch(context)
    yield context.new_page()
    context.close()
