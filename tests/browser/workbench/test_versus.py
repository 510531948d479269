"""Two runs picked in the table are shown side by side."""

from playwright.sync_api import expect

from browser.workbench.acting import SET_VALUED, finished_run, go, step, upload


def test_two_runs_side_by_side(page):
    project = upload(page, "baskets.dat", SET_VALUED)
    step(page, project, "set_promise", k=5, m=2)
    _, run = (finished_run(page, project, parameters={"k": k}) for k in (3, 20))
    go(page, project, f"try?run={run}")
    page.get_by_role("button", name="Compare").click()
    page.wait_for_url("**/inspect?**tab=versus**")
    expect(page.get_by_role("heading", name="Settings that differ")).to_be_visible()
    expect(page.get_by_role("row", name="k 20 3")).to_be_visible()
    expect(page.get_by_text("★").first).to_be_visible()
    expect(page.get_by_role("region", name="Records: B").get_by_role("gridcell").first).to_be_visible()
