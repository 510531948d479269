"""Accounts: names, roles, passwords as they are stored, tokens; and what each role may do, for every method there is."""

import asyncio
import inspect
import os
import sqlite3

import pytest

from anonset.errors import InputError, ParameterError
from anonset.workbench import Workbench, accounts
from anonset.workbench.accounts import ACCOUNT_ROLES, Accounts, hash_password, is_password
from anonset.workbench.audit import AuditEntry, AuditLog, as_csv
from anonset.workbench.journal import ChooseRelease, SetPromise
from anonset.workbench.permissions import PERMISSIONS, GuardedService, NotPermitted, acting_as
from anonset.workbench.store import NotFound, Store

PASSWORD = "correct horse battery"
INTERNAL = {  # used by other services, and by nobody at a page
    "data": {"read_draft", "check_roles", "check_kinds", "check_items", "check_population", "largest_upload"},
    "journal": {"add_check"},
    "hierarchies": {"check"},
    "promise": {"check"},
    "runs": {"cancel_all", "releases_of", "require_done", "folder", "repeat_request", "digest", "measurements"},
    "audit": {"add"},
}


@pytest.fixture
def store(tmp_path):
    made = Store(tmp_path / "store")
    yield made
    made.close()


@pytest.fixture
def people(store, monkeypatch):
    monkeypatch.setitem(accounts.SCRYPT, "n", 2)
    made = Accounts(store)
    for role in ACCOUNT_ROLES:
        made.add(role, role, PASSWORD)
    return made


@pytest.fixture
def guarded(bench, monkeypatch):
    """The workbench of a server with accounts, and an account of each role."""
    monkeypatch.setitem(accounts.SCRYPT, "n", 2)
    monkeypatch.setattr(bench.gatekeeper, "required", True)
    for role in ACCOUNT_ROLES:
        if bench.accounts.get(role) is None:
            bench.accounts.add(role, role, PASSWORD)
    return bench


def test_a_password_is_stored_as_scrypt_with_a_salt_of_its_own():
    one, two = hash_password(PASSWORD), hash_password(PASSWORD)

    assert one.startswith("scrypt$32768$8$1$")
    assert one.split("$")[4] != two.split("$")[4]
    assert is_password(PASSWORD, one)
    assert not is_password(PASSWORD + " ", one)


@pytest.mark.parametrize("password", ["short", "", "x" * 1_001])
def test_a_password_has_a_length(password):
    with pytest.raises(InputError, match="12 to 1,000"):
        hash_password(password)


def test_neither_passwords_nor_tokens_are_in_the_store(people, store):
    token = people.make_token("run")
    store.close()
    held = b"".join(path.read_bytes() for path in store.folder.rglob("*") if path.is_file())

    assert PASSWORD.encode() not in held
    assert token.encode() not in held


def test_who_has_which_password(people):
    assert people.has_password("look", PASSWORD)
    assert not people.has_password("look", "another password")
    assert not people.has_password("nobody", PASSWORD)
    people.add("proxied", "look")
    assert not people.has_password("proxied", "")
    people.set_password("look", "a new password that is long")
    assert not people.has_password("look", PASSWORD)


def test_a_new_token_replaces_the_old_one(people):
    old, new = people.make_token("run"), people.make_token("run")

    assert people.of_token(old) is None
    assert people.of_token(new).name == "run"
    people.disable("run")
    assert people.of_token(new) is None


def test_bad_names_and_roles_are_refused(people):
    for name in ("", "-x", "a b", "a\nb", "é", "x" * 65, "../x", "<b>"):
        with pytest.raises(ParameterError, match="name"):
            people.add(name, "look")
    with pytest.raises(ParameterError, match="already"):
        people.add("look", "look")
    with pytest.raises(ParameterError, match="role"):
        people.set_role("look", "admin")
    with pytest.raises(NotFound, match="look"):
        people.disable("loook")


def test_what_another_process_changes_counts_after_two_seconds(store, people):
    now = [0.0]
    here = Accounts(store, lambda: now[0])
    assert here.get("run").may("run")
    people.disable("run")
    assert here.get("run").may("run")
    now[0] = 2.1
    assert not here.get("run").may("look")


def test_each_role_may_do_what_the_one_before_may(people):
    may = {name: [role for role in ACCOUNT_ROLES if people.get(name).may(role)] for name in ACCOUNT_ROLES}

    assert may == {"look": ["look"], "run": ["look", "run"], "release": ["look", "run", "release"]}


def test_every_method_of_every_service_has_its_role(bench):
    services = {name: value for name, value in vars(bench).items() if isinstance(value, GuardedService)}
    methods = {
        name: {word for word, _ in inspect.getmembers(type(found._service)) if not word.startswith("_")}
        - INTERNAL.get(name, set())
        for name, found in services.items()
    }

    assert methods == {name: set(known) for name, known in PERMISSIONS.items()}
    with pytest.raises(NotPermitted, match="open to nobody"):
        bench.runs.cancel_all("0123456789abcdef")


def test_without_accounts_the_owner_may_everything(bench):
    made = bench.projects.create("mine")

    assert bench.audit.page(0, 1)[0].person == "owner"
    bench.projects.delete(made.id)


