"""Try counting: a condition is put together, and bounds, estimate and truth are shown; what is wrong with one is said."""

import re

import pytest
from playwright.sync_api import expect

from browser.workbench.acting import finished_run, go, post, step, upload

SEXES, CODES = ("F", "M"), ("I10", "E11", "J45", "M54")
ROWS = [(20 + r % 30, SEXES[r % 2], (CODES[r % 4], CODES[(r + 1 + r // 60) % 4])) for r in range(240)]
FILE = "age,sex,codes\n" + "\n".join(f"{age},{sex},{'|'.join(codes)}" for age, sex, codes in ROWS) + "\n"
NUMBER = re.compile(r"[\d,.]+")


@pytest.fixture
def made(page):
    project = upload(page, "visits.csv", FILE)
    step(page, project, "set_roles", roles={"age": "quasi", "sex": "quasi", "codes": "items"})
    step(page, project, "set_promise", k=5, m=2)
    run = finished_run(page, project, algorithm="rmerge-r", parameters={"k": 5, "items": "lift", "seed": 1}, pages=False)
    step(page, project, "choose_release", run=run)
    return project, run


def test_truth_estimate_and_bounds_side_by_side(page, made):
    project, run = made
    go(page, project, "release")
    page.get_by_label("from").fill("25")
    page.get_by_label("to", exact=True).fill("37")
    page.get_by_role("button", name="Add to the condition").click()
    page.get_by_role("combobox", name="Column").click()
    page.get_by_role("option", name="codes", exact=True).click()
    page.get_by_role("combobox", name="items, all of them").click()
    page.get_by_role("option", name="I10", exact=True).click()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Add to the condition").click()
    condition = "age between 25 and 37 and codes contains I10"
    expect(page.get_by_label("Condition")).to_have_value(condition)
    page.get_by_role("button", name="Count", exact=True).click()

    row = page.get_by_role("table", name=condition).locator("tbody td")
    expect(row).to_have_count(6)
    truth, estimate, _, low, high, exact = (float(NUMBER.search(text)[0].replace(",", "")) for text in row.all_inner_texts())
    assert truth == sum(25 <= age <= 37 and "I10" in codes for age, _, codes in ROWS)
    assert low <= truth <= high
    assert low <= estimate <= high
    assert exact <= high
    expect(page.locator(".count-bar .count-truth")).to_be_visible()
    published = post(page, f"/projects/{project}/runs/{run}/count", condition=condition)
    assert (published["truth"], published["low"], published["high"]) == (None, low, high)

    page.get_by_label("Condition").fill("agee < 40")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("no column 'agee'; did you mean 'age'? at character 1")
