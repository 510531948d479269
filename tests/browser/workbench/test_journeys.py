"""From data to a verified bundle: by mouse alone, by keyboard alone, with sets of items."""

from playwright.sync_api import expect

from anonset.samples import write_sample
from browser.workbench.acting import SET_VALUED, go, project_of, step, tab_to, upload, verified


def test_from_the_sample_to_a_verified_bundle_by_mouse(page, tmp_path):
    page.goto("/")
    page.get_by_role("button", name="Try the patients").click()
    page.wait_for_url("**/data")
    expect(page.get_by_text("Who is unique today")).to_be_visible()
    page.get_by_role("link", name="Promise").click()
    page.get_by_role("button", name="Confirm this promise").click()
    expect(page.get_by_text("No problem was found")).to_be_visible()
    page.get_by_role("link", name="Try").click()
    page.get_by_role("button", name="Run", exact=True).click()
    page.locator("tr").filter(has_text="✓ verified").locator(".link-button").click()
    page.get_by_role("link", name="Release this run").click()
    page.get_by_role("button", name="Release it").click()
    expect(page.get_by_role("link", name="Download the bundle")).to_be_visible()
    expect(page.locator("header").get_by_text("✓ verified")).to_be_visible()
    with page.expect_download() as started:
        page.get_by_role("link", name="Download the bundle").click()
    original = write_sample(tmp_path / "sample")
    assert "holds" in verified(started.value.path(), tmp_path / "release", original)


def test_from_a_sample_to_a_verified_bundle_by_keyboard(page, tmp_path):
    page.goto("/")
    expect(page.get_by_role("button", name="Try the patients")).to_be_visible()
    tab_to(page, "Try the patients")
    page.keyboard.press("Enter")
    page.wait_for_url("**/data")
    expect(page.get_by_text("Who is unique today")).to_be_visible()
    tab_to(page, "Promise")
    page.keyboard.press("Enter")
    page.wait_for_url("**/promise")
    expect(page.get_by_role("button", name="Confirm this promise")).to_be_visible()
    tab_to(page, "Confirm this promise")
    page.keyboard.press("Enter")
    expect(page.get_by_text("No problem was found")).to_be_visible()
    tab_to(page, "Try")
    page.keyboard.press("Enter")
    page.wait_for_url("**/try")
    expect(page.get_by_role("button", name="Run", exact=True)).to_be_visible()
    tab_to(page, "People who look alike: one number")
    page.keyboard.press("Enter")
    expect(page.locator("tr").get_by_text("✓ verified")).to_be_visible()
    tab_to(page, "rt-search")
    page.keyboard.press("Enter")
    expect(page.get_by_role("link", name="Release this run")).to_be_visible()
    page.keyboard.press("Control+Home")
    tab_to(page, "Release this run")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Release it")).to_be_visible()
    tab_to(page, "Release it")
    page.keyboard.press("Enter")
    expect(page.get_by_role("link", name="Download the bundle")).to_be_visible()
    expect(page.get_by_role("link", name="Download the bundle")).to_be_visible()
    tab_to(page, "Download the bundle")
    with page.expect_download() as started:
        page.keyboard.press("Enter")
    original = write_sample(tmp_path / "sample")
    assert "holds" in verified(started.value.path(), tmp_path / "release", original)


def test_a_set_valued_file_to_a_verified_bundle(page, tmp_path):
    original = tmp_path / "baskets.dat"
    original.write_text(SET_VALUED)
    page.goto("/")
    page.get_by_role("button", name="New project").click()
    page.get_by_label("Its name").fill("Baskets")
    page.get_by_role("button", name="Create").click()
    page.wait_for_url("**/data")
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="choose a file").first.click()
    chooser.value.set_files(original)
    expect(page.get_by_text("Who is unique today")).to_be_visible()
    go(page, project_of(page), "promise")
    page.get_by_role("button", name="For researchers").click()
    expect(page.get_by_text("No problem was found")).to_be_visible()
    page.get_by_role("link", name="Try").click()
    page.get_by_role("button", name="Run", exact=True).click()
    page.locator("tr").filter(has_text="✓ verified").locator(".link-button").click()
    page.get_by_role("link", name="Release this run").click()
    page.get_by_role("button", name="Release it").click()
    expect(page.get_by_role("link", name="Download the bundle")).to_be_visible()
    with page.expect_download() as started:
        page.get_by_role("link", name="Download the bundle").click()
    assert "holds" in verified(started.value.path(), tmp_path / "release", original)


def test_undo_and_the_warning_before_redo_is_lost(page):
    project = upload(page, "table.csv", "age,town\n" + "".join(f"{20 + r % 9},{'AB'[r % 2]}\n" for r in range(60)))
    step(page, project, "set_roles", roles={"age": "quasi", "town": "quasi"})
    go(page, project, "promise")
    page.get_by_role("button", name="For the public", exact=False).first.click()
    expect(page.get_by_label("people who look alike")).to_have_value("11")
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_label("people who look alike")).to_have_value("5")
    page.get_by_role("button", name="Inside the organisation").click()
    expect(page.get_by_text("Delete the steps that could be redone")).to_be_visible()
    page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    page.get_by_role("button", name="Redo").click()
    expect(page.get_by_label("people who look alike")).to_have_value("11")
