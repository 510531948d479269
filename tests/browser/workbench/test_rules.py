"""Rules are looked at while they are typed, made from the data, and kept with the promise."""

from playwright.sync_api import expect

from browser.workbench.acting import SET_VALUED, go, upload


def test_rules_are_typed_made_and_saved(page):
    project = upload(page, "baskets.dat", SET_VALUED)
    go(page, project, "promise")
    page.get_by_label("Combinations that at least k people share, or nobody").fill("1, 2\n1, 77")
    expect(page.get_by_text("✕ 1, 77: 77 does not occur in the data")).to_be_visible()
    expect(page.get_by_text("have all of them")).to_be_visible()
    page.get_by_text("Generate them from the data").click()
    page.get_by_label("Groups", exact=True).click()
    page.get_by_role("option", name="groups of five neighbours", exact=True).click()
    page.get_by_role("button", name="Generate", exact=True).click()
    expect(page.get_by_text("have at least one of them").first).to_be_visible()
    page.get_by_label("Combinations that at least k people share, or nobody").fill("1, 2")
    page.get_by_label("Items that may be left out").fill("100")
    page.get_by_role("button", name="Check the rules").click()
    expect(page.get_by_text("for k=5").first).to_be_visible()
    page.get_by_role("button", name="Save rules").click()
    expect(page.get_by_role("button", name="Undo: promise")).to_be_visible()
    promise = page.request.get(f"/api/projects/{project}/state").json()["promise"]
    assert (promise["privacy"], promise["suppression"], len(promise["utility"])) == ([["1", "2"]], 1.0, 3)
