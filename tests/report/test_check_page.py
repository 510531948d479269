"""The page that recounts a promise holds what it needs and nothing more; nothing in it can end its script element."""

import json
import re

from anonset.report.check_page import EMBEDDED, check_page
from anonset.report.words import languages, words_of


def guide(records=3, **more):
    attribute = {
        "name": "items",
        "role": "items",
        "kind": "set",
        "column": "items",
        "separator": " ",
        "generalized": {"a+b": ["a", "b"]},
    }
    promise = {"id": "km-anonymity", "k": 2, "m": 2, "words": "Whoever knows."}
    return {
        "format": "csv",
        "file": "records.csv",
        "records": records,
        "guarantees": [promise],
        "attributes": [attribute],
    } | more


def page_of(tmp_path, text="items\na\na\n", sensitive=(), language="en", **more):
    (tmp_path / "records.csv").write_text(text, encoding="utf-8")
    return check_page(guide(made_with="anonset", **more), tmp_path / "records.csv", sensitive, words_of(language))


def test_small_releases_are_in_the_page_and_large_ones_are_not(tmp_path):
    assert '<script type="application/json" id="records">' in page_of(tmp_path)
    assert '<script type="application/json" id="records">' not in page_of(tmp_path, records=EMBEDDED + 1)


def test_no_value_ends_the_element(tmp_path):
    page = page_of(tmp_path, text="items\n</script><b>\n")

    assert page.count("</script>") == page.count("<script")
    embedded = re.search(r'id="records">(.*?)</script>', page, re.DOTALL)[1]
    assert json.loads(embedded) == "items\n</script><b>\n"


def test_members_of_labels_are_there_only_if_some_items_do_not_count(tmp_path):
    assert '"generalized"' not in page_of(tmp_path)
    assert '"generalized":{"a+b":["a","b"]}' in page_of(tmp_path, sensitive=("b",))


def test_the_policy_allows_its_script_and_nothing_else(tmp_path):
    page = page_of(tmp_path)

    assert re.search(r"content=\"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-[\w+/=]+'\"", page)


def test_it_speaks_every_language(tmp_path):
    titles = {page_of(tmp_path, language=language).partition("<title>")[2].partition("<")[0] for language in languages()}

    assert len(titles) == len(languages())
