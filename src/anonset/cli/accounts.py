"""Commands for the accounts of a server: people, their roles and passwords, and the audit log."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_urlsafe
from typing import TYPE_CHECKING, Any

import click

from anonset.cli.app import CommandGroup, command
from anonset.cli.options import PATH, OutputOptions, option
from anonset.cli.output import print_json, print_table
from anonset.errors import InputError

if TYPE_CHECKING:
    from anonset.workbench.accounts import Accounts
    from anonset.workbench.audit import AuditLog

ROLES = "look (see projects and their data), run (also change them and start runs) or release (also choose and hand out)."
store_option = option("--store", metavar="DIR|URL", help="The store of the server, as given to `anonset serve`.")
files_option = option("--files", type=PATH, metavar="DIR", help="The private folder for files when the store is a database.")
role_option = option("--role", type=click.Choice(("look", "run", "release")), required=True, help=ROLES)
name_argument = click.argument("name", help="The name of the account.")


def _in_store(run: Callable[..., None]) -> Callable[..., None]:
    """Add the options that say which store is meant."""
    return store_option(files_option(run))


@contextmanager
def _opened(store: str | None, files: Path | None) -> Iterator[tuple["Accounts", "AuditLog"]]:
    """Open the accounts and the audit log of a store."""
    try:
        from anonset.workbench.accounts import Accounts
        from anonset.workbench.audit import AuditLog
        from anonset.workbench.store import Store, default_folder
    except ModuleNotFoundError as error:
        raise InputError(f"accounts need the extra: pip install 'anonset[web]' ({error.name} is missing)") from None
    opened = Store(store or default_folder(), files)
    try:
        yield Accounts(opened), AuditLog(opened)
    finally:
        opened.close()


def _administrator() -> str:
    """Return whom the log names: the user of this machine."""
    import getpass

    try:
        return f"{getpass.getuser()} (command line)"[:64]
    except OSError:
        return "command line"


def _asked() -> str:
    """Return a password that is typed twice on a terminal, or is a line of standard input."""
    if sys.stdin.isatty():
        return str(click.prompt("Password", hide_input=True, confirmation_prompt=True))
    return sys.stdin.readline().rstrip("\n")


@command("Add an account.")
@name_argument
@role_option
@option("--ask", is_flag=True, help="Ask for the password, or read a line of standard input, instead of making one up.")
@option("--no-password", is_flag=True, help="No password: for a proxy that signs people in, or a program with a token.")
@_in_store
def add(name: str, role: str, ask: bool, no_password: bool, **place: Any) -> None:
    """Add an account; its password is made up and printed once. A server that starts with accounts asks everybody for one."""
    if ask and no_password:
        raise InputError("give one of --ask and --no-password")
    password = None if no_password else _asked() if ask else token_urlsafe(15)
    with _opened(**place) as (accounts, log):
        accounts.add(name, role, password)
        log.add(_administrator(), "added account", detail=f"{name}: {role}")
    print(f"{name} may {role}")
    if password is not None and not ask:
        print(f"password: {password}")


@command("List the accounts.", show=OutputOptions)
@_in_store
def list_accounts(show: OutputOptions, **place: Any) -> None:
    """List the accounts with their roles."""
    with _opened(**place) as (accounts, _):
        found = accounts.all()
    if show.json:
        print_json(found)
    elif not found:
        print("There are no accounts: the server lets in who has its token.")
    else:
        ways = [" and ".join(["password"] * a.password + ["token"] * a.token) or "a proxy" for a in found]
        rows = [[a.name, a.role, "disabled" if a.disabled else "in use", way] for a, way in zip(found, ways, strict=True)]
        print_table(rows, ("account", "role", "state", "signs in by"))


@command("Disable an account.")
@name_argument
@_in_store
def disable(name: str, **place: Any) -> None:
    """Let nobody in by an account any more: its sessions and its token end within seconds. What it did stays in the log."""
    with _opened(**place) as (accounts, log):
        accounts.disable(name)
        log.add(_administrator(), "disabled account", detail=name)
    print(f"{name} is disabled")


@command("Enable an account that was disabled.")
@name_argument
@_in_store
def enable(name: str, **place: Any) -> None:
    """Let people in again by an account that was disabled."""
    with _opened(**place) as (accounts, log):
        accounts.enable(name)
        log.add(_administrator(), "enabled account", detail=name)
    print(f"{name} is enabled")


@command("Change what an account may do.")
@name_argument
@role_option
@_in_store
def change_role(name: str, role: str, **place: Any) -> None:
    """Give an account another role; it counts within seconds."""
    with _opened(**place) as (accounts, log):
        accounts.set_role(name, role)
        log.add(_administrator(), "changed role", detail=f"{name}: {role}")
    print(f"{name} may {role}")


@command("Give an account another password.")
@name_argument
@option("--ask", is_flag=True, help="Ask for the password, or read a line of standard input, instead of making one up.")
@_in_store
def password(name: str, ask: bool, **place: Any) -> None:
    """Give an account another password; its sessions end."""
    chosen = _asked() if ask else token_urlsafe(15)
    with _opened(**place) as (accounts, log):
        accounts.set_password(name, chosen)
        log.add(_administrator(), "changed password", detail=name)
    print(f"{name} has another password" if ask else f"password: {chosen}")


@command("Make a token for the programs of an account.")
@name_argument
@_in_store
def token(name: str, **place: Any) -> None:
    """Make a token with which programs use the REST API as this account; it replaces an earlier one and is printed once."""
    with _opened(**place) as (accounts, log):
        made = accounts.make_token(name)
        log.add(_administrator(), "made token", detail=name)
    print(made)


@command("Print the audit log.", show=OutputOptions)
@option("--csv", "as_table", is_flag=True, help="Print CSV.")
@_in_store
def log(as_table: bool, show: OutputOptions, **place: Any) -> None:
    """Print who did what and when, the oldest entry first; what is said about data has no values of them."""
    with _opened(**place) as (_, entries):
        found = entries.all()
    if show.json:
        print_json(found)
    elif as_table:
        from anonset.workbench.audit import as_csv

        print(as_csv(found), end="")
    elif found:
        rows = [[e.at, e.person, e.action, " ".join(filter(None, (e.project, e.run, e.detail)))] for e in found]
        print_table(rows, ("when", "who", "what", "about"))
    else:
        print("Nothing has happened yet.")


accounts = CommandGroup(
    "accounts",
    commands={
        "add": add,
        "list": list_accounts,
        "disable": disable,
        "enable": enable,
        "role": change_role,
        "password": password,
        "token": token,
        "log": log,
    },
    no_args_is_help=True,
    help="Manage the accounts of a server, and print its audit log.",
)
