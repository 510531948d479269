"""A long table on a page: the first and the last row are a key away, and no answer has more than 200 rows."""

import json
from urllib.parse import parse_qs, urlparse

import pytest
from playwright.sync_api import expect

from browser.workbench.acting import go, settled, upload


@pytest.mark.parametrize("rows", [20_000, 2_000_000])  # the second is higher than a browser lets a page be
def test_the_last_row_of_a_long_table(page, rows):
    asked = []

    def answer(route):
        query = {name: int(values[0]) for name, values in parse_qs(urlparse(route.request.url).query).items()}
        asked.append(query)
        stop = min(query["start"] + query["count"], rows)
        found = [{"c0": str(row % 90), "c1": f"t{row}"} for row in range(query["start"], stop)]
        route.fulfill(content_type="application/json", body=json.dumps({"total": rows, "rows": found}))

    project = upload(page, "long.csv", "age,town\n30,t0\n31,t1\n")
    page.route("**/data/rows?*", answer)  # as if it were that long
    cells = page.locator(".ag-cell")
    for _ in range(2):  # as often as it is opened
        go(page, project, "data")
        settled(page)
        cells.get_by_text("t0", exact=True).click()
        page.keyboard.press("Control+End")
        expect(cells.get_by_text(f"t{rows - 1}", exact=True)).to_be_visible()
        expect(page.locator(".ag-cell-focus")).to_be_focused()
        page.keyboard.press("Control+Home")
        expect(cells.get_by_text("t0", exact=True)).to_be_visible()

    assert {query["start"] for query in asked} == {0, rows - 200}, "no row between is asked for"
    assert {query["count"] for query in asked} == {200}
