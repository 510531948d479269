import pytest

from anonset.errors import GuaranteeViolated, InputError
from anonset.model.serialization import Count, Positive, Strict, parsed_json, parsed_toml, read_toml, shaped


class Limits(Strict):
    seconds: Positive = 1.0


class File(Strict):
    name: str
    runs: list[Count] = []  # noqa: RUF012
    limits: Limits = Limits()


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ({}, "the key 'name' is missing"),
        ({"name": "x", "odd": 1}, "there is no key 'odd'; there are name, runs, limits"),
        ({"name": 5}, "name: expected a text, got a whole number"),
        ({"name": "x", "runs": [1, -1]}, r"runs\[1\]: expected a whole number of at least 0"),
        ({"name": "x", "limits": {"seconds": 0}}, "limits.seconds: expected a number above 0"),
        ({"name": "x", "limits": {"minutes": 1}}, "limits: there is no key .minutes.; look at the names of the others"),
        ([], "the file: expected a table, got a list"),
    ],
)
def test_what_does_not_fit_is_told_by_key_and_quotes_nothing(value, told):
    with pytest.raises(InputError, match=f"^f.toml: {told}$"):
        shaped(value, File, file="f.toml")
    with pytest.raises(GuaranteeViolated, match=told):
        shaped(value, File, error=GuaranteeViolated)


def test_what_fits_is_a_value_of_the_shape():
    assert shaped({"name": "x", "runs": [2]}, File) == File("x", [2], Limits(1.0))


@pytest.mark.parametrize(
    ("text", "told"),
    [("a = 'secret' 5", "is not valid TOML"), ("a = " + "[" * 2_000, "too deeply"), ("a = " + "1" * 5_000, "too long")],
)
def test_toml_that_is_none_is_told_without_a_quote(text, told, tmp_path):
    (tmp_path / "a.toml").write_text(text)

    with pytest.raises(InputError, match=told) as caught:
        read_toml(tmp_path / "a.toml")
    assert "secret" not in str(caught.value)
    with pytest.raises(InputError, match=told):
        parsed_toml(text, "a.toml")


@pytest.mark.parametrize(("text", "told"), [("[1,", "line 1"), ("[" * 200_000, "too deeply"), ("1" * 5_000, "too long")])
def test_json_that_is_none_is_told(text, told):
    with pytest.raises(InputError, match=told):
        parsed_json(text, "a.json")


def test_a_file_that_cannot_be_read_is_named(tmp_path):
    (tmp_path / "b.toml").write_bytes(b"\xff")

    for name, message in {"b": "must be UTF-8", "d": "cannot be read"}.items():
        with pytest.raises(InputError, match=rf"{name}\.toml.*: {message}"):
            read_toml(tmp_path / f"{name}.toml")
