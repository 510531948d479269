"""A file that another tool made is checked against the promise, and witnesses are shown."""

from playwright.sync_api import expect

from browser.workbench.acting import go, step, upload

ORIGINAL = "age,town\n" + "".join(f"{20 + r},{'AB'[r % 2]}\n" for r in range(12))


def checked(page, tmp_path, text: str):
    project = upload(page, "people.csv", ORIGINAL)
    step(page, project, "set_roles", roles={"age": "quasi", "town": "quasi"})
    step(page, project, "set_promise", k=3, m=1)
    file = tmp_path / "theirs.csv"
    file.write_text(text)
    go(page, project, "inspect?tab=foreign")
    page.locator("input[type=file]").set_input_files(file)
    return page


def test_a_file_that_keeps_the_promise(page, tmp_path):
    checked(page, tmp_path, "age,town\n" + "".join(f"[20:31],{'AB'[r % 2]}\n" for r in range(12)))
    expect(page.get_by_text("The promise holds.")).to_be_visible()


def test_a_file_that_does_not(page, tmp_path):
    checked(page, tmp_path, "age,town\n" + "".join(f"{20 + r},*\n" for r in range(12)))
    expect(page.get_by_text("The promise does not hold")).to_be_visible()
    assert page.locator(".bad-note").count() > 1
