"""The run that is looked at belongs to the person: none is chosen, released or called opened by itself."""

import pytest
from playwright.sync_api import expect

from browser.workbench.acting import SET_VALUED, finished_run, go, settled, step, upload


@pytest.fixture
def project(page):
    made = upload(page, "baskets.dat", SET_VALUED)
    step(page, made, "set_promise", k=5, m=2)
    return made


def looked_at(page):
    return page.locator(".chosen-run")


def bar(page, name: str):
    """The figure of that name in the bar."""
    return page.locator(".meter").filter(has_text=name).locator(".meter-value")


def test_a_run_that_ends_is_announced_and_the_one_looked_at_is_released(page, project):
    first = finished_run(page, project, parameters={"k": 5})
    go(page, project, f"try?run={first}")
    expect(looked_at(page)).to_have_text("lift k=5 m=2")
    page.get_by_label("People who look alike: one number").fill("20")
    page.get_by_role("button", name="Run", exact=True).click()

    expect(page.get_by_text("lift k=20 m=2 is done.")).to_be_visible()
    expect(page.get_by_text("new", exact=True)).to_be_visible()
    expect(looked_at(page)).to_have_text("lift k=5 m=2")
    expect(page.get_by_role("slider", name="people who look alike")).to_have_attribute("aria-valuenow", "2")
    expect(bar(page, "re-identification risk")).to_have_text("1 in 5")
    assert page.url.endswith(f"try?run={first}")

    page.get_by_role("link", name="Release this run").click()
    expect(page.get_by_role("heading", name="Release this run?")).to_be_visible()
    expect(page.locator("section").get_by_text("lift k=5 m=2")).to_be_visible()
    expect(page.get_by_role("heading", name="What the promise does not cover")).to_be_visible()
    assert page.request.get(f"/api/projects/{project}/state").json()["release"] is None
    page.get_by_role("button", name="Release it").click()
    expect(page.get_by_role("link", name="Download the bundle")).to_be_visible()
    assert page.request.get(f"/api/projects/{project}/state").json()["release"] == first


def test_choosing_a_run_moves_slider_figures_and_bar_together(page, project):
    runs = {k: finished_run(page, project, parameters={"k": k}) for k in (5, 7)}
    go(page, project, f"try?run={runs[5]}")
    expect(looked_at(page)).to_have_text("lift k=5 m=2")
    page.locator("tr").filter(has_text="1 in 7").get_by_role("button", name="lift", exact=True).click()

    expect(looked_at(page)).to_have_text("lift k=7 m=2")
    expect(page.locator(".k-slider").get_by_text("7", exact=True)).to_be_visible()  # a step of its own
    expect(page.get_by_role("slider", name="people who look alike")).to_have_attribute("aria-valuenow", "3")
    expect(bar(page, "run looked at")).to_have_text("lift k=7 m=2")
    page.get_by_role("link", name="Inspect", exact=False).first.click()
    expect(page.get_by_role("combobox", name="Run")).to_have_value("lift k=7 m=2")


def test_nothing_is_chosen_before_somebody_chooses_and_all_places_say_so(page, project):
    run = finished_run(page, project, parameters={"k": 5})
    rail = page.get_by_role("navigation", name="Steps")
    for place, words in (
        ("try", "No run is chosen"),
        ("inspect", "Choose the run to look into"),
        ("release", "Which run do you want to release?"),
    ):
        go(page, project, place)
        settled(page)
        expect(page.get_by_text(words)).to_be_visible()
        expect(bar(page, "release")).to_have_text("none chosen yet")
        expect(rail.get_by_text("0 of 1 runs looked into")).to_be_visible()
        expect(rail.get_by_text("choose which run to release")).to_be_visible()
    go(page, project, "inspect")
    page.get_by_role("link", name="lift k=5 m=2").click()
    expect(rail.get_by_text("1 of 1 runs looked into")).to_be_visible()
    step(page, project, "choose_release", run=run)
    expect(bar(page, "verification")).to_have_text("✓ verified")


def test_a_run_that_promises_less_is_not_offered_for_release(page, project):
    run = finished_run(page, project, parameters={"k": 3})
    go(page, project, f"release?run={run}")

    expect(page.get_by_text("this run has k = 3, the promise says 5")).to_be_visible()
    expect(page.get_by_role("button", name="Release it")).to_have_count(0)


def test_the_certificate_says_the_title_and_author_that_were_typed_in(page, project):
    run = finished_run(page, project, parameters={"k": 5}, pages=False)
    step(page, project, "choose_release", run=run)
    go(page, project, "release")
    page.get_by_label("Title", exact=True).fill("Baskets of the north")
    page.get_by_label("Prepared by", exact=True).fill("The data office")
    page.get_by_role("button", name="Save these texts").click()
    expect(page.get_by_text("Saved. Report and certificate say so")).to_be_visible()
    assert page.request.get(f"/api/projects/{project}/state").json()["release"] == run
    for name in ("certificate", "report"):
        text = page.request.get(f"/api/projects/{project}/runs/{run}/{name}", timeout=240_000).text()
        assert "Baskets of the north" in text
        assert "The data office" in text
