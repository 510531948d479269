"""A hierarchy of the size and shape of ICD-9-CM, with codes that are made up."""

import time

import pytest
from playwright.sync_api import expect

from browser.workbench.acting import PATIENCE, go, step, token, upload

LEAVES = 14_567
RENAMED = {"chapter 1": ("first chapter",)}


def codes() -> list[tuple[str, str, str, str]]:
    """Codes of five digits under blocks, sections and chapters."""
    found = []
    for n in range(LEAVES):
        block = n // 15
        found.append((f"{block:03d}.{n % 15:02d}", f"block {block:03d}", f"section {block // 8}", f"chapter {block // 56}"))
    return found


@pytest.fixture
def project(page):
    every = codes()
    used = [every[(37 * r) % LEAVES][0] for r in range(4_000)]
    lines = [f"{20 + r % 60},{used[2 * r % 4000]}|{used[(2 * r + 1) % 4000]}\n" for r in range(2_000)]
    made = upload(page, "visits.csv", "age,codes\n" + "".join(lines))
    step(page, made, "set_roles", roles={"age": "quasi", "codes": "items"})
    tree = "".join(f"{';'.join((*code, 'all'))}\n" for code in every)
    headers = token(page) | {"X-File-Name": "codes.csv", "Content-Type": "application/octet-stream"}
    answer = page.request.post(
        f"/api/projects/{made}/hierarchies/items/uploads", data=tree.encode(), headers=headers, timeout=PATIENCE
    )
    assert answer.ok, answer.text()
    step(page, made, "use_hierarchy", column="items", upload=answer.json()["upload"])
    return made


def node(page, label: str):
    """The row of a label, exactly."""
    return page.locator(".tree-row").filter(has=page.locator(".tree-label").get_by_text(label, exact=True))


def exported(page) -> list[str]:
    """The lines of the file that the page hands out."""
    with page.expect_download() as started:
        page.get_by_role("button", name="Export").click()
    return sorted(started.value.path().read_text().splitlines())


def lines(above: dict[str, tuple[str, ...]]) -> list[str]:
    """The lines that are expected where these groups stand in the place of a chapter."""
    return sorted(";".join((*code[:3], *above.get(code[3], (code[3],)), "all")) for code in codes())


def test_a_tree_of_14567_codes_opens_and_is_changed_and_changed_back(page, project):
    go(page, project, "hierarchies?tab=1")
    tree = page.get_by_role("tree")
    expect(page.get_by_text("14,567 values in")).to_be_visible()
    began = time.monotonic()
    page.get_by_role("button", name="Open all").click()
    expect(node(page, "000.00")).to_be_visible()
    assert time.monotonic() - began < 3
    assert page.locator(".tree-row").count() < 60
    page.get_by_role("button", name="Close all").click()
    node(page, "chapter 1").click()
    page.get_by_role("button", name="Rename").click()
    page.get_by_label("Name of the group").fill("first chapter")
    page.get_by_role("dialog").get_by_role("button", name="Rename").click()
    expect(node(page, "first chapter")).to_be_visible()
    node(page, "chapter 2").click()
    page.get_by_role("button", name="Move to …").click()
    page.get_by_role("combobox", name="Group").fill("first chapter")
    page.get_by_role("option", name="first chapter").click()
    page.get_by_role("dialog").get_by_role("button", name="Move").click()
    expect(node(page, "chapter 2")).to_have_count(0)
    node(page, "chapter 3").click()
    page.get_by_role("button", name="Delete").click()
    expect(node(page, "chapter 3")).to_have_count(0)
    for back in (node(page, "chapter 3"), node(page, "chapter 2"), node(page, "chapter 1")):
        page.get_by_role("button", name="Undo").click()
        expect(back).to_be_visible()
    page.get_by_role("button", name="Redo").click()
    expect(node(page, "first chapter")).to_be_visible()
    assert exported(page) == lines(RENAMED)
    for gone in ("chapter 2", "chapter 3"):
        page.get_by_role("button", name="Redo").click()
        expect(node(page, gone)).to_have_count(0)
    assert exported(page) == lines(RENAMED | {"chapter 2": ("chapter 2", "first chapter"), "chapter 3": ()})
    tree.focus()
    page.keyboard.press("End")
    page.keyboard.press("Home")
    page.keyboard.press("ArrowDown")
    expect(tree).to_have_attribute("aria-activedescendant", tree.locator("[aria-selected=true]").get_attribute("id"))


def test_an_incomplete_import_says_what_is_missing_and_changes_nothing(page, project, tmp_path):
    short = tmp_path / "short.csv"
    short.write_text("".join(f"{';'.join((*code, 'all'))}\n" for code in codes()[:100]))
    go(page, project, "hierarchies?tab=1")
    expect(page.get_by_text("14,567 values in")).to_be_visible()
    page.locator("input[type=file]").first.set_input_files(short)
    expect(page.get_by_text("values of the data are not in it")).to_be_visible()
    expect(page.get_by_role("button", name="Use this hierarchy")).to_have_count(0)
    expect(page.get_by_text("14,567 values in")).to_be_visible()
