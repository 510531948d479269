"""A file that tries to run scripts: on no page does anything of it run."""

import csv
import io

from playwright.sync_api import expect

from anonset.web.words import PLACES
from browser.workbench.acting import MARKER, go, post, settled, step, upload

PWN = f"window.{MARKER}=1"
NAMES = (
    ":a",
    f"<img src=x onerror={PWN}>",
    f"`${{{PWN}}}`",
    f"</script><script>{PWN}</script>",
    f"=cmd|'{PWN}'!A1",
    ":onclick",
)


def hostile_table() -> str:
    text = io.StringIO()
    rows = csv.writer(text)
    rows.writerow(NAMES)
    for r in range(80):
        rows.writerow([f"{name} {r % 4}" if place else f"{PWN}" for place, name in enumerate(NAMES)])
    return text.getvalue()


def test_no_script_of_a_hostile_file_runs_on_any_page(page):
    project = upload(page, f"<img src=x onerror={PWN}>.csv", hostile_table())
    step(page, project, "set_roles", roles=dict.fromkeys(NAMES[1:], "quasi") | {NAMES[0]: "other"})
    step(page, project, "set_promise", k=3, m=1)
    step(page, project, "build_hierarchy", column=NAMES[1], how="balanced:2")
    run = post(page, f"/projects/{project}/runs", algorithm="mondrian")["id"]
    go(page, project, "try")
    expect(page.get_by_text("✓ verified").first).to_be_visible()
    go(page, project, f"release?run={run}")
    settled(page)
    assert page.evaluate(f"window.{MARKER}") is None
    step(page, project, "choose_release", run=run)
    step(page, project, "set_cover", texts={"title": NAMES[1], "by": NAMES[3]})
    tabs = [f"inspect?run={run}&tab={tab}" for tab in ("records", "story&row=3", "verdict", "counts", "attack")]
    for place in (*PLACES, *tabs):
        go(page, project, place)
        settled(page)
        assert page.evaluate(f"window.{MARKER}") is None, place
    for name in ("report", "certificate"):
        page.goto(f"/api/projects/{project}/runs/{run}/{name}")
        expect(page.locator("h1").first).to_have_text(NAMES[1])
        assert page.evaluate(f"window.{MARKER}") is None, name
    go(page, project, "data")
    expect(page.get_by_role("combobox", name=f"Role of {NAMES[1]}")).to_be_visible()
    expect(page.locator(".grid-head").get_by_text(NAMES[3])).to_be_visible()
