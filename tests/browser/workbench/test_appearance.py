"""Every page for everybody: nothing serious for axe, light and dark, and no scrolling to the side."""

import pytest
from playwright.sync_api import expect

from anonset.server.sign_in import ACCOUNT_PAGE, CHANGE_PASSWORD, PAGE, PASSWORD_FORM, TOKEN_FORM
from anonset.web.words import PLACES
from browser.workbench.acting import finished_run, post, settled, step

axe_playwright = pytest.importorskip("axe_playwright_python.sync_playwright", reason="needs axe-playwright-python")
ADDRESSES = (*PLACES, "hierarchies?tab=4")
TABS = ("story", "story&row=3", "verdict", "counts", "attack&row=3", "versus", "foreign")
DRAWN_WIDTH = """() => new Promise((told) =>
  requestAnimationFrame(() => requestAnimationFrame(() => told(document.documentElement.scrollWidth))))"""
WIDTHS = (1400, 820)


@pytest.fixture(scope="module")
def released(browser, served):
    """A project with a chosen release."""
    context = browser.new_context(base_url=served)
    page = context.new_page()
    project = post(page, "/projects", sample="patients")["id"]
    step(page, project, "set_promise", k=5, m=2)
    page.set_default_timeout(300_000)
    asked = {"delta": 0.4, "items": "pcta", "seed": 1}
    run, _ = (finished_run(page, project, algorithm="rmerge-r", parameters=asked | {"k": k}, pages=False) for k in (5, 8))
    step(page, project, "choose_release", run=run)
    context.close()
    return project


def addresses(project):
    places = [f"/projects/{project}/{place}" for place in (*ADDRESSES, *(f"inspect?tab={tab}" for tab in TABS))]
    return ["/", *places, "/projects/0000000000000000/data"]


def serious(page):
    """What axe finds that keeps somebody out."""
    found = axe_playwright.Axe().run(page).response["violations"]
    return [(one["id"], one["nodes"][0]["html"][:200]) for one in found if one["impact"] in {"serious", "critical"}]


ACCOUNT = {"as_whom": " as lou", "may": "Your account may look.", "csrf": "0", "message": "", "log": ""}
FORMS = (
    TOKEN_FORM.format(message="This is not the token."),
    PASSWORD_FORM.format(message="Wrong account or password."),
    ACCOUNT_PAGE.format(password=CHANGE_PASSWORD.format(csrf="0", name="lou"), **ACCOUNT),
)


@pytest.mark.parametrize("body", FORMS, ids=["token", "password", "account"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_pages_to_sign_in_and_out(page, scheme, body):
    page.emulate_media(color_scheme=scheme)
    page.set_content(PAGE.format(title="sign in", heading="anonset", body=body))

    assert serious(page) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious_and_nothing_scrolls_sideways(page, released, scheme):
    page.emulate_media(color_scheme=scheme)
    found = []
    for address in addresses(released):
        page.goto(address)
        expect(page.locator("h1")).to_be_visible()
        settled(page)
        assert page.evaluate("document.body.classList.contains('body--dark')") is (scheme == "dark")
        found += [(address, *violation) for violation in serious(page)]
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            wide = page.evaluate(DRAWN_WIDTH)
            if wide > width:
                found.append((address, f"{wide} wide at {width}", ""))
    assert found == []
