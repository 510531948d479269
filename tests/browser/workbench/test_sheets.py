"""A workbook with several sheets: the first that is a table is read, and another one is a choice away."""

from playwright.sync_api import expect

from browser.workbench.acting import PATIENCE, go, post, settled, token
from workbooks import workbook


def test_another_sheet_is_chosen(page):
    project = post(page, "/projects", name="Sheets")["id"]
    headers = token(page) | {"X-File-Name": "people.xlsx", "Content-Type": "application/octet-stream"}
    assert page.request.put(f"/api/projects/{project}/data", data=workbook(), headers=headers, timeout=PATIENCE).ok
    go(page, project, "data")
    settled(page)
    expect(page.get_by_text("people.xlsx: 1 records")).to_be_visible()
    page.get_by_label("Sheet, one of 2").click()
    page.get_by_role("option", name="later").click()

    expect(page.get_by_text("people.xlsx: 2 records")).to_be_visible()
    expect(page.locator(".ag-cell").get_by_text("Ulm", exact=True)).to_be_visible()
