"""Every deliberate error: what it says, and how a program ends with it."""

import ast
import inspect
import pickle
from pathlib import Path

import pytest

from anonset import errors
from anonset.cli.errors import with_flags
from anonset.errors import Advice, Fix, Set, SetParameter

SOURCE = Path(errors.__file__).parent
SPEAK_OF_COMMANDS = {"cli", "server", "web", "workbench", "releases/about.py", "report/codebook.py"}
CLASSES = [error for _, error in inspect.getmembers(errors, inspect.isclass) if issubclass(error, errors.AnonsetError)]


@pytest.mark.parametrize("error", CLASSES, ids=lambda error: error.__name__)
def test_the_tree_in_the_docstring_is_the_tree(error):
    line = next(line for line in errors.__doc__.splitlines() if line.split()[:1] == [error.__name__])

    assert error is errors.AnonsetError or line.endswith(f"exit {error.exit_code}")
    assert error.exit_code > 0


def test_a_place_comes_before_the_message():
    assert str(errors.InputError("is empty", file="a.csv", line=3, column="age")) == "a.csv, line 3, column age: is empty"
    assert str(errors.InputError("is empty")) == "is empty"


def refused():
    fix = [Fix("leave it out"), Fix("insist with {}", Set("accept_exposure", ["a", "b c"]))]
    return errors.NewValuesError("names people", ["x"], file="a.csv", column="town", fix=fix)


def test_errors_travel_between_processes_with_their_fields():
    again = pickle.loads(pickle.dumps(refused()))

    assert (type(again), str(again), again.fixes) == (errors.NewValuesError, str(refused()), refused().fixes)
    assert (again.file, again.line, again.column, again.values) == ("a.csv", None, "town", ("x",))


def test_python_reads_parameters_and_the_command_line_flags():
    assert str(refused()) == "a.csv, column town: names people; leave it out, or insist with accept_exposure=['a', 'b c']"
    assert with_flags(refused()) == "a.csv, column town: names people; leave it out, or insist with --accept-exposure 'a,b c'"


@pytest.mark.parametrize(
    ("setting", "python", "flag"),
    [
        (Set("accept_loss", True), "accept_loss=True", "--accept-loss"),
        (Set("quasi"), "quasi=...", "--quasi"),
        (Set("k", 2), "k=2", "-k 2"),
        (Set("item_hierarchy", "balanced:5"), "item_hierarchy='balanced:5'", "--hierarchy balanced:5"),
        (SetParameter("items", "lift"), "items='lift'", "--set items=lift"),
        (SetParameter("weights", "a b=1"), "weights='a b=1'", "--set 'weights=a b=1'"),
        (errors.Call("Itemsets.among"), "Itemsets.among", "Itemsets.among"),
    ],
)
def test_a_setting_by_itself_is_passed(setting, python, flag):
    error = errors.ParameterError("no", fix=[setting])

    assert (str(error), with_flags(error)) == (f"no; pass {python}", f"no; pass {flag}")


def test_fixes_follow_a_colon_and_are_alternatives():
    error = errors.InfeasibleError("three things help:", fix=[Fix("this"), Fix("that"), Fix("{} too", Set("m", 1))])

    assert str(error) == "three things help: this, that, or m=1 too"


def test_sentences_keep_their_settings_inside_others_and_between_processes():
    inner = errors.InputError("is empty", file="a.csv", fix=[Set("sheet")])
    whole = pickle.loads(pickle.dumps(Advice("tried: ", inner.advice, "; nothing helped")))

    assert whole == "tried: a.csv: is empty; pass sheet=...; nothing helped"
    assert with_flags(whole) == "tried: a.csv: is empty; pass --sheet; nothing helped"
    assert (with_flags("plain"), whole.fixes) == ("plain", (Fix("pass {}", Set("sheet")),))


def test_long_quotations_are_cut():
    assert str(errors.AnonsetError(f"no column {'x' * 60!r}")) == "no column 'xxxxxxxxxxxx...' (60 characters)"
    assert len(str(errors.AnonsetError("word " * 1000))) == errors.LONGEST_MESSAGE


def test_no_message_that_python_users_read_names_a_flag():
    offenders = []
    for path in SOURCE.rglob("*.py"):
        inside = path.relative_to(SOURCE).as_posix()
        if not any(inside == name or inside.startswith(f"{name}/") for name in SPEAK_OF_COMMANDS):
            texts = (n.value for n in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(n, ast.Constant))
            offenders += [f"{inside}: {text}" for text in texts if isinstance(text, str) and _names_a_flag(text)]

    assert offenders == []


def _names_a_flag(text):
    return any(word.strip("(`;,.)").startswith("--") and word.strip("(`;,.)-")[:1].isalpha() for word in text.split())


def test_the_nearest_name_is_suggested_whatever_its_case():
    assert errors.unknown("measure", "rsik", ["ncp", "risk"]) == "no measure 'rsik'; did you mean 'risk'?"
    assert errors.unknown("column", "age", ["Age"], part="quasi") == "no column 'age' (quasi); did you mean 'Age'?"


def test_all_names_are_told_where_none_is_near():
    assert errors.unknown("format", "doc", ["csv", "parquet"]) == "no format 'doc'; choose from csv, parquet"
    assert errors.unknown("column", 3, [], choose="there are") == "no column 3; there are none"
