"""One button makes three releases with both halves of the loss and ten records each; algorithms say why they do not fit."""

import pytest
from playwright.sync_api import expect

from anonset.samples import write_sample
from browser.workbench.acting import SET_VALUED, go, step, upload

COLUMNS = "age,town\n" + "".join(f"{20 + r % 30},{'ABC'[r % 3]}\n" for r in range(300))


def test_columns_and_items(page, tmp_path):
    project = upload(page, "patients.csv", write_sample(tmp_path / "sample").read_text())
    roles = {"patient_id": "identifier", "diagnoses": "items"}
    step(page, project, "set_roles", roles=dict.fromkeys(("age", "sex", "town", "schooling"), "quasi") | roles)
    step(page, project, "set_promise", k=5, m=2)
    go(page, project, "try")
    page.get_by_role("button", name="Make releases").click()
    for title in ("Columns kept", "Balanced", "Items kept"):
        box = page.get_by_role("article", name=title)
        expect(box.get_by_role("button", name=f"Choose: {title}")).to_be_visible()
        for figure in ("re-identification risk", "kept in columns", "kept in items", "average error in counts"):
            expect(box.get_by_text(figure, exact=True)).to_be_visible()
    expect(page.get_by_role("heading", name="The first 10 records in each")).to_be_visible()
    expect(page.locator(".chosen-run")).to_have_count(0)  # none is chosen by itself
    page.get_by_role("button", name="Choose: Items kept").click()
    expect(page.locator(".chosen-run")).to_contain_text("rt-search")


@pytest.mark.parametrize(
    ("name", "text", "roles"), [("b.dat", SET_VALUED, {}), ("t.csv", COLUMNS, {"age": "quasi", "town": "quasi"})]
)
def test_items_alone_and_columns_alone(page, name, text, roles):
    project = upload(page, name, text)
    if roles:
        step(page, project, "set_roles", roles=roles)
    step(page, project, "set_promise", k=5, m=2)
    go(page, project, "try")
    page.get_by_role("button", name="Make releases").click()
    expect(page.get_by_role("heading", name="The first 10 records in each")).to_be_visible()
    expect(page.locator(".preset-card").get_by_role("button", name="Choose: ")).to_have_count(3)


def test_algorithms_that_do_not_fit_are_grey_with_the_reason(page):
    project = upload(page, "t.csv", COLUMNS)
    step(page, project, "set_roles", roles={"age": "quasi", "town": "quasi"})
    go(page, project, "try")
    page.get_by_text("Algorithm: recommended").click()
    group = page.get_by_role("radiogroup", name="Algorithm")
    expect(group.get_by_role("radio").first).to_have_text("Recommended for these data")
    expect(group.get_by_role("radio", name="lift")).to_be_disabled()
    expect(group.get_by_role("radio", name="lift")).to_contain_text("not for these data: needs a list of items")
    expect(group.get_by_role("radio", name="identity")).to_have_count(0)
    group.get_by_role("radio", name="mondrian").click()
    expect(page.get_by_text("Algorithm: Mondrian")).to_be_visible()
