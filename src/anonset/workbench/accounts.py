"""Accounts of people: their roles, their hashed passwords, and the tokens of their programs."""

import hashlib
import hmac
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from secrets import token_bytes, token_urlsafe
from typing import Any, Literal, get_args

from sqlalchemy import select

from anonset.errors import InputError, ParameterError, unknown
from anonset.workbench.store import ACCOUNTS, SESSIONS, NotFound, Store, now

AccountRole = Literal["look", "run", "release"]
ACCOUNT_ROLES: tuple[AccountRole, ...] = get_args(AccountRole)  # each also may do what those before it may
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@+-]{0,63}")
SHORTEST_PASSWORD, LONGEST_PASSWORD = 12, 1_000
SCRYPT = {"n": 2**15, "r": 8, "p": 1}  # 32 MB and about 0.1 s a password
SCRYPT_MEMORY = 64 << 20
SAME_FOR = 2.0  # seconds after which an account is read again: another process may have changed it


@dataclass(frozen=True, slots=True)
class Account:
    """An account; `password` and `token` say whether it has them."""

    name: str
    role: AccountRole
    disabled: bool
    created: str
    password: bool
    token: bool

    def may(self, role: AccountRole) -> bool:
        """Whether the account is in use and may do what takes this role."""
        return not self.disabled and ACCOUNT_ROLES.index(self.role) >= ACCOUNT_ROLES.index(role)


class Accounts:
    """The accounts in a store; what another process changes counts within seconds."""

    def __init__(self, store: Store, clock: Callable[[], float] = time.monotonic) -> None:
        self._store, self._clock = store, clock
        self._read: dict[str, tuple[float, Account | None]] = {}
        self._decoy = hash_password(token_urlsafe(16))  # compared with where there is no account: that takes as long

    def all(self) -> tuple[Account, ...]:
        """All accounts, by name."""
        return tuple(_account(row) for row in self._store.rows(select(ACCOUNTS).order_by(ACCOUNTS.c.name)))

    def get(self, name: str) -> Account | None:
        """The account of a name if there is one, as it was at most two seconds ago."""
        at, found = self._read.get(name, (float("-inf"), None))
        if self._clock() - at > SAME_FOR:
            row = self._row(name)
            found = None if row is None else _account(row)
            if len(self._read) > 1_000:
                self._read.clear()
            self._read[name] = self._clock(), found
        return found

    def add(self, name: str, role: str, password: str | None = None) -> Account:
        """Add an account; without a password it is for a proxy that signs people in, or for a program."""
        if NAME.fullmatch(name) is None:
            raise ParameterError(
                "an account's name has 1 to 64 letters, digits and . _ @ + -, and begins with a letter or digit"
            )
        if self._row(name) is not None:
            raise ParameterError(f"there is an account {name!r} already")
        hashed = None if password is None else hash_password(password)
        self._store.record(
            ACCOUNTS.insert().values(
                name=name, role=_checked_role(role), disabled=False, created=now(), password=hashed, token=None
            )
        )
        return self._changed(name)

    def set_role(self, name: str, role: str) -> Account:
        """Give an account another role."""
        return self._change(name, role=_checked_role(role))

    def set_password(self, name: str, password: str) -> Account:
        """Give an account another password; its sessions end."""
        return self._change(name, end_sessions=True, password=hash_password(password))

    def make_token(self, name: str) -> str:
        """A new token for the programs of an account, which replaces an earlier one; only its hash is stored."""
        token = token_urlsafe(32)
        self._change(name, token=_token_hash(token))
        return token

    def disable(self, name: str) -> Account:
        """Let nobody in by an account any more; its sessions end, and its entries in the audit log stay."""
        return self._change(name, end_sessions=True, disabled=True)

    def enable(self, name: str) -> Account:
        """Let people in again by an account that was disabled."""
        return self._change(name, disabled=False)

    def has_password(self, name: str, password: str) -> bool:
        """Whether this is the password of an account in use; it takes as long where there is no such account."""
        row = self._row(name)
        stored = row["password"] if row is not None and row["password"] is not None and not row["disabled"] else None
        good = is_password(password, stored or self._decoy)
        return good and stored is not None

    def of_token(self, token: str) -> Account | None:
        """The account in use that has this token, if one has."""
        rows = self._store.rows(select(ACCOUNTS).where(ACCOUNTS.c.token == _token_hash(token)))
        return next((_account(row) for row in rows if not row["disabled"]), None)

    def _row(self, name: str) -> Any:
        found: Sequence[Any] = self._store.rows(select(ACCOUNTS).where(ACCOUNTS.c.name == name))
        return found[0] if found else None

    def _change(self, name: str, *, end_sessions: bool = False, **values: Any) -> Account:
        if self._row(name) is None:
            raise NotFound(unknown("account", name, [account.name for account in self.all()]))
        statements = [ACCOUNTS.update().where(ACCOUNTS.c.name == name).values(**values)]
        ended = [SESSIONS.delete().where(SESSIONS.c.account == name)] if end_sessions else []
        self._store.record(*statements, *ended)
        return self._changed(name)

    def _changed(self, name: str) -> Account:
        self._read.pop(name, None)
        found = self.get(name)
        assert found is not None
        return found


def _account(row: Any) -> Account:
    return Account(
        row["name"],
        row["role"],
        row["disabled"],
        row["created"],
        row["password"] is not None,
        row["token"] is not None,
    )


def _checked_role(role: str) -> str:
    if role not in ACCOUNT_ROLES:
        raise ParameterError(unknown("role", role, ACCOUNT_ROLES))
    return role


def hash_password(password: str) -> str:
    """A password as it is stored: the parameters of scrypt, a salt, and the hash."""
    if not SHORTEST_PASSWORD <= len(password) <= LONGEST_PASSWORD:
        raise InputError(f"a password has {SHORTEST_PASSWORD} to {LONGEST_PASSWORD:,} characters")
    salt = token_bytes(16)
    return f"scrypt${SCRYPT['n']}${SCRYPT['r']}${SCRYPT['p']}${salt.hex()}${_scrypt(password, salt, **SCRYPT).hex()}"


def is_password(given: str, stored: str) -> bool:
    """Whether a password is the stored one."""
    kind, n, r, p, salt, hashed = stored.split("$")
    assert kind == "scrypt"
    return hmac.compare_digest(_scrypt(given, bytes.fromhex(salt), n=int(n), r=int(r), p=int(p)), bytes.fromhex(hashed))


def _scrypt(password: str, salt: bytes, *, n: int, r: int, p: int) -> bytes:
    return hashlib.scrypt(password.encode("utf-8", "surrogatepass"), salt=salt, n=n, r=r, p=p, maxmem=SCRYPT_MEMORY, dklen=32)


def _token_hash(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()
