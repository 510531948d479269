"""People with several rows: said on the data page, and gathered by one button, which then says what it did."""

import numpy as np
from playwright.sync_api import expect

from browser.workbench.acting import go, settled, upload


def visits(people=40, rows=160):
    """A visit a line: a random reference, age and sex of its person, and some diagnoses."""
    draws = np.random.default_rng(3)
    refs = [f"{number:08x}" for number in draws.choice(2**31, people, replace=False)]
    persons = [f"{ref},{draws.integers(20, 80)},{draws.choice(['F', 'M'])}" for ref in refs]
    whose = [*range(people), *draws.integers(0, people, rows - people)]
    codes = ["|".join(draws.choice(["I10", "E11", "J45", "M54"], draws.integers(1, 4), replace=False)) for _ in whose]
    return "ref,age,sex,diag\n" + "".join(f"{persons[p]},{code}\n" for p, code in zip(whose, codes, strict=True))


def test_rows_of_a_person_are_gathered_by_a_button(page):
    project = upload(page, "visits.csv", visits())
    go(page, project, "data")
    settled(page)
    page.get_by_role("button", name="Combine the rows of each person").click()

    expect(page.get_by_text("Gathered by ref: 160 rows are 40 people, one record each.")).to_be_visible()
    expect(page.get_by_text("rows with the same ref are one person")).to_be_visible()
    expect(page.get_by_text("at least 5 people look alike")).to_be_visible()
