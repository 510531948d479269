"""Commands for accounts, as an administrator types them."""

import json

import pytest

from anonset.cli import main
from anonset.workbench.accounts import Accounts
from anonset.workbench.store import Store


@pytest.fixture
def run(tmp_path, capsys, monkeypatch):
    """Run a command of `anonset accounts` on a store; its exit code, output and errors."""
    monkeypatch.setitem(__import__("anonset.workbench.accounts", fromlist=["x"]).SCRYPT, "n", 2)

    def run(*words):
        code = main(["accounts", *words, "--store", str(tmp_path / "store")])
        said = capsys.readouterr()
        return code, said.out, said.err

    return run


def has_password(tmp_path, name, password):
    store = Store(tmp_path / "store")
    try:
        return Accounts(store).has_password(name, password)
    finally:
        store.close()


def test_the_life_of_an_account(run, tmp_path):
    assert run("list")[1].startswith("There are no accounts")
    code, out, _ = run("add", "ann", "--role", "look")
    password = out.splitlines()[1].removeprefix("password: ")
    assert code == 0
    assert has_password(tmp_path, "ann", password)

    assert run("role", "ann", "--role", "release")[1] == "ann may release\n"
    assert len(run("token", "ann")[1].strip()) > 40
    assert run("disable", "ann")[0] == 0
    assert "ann      release  disabled  password and token" in run("list")[1]
    assert not has_password(tmp_path, "ann", password)
    assert run("enable", "ann")[0] == 0
    listed = json.loads(run("list", "--json")[1])
    assert [(one["name"], one["role"], one["disabled"]) for one in listed] == [("ann", "release", False)]
    assert password not in json.dumps(listed)


def test_a_password_can_be_read_from_standard_input(run, tmp_path, monkeypatch):
    class Line:
        def isatty(self):
            return False

        def readline(self):
            return "a password of one line\n"

    monkeypatch.setattr("sys.stdin", Line())
    assert "password:" not in run("add", "ann", "--role", "run", "--ask")[1]
    assert has_password(tmp_path, "ann", "a password of one line")
    assert run("add", "bob", "--role", "run", "--no-password")[0] == 0
    assert "bob      run   in use  a proxy" in run("list")[1]
    assert run("password", "bob", "--ask")[1] == "bob has another password\n"
    assert run("password", "bob")[1].startswith("password: ")


def test_what_was_done_is_logged(run):
    run("add", "ann", "--role", "look")
    run("role", "ann", "--role", "run")
    run("token", "ann")

    shown, table, log = run("log")[1], run("log", "--csv")[1], json.loads(run("log", "--json")[1])
    assert [entry["action"] for entry in log] == ["added account", "changed role", "made token"]
    assert all("command line" in entry["person"] for entry in log)
    assert "ann: run" in shown
    assert table.startswith("number,at,person,action,project,run,detail\n1,")


@pytest.mark.parametrize(
    "words",
    [
        ("add", "a b", "--role", "look"),
        ("add", "ann"),
        ("add", "ann", "--role", "boss"),
        ("add", "ann", "--role", "look", "--ask", "--no-password"),
        ("disable", "nobody"),
        ("nothing",),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(run, words):
    code, _, error = run(*words)

    assert code == 2
    assert error.strip()
    assert "Traceback" not in error
