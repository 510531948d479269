"""The page with the slider and the map: it fills while a sweep is under way, and what is unwanted ends."""

from random import Random

from playwright.sync_api import expect

from browser.workbench.acting import SET_VALUED, go, post, step, upload
from server.served import LONG, LONG_ROLES, long_table

THREE_STEPS = """(slider) => {
  for (let step = 0; step < 3; step++)
    slider.dispatchEvent(new KeyboardEvent("keydown", { keyCode: 39, key: "ArrowRight", bubbles: true }));
  slider.dispatchEvent(new KeyboardEvent("keyup", { keyCode: 39, key: "ArrowRight", bubbles: true }));
}"""
DOT = """() => {
  const boxes = [...document.querySelectorAll('.map svg path')].map((path) => path.getBoundingClientRect());
  const dot = boxes.find((box) => box.width > 8 && box.width < 16 && Math.abs(box.width - box.height) < 1);
  return [dot.x + dot.width / 2, dot.y + dot.height / 2];
}"""


def many_baskets() -> str:
    """So many that a run takes longer than the page takes to look again."""
    random = Random(1)
    items = [int(300 * random.random() ** 2) for _ in range(100_000)]
    return "".join(f"{' '.join(map(str, items[r : r + 1 + r % 6]))}\n" for r in range(0, 90_000, 4))


def with_baskets(page, baskets: str = SET_VALUED) -> str:
    project = upload(page, "baskets.dat", baskets)
    step(page, project, "set_promise", k=5, m=2)
    return project


def runs(page, project):
    return page.request.get(f"/api/projects/{project}/runs").json()["entries"]


def points(page) -> int:
    return int(page.locator(".map").get_attribute("data-points"))


def test_the_map_gains_points_before_the_sweep_ends_and_a_click_opens_a_run(page):
    project = with_baskets(page, many_baskets())
    go(page, project, "try")
    expect(page.locator(".map")).to_be_visible()
    page.evaluate("setInterval(() => (window.seen ??= new Set()).add(+document.querySelector('.map').dataset.points), 20)")
    page.get_by_role("button", name="Run every value in the background").click()
    page.wait_for_function("Number(document.querySelector('.map').dataset.points) >= 7")
    assert any(0 < points < 7 for points in page.evaluate("[...window.seen]"))
    expect(page.get_by_role("heading", name="At work")).to_have_count(0)
    before = page.url
    for _ in range(20):  # a dot that is being drawn anew takes no click
        page.mouse.click(*page.evaluate(DOT))
        page.wait_for_timeout(1_000)
        if page.url != before:
            break
    page.wait_for_url("**/try?run=*")
    expect(page.get_by_role("link", name="Release this run")).to_be_visible()


def test_fast_dragging_leaves_only_the_last_value(page):
    project = with_baskets(page)
    go(page, project, "try")
    expect(page.get_by_role("slider", name="people who look alike")).to_be_visible()
    expect(page.get_by_role("button", name="Search")).to_be_visible()  # all of the page is there
    page.locator(".k-slider [tabindex]").evaluate(THREE_STEPS)
    page.wait_for_url("**/try?run=*")
    expect(page.get_by_role("link", name="Release this run")).to_be_visible()
    last, *others = runs(page, project)
    assert last["parameters"]["k"] == 20
    assert page.url.endswith(last["id"])
    assert len(others) <= 1, "a slow browser may tell of the first value long before the last one"
    expect(page.get_by_role("slider", name="people who look alike")).to_have_attribute("aria-valuenow", "5")
    expect(page.locator(".chosen-run")).to_contain_text("k=20")


def test_the_slider_goes_on_from_what_is_there(page):
    project = with_baskets(page)
    go(page, project, "try")
    slider = page.locator(".k-slider [tabindex]")
    for key, wanted in (("ArrowRight", "10"), ("ArrowRight", "11"), ("ArrowLeft", "10")):
        slider.press(key)
        expect(page.locator("strong").filter(has_text=f"k={wanted}").first).to_be_visible()
        expect(page.get_by_role("link", name="Release this run")).to_be_visible()
    expect(page.locator(".map")).to_have_attribute("data-points", "2")
    assert sorted(run["parameters"]["k"] for run in runs(page, project)) == [10, 11]


def test_a_run_is_cancelled_and_leaves_nothing(page):
    project = upload(page, "long.csv", long_table())
    step(page, project, "set_roles", roles=LONG_ROLES)
    post(page, f"/projects/{project}/runs", **LONG)
    go(page, project, "try")
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_text("cancelled", exact=True).first).to_be_visible()
    assert [run["state"] for run in runs(page, project)] == ["cancelled"]
    assert page.locator(".map").get_attribute("data-points") == "0"
