"""Inspect: before over after in one grid with the items in sight, and a search that names what does not occur."""

import pytest
from playwright.sync_api import expect

from browser.workbench.acting import finished_run, go, settled, step, upload

SEXES, CODES = ("F", "M"), ("I10", "E11", "J45", "M54")


def visits() -> str:
    lines = [f"{20 + r % 30},{SEXES[r % 2]},{CODES[r % 4]}|{CODES[(r + 1 + r // 60) % 4]}" for r in range(240)]
    return "age,sex,codes\n" + "\n".join(lines) + "\n"


@pytest.fixture
def looked_into(page):
    project = upload(page, "visits.csv", visits())
    step(page, project, "set_roles", roles={"age": "quasi", "sex": "quasi", "codes": "items"})
    step(page, project, "set_promise", k=5, m=2)
    run = finished_run(page, project, algorithm="rmerge-r", parameters={"k": 5, "items": "lift", "seed": 1}, pages=False)
    return project, run


def test_a_value_that_does_not_occur_is_named_instead_of_reassuring(page, looked_into):
    project, run = looked_into
    go(page, project, f"inspect?run={run}&tab=attack")
    expect(page.get_by_label("age (20 to 49)")).to_be_visible()
    page.get_by_label("age (20 to 49)").fill("10")
    page.get_by_role("button", name="Find this person").click()
    expect(page.get_by_text("10 does not occur in age, so nothing was searched for.")).to_be_visible()
    expect(page.get_by_text("people fit before")).to_have_count(0)

    page.get_by_label("age (20 to 49)").fill("21")
    page.get_by_role("combobox", name="sex").click()
    page.get_by_role("option", name="M", exact=True).click()
    page.get_by_role("button", name="Find this person").click()
    expect(page.get_by_text("people fit before")).to_be_visible()
    found = page.request.post(
        f"/api/projects/{project}/runs/{run}/candidates",
        data={"values": {"sex": "f"}, "items": ["I1"]},
        headers={"X-CSRF-Token": next(c["value"] for c in page.context.cookies() if c["name"] == "anonset_csrf")},
    ).json()
    assert [(one["column"], one["close"][:1]) for one in found["unknown"]] == [("sex", ["F"]), ("codes", ["I10"])]


def test_before_over_after_with_the_items_in_sight(page, looked_into):
    project, run = looked_into
    go(page, project, f"inspect?run={run}")
    settled(page)
    grid = page.get_by_role("region", name="Records before and after")
    expect(grid.locator(".ag-pinned-right-header").get_by_text("codes")).to_be_in_viewport()
    changed = grid.locator(".cell-changed").first
    expect(changed.locator(".cell-before")).not_to_be_empty()
    expect(changed.locator(".cell-after")).to_contain_text("≈")
    page.get_by_label("Columns shown").click()
    page.get_by_role("option", name="sex", exact=True).click()
    expect(grid.locator(".ag-header").get_by_text("sex", exact=True)).to_have_count(0)
