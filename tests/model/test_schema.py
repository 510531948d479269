import pytest

from anonset.data import Schema, read
from anonset.errors import InputError


def test_a_toml_file_gives_every_field_and_paths_relative_to_itself(tmp_path):
    (tmp_path / "h").mkdir()
    (tmp_path / "h" / "age.csv").write_text("30;*\n40;*\n")
    (tmp_path / "secret.txt").write_text("hiv\n\n")
    (tmp_path / "t.csv").write_text("id,age,drugs\n1,30,aspirin|hiv\n2,40,hiv\n")
    (tmp_path / "schema.toml").write_text(
        """
        quasi = "age"
        identifier = ["id"]
        items = ["drugs"]
        item_separator = "|"
        item_hierarchy = "balanced:2"
        hierarchies = "h"
        sensitive_items = "secret.txt"
        delimiter = ","
        missing = ["-"]
        [kinds]
        age = "numeric"
        """
    )

    schema = Schema.from_toml(tmp_path / "schema.toml")
    data = read(tmp_path / "t.csv", schema=schema)

    assert data.column("age").hierarchy is not None
    assert data.item_hierarchy.leaves == ("aspirin", "hiv")
    assert data.sensitive_items.tolist() == [False, True]
    assert [source.name for source in data.sources] == ["t.csv", "age.csv", "secret.txt"]


def test_hierarchies_by_column_are_relative_too(tmp_path):
    (tmp_path / "a.csv").write_text("x;*\ny;*\n")
    (tmp_path / "s.toml").write_text('hierarchies = { a = "a.csv", b = "balanced:2" }\nlong = "l.csv"\nid = "i"\n')

    schema = Schema.from_toml(tmp_path / "s.toml")

    assert schema.hierarchies == {"a": tmp_path / "a.csv", "b": "balanced:2"}
    assert schema.long == tmp_path / "l.csv"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("quasy = ['a']", "there is no key 'quasy'; did you mean 'quasi'"),
        ("quasi = [1]", r"quasi must be a list of texts; got \[1\]"),
        ("quasi = ['a', 'a']", "quasi must not name 'a' twice"),
        ("quasi = ['a']\nsensitive = ['a']", "'a' is given two parts: quasi and sensitive"),
        ("quasi = [", "is not valid TOML"),
        ("multiset = 1", "multiset must be true or false"),
        ("[kinds]\na = 'number'", "kinds must be a table of column"),
        ("delimiter = '::'", "delimiter must be one character"),
        ("item_separator = ''", "item_separator must be a text that is not empty"),
        ("long = 3", "long must be a text or a path"),
        ("long = 'x.csv'", "`long` needs `id`"),
        ("repeated = true", "`repeated` needs `id`"),
        ("hierarchies = { a = 1 }", "hierarchies must be a folder"),
    ],
)
def test_a_bad_schema_is_told_with_its_file(tmp_path, text, message):
    path = tmp_path / "schema.toml"
    path.write_text(text)

    with pytest.raises(InputError, match=rf"schema\.toml: {message}"):
        Schema.from_toml(path)


def test_what_stands_for_missing_is_a_list_also_in_a_damaged_manifest():
    with pytest.raises(InputError, match="missing must be a list of texts; got None"):
        Schema.from_values({"missing": None})


def test_a_schema_that_cannot_be_read_is_told(tmp_path):
    with pytest.raises(InputError, match=r"none\.toml: cannot be read: No such file"):
        Schema.from_toml(tmp_path / "none.toml")
    (tmp_path / "bad.toml").write_bytes(b"\xff")
    with pytest.raises(InputError, match=r"bad\.toml: must be UTF-8 text"):
        Schema.from_toml(tmp_path / "bad.toml")
