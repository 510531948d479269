"""A project file has one shape; whatever is wrong with it is one line with the file and the key."""

from pathlib import Path

import pytest

from anonset.errors import InputError
from anonset.model.serialization import shaped
from anonset.tasks.project import ProjectFile, read_project

GOOD = {
    "data": {"path": "people.csv"},
    "roles": {"quasi": ["age"], "items": ["codes"]},
    "promise": {"k": 3, "m": 2},
    "run": [{"output": "release"}],
}


def test_what_is_not_said_has_its_usual_value():
    project = shaped(GOOD, ProjectFile)

    assert (project.run[0].format, project.run[0].report, project.promise.values) == ("csv", True, {"k": 3, "m": 2})
    assert project.sentence == "Someone who knows age and up to 2 items of codes of a person finds at least 3 records that fit."


@pytest.mark.parametrize(
    ("quasi", "items", "promise", "guarantee"),
    [
        (["age"], [], {"k": 3}, "k-anonymity"),
        ([], ["codes"], {"k": 3, "m": 2}, "km-anonymity"),
        (["age"], ["codes"], {"k": 3, "m": 2}, "k-km"),
        ([], ["codes"], {"k": 3, "guarantee": "complete-k"}, "complete-k"),
    ],
)
def test_the_guarantee_covers_what_somebody_may_know(quasi, items, promise, guarantee):
    assert shaped(GOOD | {"roles": {"quasi": quasi, "items": items}, "promise": promise}, ProjectFile).guarantee == guarantee


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"promise": {"k": "3", "m": 2}}, "promise.k: expected a whole number, got a text"),
        ({"promise": {"k": 0, "m": 2}}, "promise.k: expected a whole number of at least 1"),
        ({"promise": {"k": 3}}, "promise.m: is missing"),
        ({"promise": {"k": 3, "m": 2, "l": 2}}, "promise.l: k-km has none"),
        ({"promise": {"k": 3, "guarantee": "kk"}}, "promise.guarantee: there is no guarantee 'kk'"),
        ({"roles": {"qusi": []}}, "roles: there is no key 'qusi'; did you mean 'quasi'?"),
        ({"roles": {"quasi": "age"}}, "roles.quasi: expected a list, got a text"),
        ({"roles": {}}, "roles: there is nothing to protect"),
        ({"roles": {"quasi": ["age"], "items": ["age"]}}, "'age' is given two parts"),
        ({"roles": GOOD["roles"] | {"left_out": ["age"]}}, "roles.left_out: 'age' has another role too"),
        ({"data": {}}, "data: a `path` is needed"),
        ({"data": {"path": "x", "delimter": ";"}}, "data: there is no key 'delimter'; did you mean 'delimiter'?"),
        ({"data": {"path": "x", "delimiter": "::"}}, "delimiter must be one character"),
        ({"run": []}, "run: expected a list of length of at least 1"),
        ({"run": [{}]}, "run[0]: the key 'output' is missing"),
        ({"run": [{"output": "a"}, {"output": "a"}]}, "run: every run needs an `output` of its own"),
        ({"run": [{"output": "a", "algoritm": "aa"}]}, "run[0]: there is no key 'algoritm'; did you mean 'algorithm'?"),
        ({"version": 2}, "version: invalid enum value 2"),
        ({"colour": "red"}, "there is no key 'colour'"),
        ({"hierarchies": {"age": 5}}, "hierarchies.*: expected a text, got a whole number"),
        ({"kinds": {"age": "number"}}, "kinds.*: invalid enum value 'number'"),
    ],
)
def test_what_is_wrong_is_named_by_its_key(change, told):
    with pytest.raises(InputError) as error:
        shaped(GOOD | change, ProjectFile)

    assert told in str(error.value)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("k = ", "is not valid TOML"),
        ("a = " + "[" * 5_000, "is nested too deeply"),
        ("a = " + "9" * 5_000, "has a number that is too long"),
        ("", "the key 'data' is missing"),
        ("version = 1", "the key 'data' is missing"),
    ],
)
def test_errors_name_the_file_once(tmp_path, content, told):
    path = tmp_path / "anonset.toml"
    path.write_text(content)

    with pytest.raises(InputError) as error:
        read_project(path)

    assert str(error.value).startswith(f"{path}: {told}")
    assert str(error.value).count("anonset.toml") == 1
    assert len(str(error.value)) < 500


def test_paths_are_relative_to_the_file_and_builders_stay_what_they_are():
    project = shaped(GOOD | {"hierarchies": {"age": "ages.csv", "items": "learned:5"}}, ProjectFile)

    schema = project.schema(Path("/desk"))

    assert project.source(Path("/desk")) == Path("/desk/people.csv")
    assert schema.hierarchies == {"age": Path("/desk/ages.csv"), "items": "learned:5"}
    assert shaped(GOOD | {"data": {"path": "sqlite://people"}}, ProjectFile).source(Path("/desk")) == "sqlite://people"
