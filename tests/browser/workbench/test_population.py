"""Whose people are counted is chosen in words: those of the file, of a population, or of one of which a share was drawn."""

from playwright.sync_api import expect

from browser.workbench.acting import go, settled, step, upload

PEOPLE = ["a b", "a b", "a c", "a c", "b c", "b c", "b", "c"]


def test_the_people_of_a_population_are_counted_until_the_records_are_again(page, tmp_path):
    project = upload(page, "sample.csv", "codes\n" + "\n".join(PEOPLE[:4]) + "\n")
    step(page, project, "set_roles", roles={"codes": "items"})
    everybody = tmp_path / "everybody.csv"
    everybody.write_text("codes\n" + "\n".join(PEOPLE) + "\n")
    go(page, project, "promise")
    settled(page)
    expect(page.get_by_text("Only if nobody who may see the release knows who is in it")).to_be_visible()

    page.get_by_text("Nobody knows who is in the file").click()
    page.locator("input[type=file]").first.set_input_files(everybody)
    expect(page.get_by_text("The people of the population are counted.")).to_be_visible()
    expect(page.get_by_text("people of the population", exact=True)).to_be_visible()

    page.get_by_role("button", name="Count the records").click()
    expect(page.get_by_text("Only if nobody who may see the release knows who is in it")).to_be_visible()