@pytest.mark.parametrize("name", [None, "nobody"])
def test_who_has_no_account_may_nothing(guarded, project, name):
    with acting_as(name), pytest.raises(NotPermitted):
        guarded.projects.get(project)


def test_who_may_look_changes_nothing(guarded, project):
    with acting_as("look"):
        assert guarded.projects.get(project).id == project
        assert guarded.data.rows(project, 0, 1).rows
        for change in (
            lambda: guarded.projects.create("x"),
            lambda: guarded.projects.delete(project),
            lambda: guarded.journal.apply(project, SetPromise(k=3)),
            lambda: guarded.journal.undo(project),
            lambda: guarded.runs.start(project, "aa"),
            lambda: asyncio.run(guarded.data.upload(project, "x", None)),
            lambda: guarded.audit.page(),
        ):
            with pytest.raises(NotPermitted, match="your account may not"):
                change()


def test_who_may_run_chooses_and_hands_out_nothing(guarded, done):
    project = done.project
    with acting_as("run"):
        guarded.journal.apply(project, SetPromise(k=5))
        for release in (
            lambda: guarded.journal.apply(project, ChooseRelease(done.id)),
            lambda: guarded.releases.bundle(project, done.id),
            lambda: guarded.databases.sqlite_file(project, done.id),
            lambda: guarded.databases.write_table(project, done.id, None, "x"),
        ):
            with pytest.raises(NotPermitted, match="may not release"):
                release()
        guarded.journal.undo(project)
    with acting_as("release"):
        guarded.journal.apply(project, ChooseRelease(done.id))
    with acting_as("run"), pytest.raises(NotPermitted):
        guarded.journal.undo(project)
    with acting_as("release"):
        guarded.journal.undo(project)
    with acting_as("run"), pytest.raises(NotPermitted):
        guarded.journal.redo(project)


def test_the_log_says_who_decided_and_released_what(guarded, done):
    with acting_as("release"):
        guarded.journal.apply(done.project, ChooseRelease(done.id))
        b"".join(guarded.releases.bundle(done.project, done.id))
        decided, handed = guarded.audit.page(0, 2)[::-1]
        guarded.journal.undo(done.project)
    with acting_as("run"), pytest.raises(NotPermitted):
        guarded.releases.bundle(done.project, done.id)
    with acting_as("release"):
        refused = guarded.audit.page(0, 1)[0]

    assert (decided.person, decided.action, decided.project) == ("release", "decide release", done.project)
    assert done.id in decided.detail
    assert (handed.person, handed.action, handed.run) == ("release", "hand out release", done.id)
    assert (refused.person, refused.action) == ("run", "refused: hand out release")


def test_the_log_outlives_a_project(guarded):
    with acting_as("run"):
        made = guarded.projects.create("soon gone")
        guarded.projects.delete(made.id)

    with acting_as("release"):
        assert [entry.action for entry in guarded.audit.page(0, 2)] == ["delete project", "create project"]
        assert {entry.project for entry in guarded.audit.page(0, 2)} == {made.id}


def test_the_log_has_no_values_of_the_data(guarded, project):
    with acting_as("run"):
        item = guarded.promise.find_items(project)[0][0]
        guarded.journal.apply(project, SetPromise(privacy=((item,),)))
        guarded.journal.undo(project)

    log = AuditLog(guarded.store).all()
    assert any("promise: k = 5" in entry.detail for entry in log)
    assert item not in str(log)


def test_no_cell_of_the_exported_log_is_a_formula():
    entry = AuditEntry(1, "2026-01-01T00:00:00+00:00", "=cmd()", "decide", "", "", '+x, "quoted"')

    assert as_csv([entry]).splitlines()[1] == """1,2026-01-01T00:00:00+00:00,'=cmd(),decide,,,"'+x, ""quoted\"\"\""""


def test_only_the_owner_may_open_what_a_store_has(tmp_path, umask_022):
    bench = Workbench(tmp_path / "store", processes=1)
    try:
        bench.projects.create_from_sample("patients")
        modes = {path: path.stat().st_mode & 0o777 for path in (bench.store.folder, *bench.store.folder.rglob("*"))}
    finally:
        bench.close()

    assert {path.name for path in modes} >= {"anonset.db", "anonset.db-wal", "copy.parquet"}
    wrong = {path.name: oct(mode) for path, mode in modes.items() if mode != (0o700 if path.is_dir() else 0o600)}
    assert wrong == {}


def test_an_older_store_is_closed_to_others_when_it_is_opened(tmp_path, umask_022):
    folder = tmp_path / "store"
    (folder / "projects" / "p" / "runs").mkdir(parents=True)
    (folder / "projects" / "p" / "data.csv").write_text("x")
    (folder / "notes.txt").write_text("not ours")
    sqlite3.connect(folder / "anonset.db").close()
    (folder / "anonset.db").touch()

    Store(folder).close()

    assert (folder / "projects" / "p" / "data.csv").stat().st_mode & 0o777 == 0o600
    assert (folder / "projects" / "p" / "runs").stat().st_mode & 0o777 == 0o700
    assert (folder / "anonset.db").stat().st_mode & 0o777 == 0o600
    assert (folder / "notes.txt").stat().st_mode & 0o777 == 0o644, "what is not of the store stays as it is"


@pytest.fixture
def umask_022():
    before = os.umask(0o022)
    yield
    os.umask(before)
