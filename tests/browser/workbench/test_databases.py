"""A SQLite file handed in, its tables tied by a key, and the release as a SQLite file again."""

import sqlite3

from playwright.sync_api import expect

from browser.workbench.acting import finished_run, go, post, step
from hospital import fill_sqlite

ROLES = {"patient_id": "identifier", "age": "quasi", "town": "quasi", "weight": "other", "code": "items"}


def choose(page, label: str, value: str) -> None:
    page.get_by_label(label, exact=True).click()
    page.get_by_role("option", name=value, exact=True).last.click()
    expect(page.get_by_role("option")).to_have_count(0)  # the next list must not be taken for this one
    expect(page.get_by_label(label, exact=True)).to_have_value(value)


def test_two_tables_in_and_one_out(page, tmp_path):
    fill_sqlite(tmp_path / "clinic.db")
    project = post(page, "/projects", name="Clinic")["id"]
    go(page, project, "data")
    page.get_by_role("button", name="Upload a SQLite file").click()
    expect(page.locator("input[type=file]")).to_have_count(2)
    page.locator("input[type=file]").last.set_input_files(tmp_path / "clinic.db")
    choose(page, "Table with one row per person", "visits")
    choose(page, "Table with one row per item (if there is one)", "diagnoses")
    expect(page.get_by_label("Column with the items", exact=True)).to_have_value("code")
    page.get_by_role("button", name="Read this table").click()
    expect(page.get_by_text("40 records, parquet")).to_be_visible()
    step(page, project, "set_roles", roles=ROLES)
    step(page, project, "accept", loss=True)
    step(page, project, "set_promise", k=4, m=2)
    run = finished_run(page, project, algorithm="rmerge-rt", parameters={"k": 4, "items": "pcta", "seed": 7})
    step(page, project, "choose_release", run=run)
    go(page, project, "release")
    with page.expect_download() as started:
        page.get_by_role("link", name="Download as a SQLite file").click()
    with sqlite3.connect(started.value.path()) as connection:
        assert connection.execute("select count(*) from release").fetchone() == (40,)
