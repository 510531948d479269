"""A page in Debian's Chromium, for whatever is looked at in a browser; `make test-web` runs these tests."""

import os
from pathlib import Path

import pytest

AIR_GAP = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"  # no name is found: as in a room without a network
CHROMIUM = Path(os.environ.get("ANONSET_CHROMIUM", "/usr/bin/chromium"))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def browser():
    playwright = pytest.importorskip("playwright.sync_api", reason="no playwright: pip install 'anonset[dev]'")
    if not CHROMIUM.exists():
        pytest.skip(f"no browser at {CHROMIUM}; ANONSET_CHROMIUM says where another one is")
    with playwright.sync_playwright() as started:
        chromium = started.chromium.launch(executable_path=str(CHROMIUM), args=["--no-sandbox", AIR_GAP])
        yield chromium
        chromium.close()


@pytest.fixture
def page(browser):
    """A page that lets nothing out, and fails the test where a script breaks."""
    context = browser.new_context(viewport={"width": 1200, "height": 900})
    context.route("**/*", lambda route: route.continue_() if _is_local(route.request.url) else route.abort())
    opened = context.new_page()
    errors = []
    opened.on("pageerror", lambda error: errors.append(str(error)))
    yield opened
    context.close()
    assert errors == []


def _is_local(url):
    return url.startswith(("file:", "data:", "blob:", "http://127.0.0.1", "http://localhost"))
