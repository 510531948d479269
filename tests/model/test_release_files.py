import json

import pytest

from anonset.errors import GuaranteeViolated
from anonset.model.release_files import About, Domains, read_release_file

ABOUT = {"format": "csv", "records": 3, "guarantees": [], "attributes": [], "algorithm": "aa", "made_with": "anonset 1"}


def test_a_file_of_the_shape_is_read_with_all_that_it_says(tmp_path):
    (tmp_path / "about.json").write_text(json.dumps(ABOUT | {"more": 1}))

    assert read_release_file(tmp_path / "about.json", About) == ABOUT | {"more": 1}


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("{", "is not valid JSON"),
        ("[]", "expected a table, got a list"),
        (json.dumps(ABOUT | {"records": "many"}), "records: expected a whole number, got a text"),
        (json.dumps({k: v for k, v in ABOUT.items() if k != "algorithm"}), "the key 'algorithm' is missing"),
        (json.dumps(ABOUT | {"attributes": [{"name": "a", "role": "spy", "kind": "set"}]}), r"attributes\[0\].role"),
    ],
)
def test_a_damaged_file_is_named_with_its_key(content, told, tmp_path):
    (tmp_path / "about.json").write_text(content)

    with pytest.raises(GuaranteeViolated, match=rf"about.json is damaged: .*{told}"):
        read_release_file(tmp_path / "about.json", About)


def test_a_file_that_is_gone_is_damage(tmp_path):
    with pytest.raises(GuaranteeViolated, match=r"domains\.json is damaged: it cannot be read"):
        read_release_file(tmp_path / "domains.json", Domains)
