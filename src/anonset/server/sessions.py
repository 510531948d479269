"""Sessions of browsers, which end; and browsers that signed in before."""

import hashlib
import hmac
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from secrets import token_bytes, token_urlsafe

from sqlalchemy import select

from anonset.workbench.store import SESSIONS, Store

IDLE_MINUTES, LONGEST_HOURS = 120, 12
WRITE_AFTER = 60.0  # seconds after which the store hears that a session is in use
READ_AFTER = 2.0  # seconds after which a session is read again: another process may have ended it
DEVICE_KEY = "devices.key"


@dataclass(slots=True)
class _Known:
    account: str
    created: float
    used: float
    written: float
    read: float


class Sessions:
    """Sessions in the store, which has none of the values in cookies.

    They end after `idle` seconds without use, and after `longest` seconds. With a `secret`, the token of a server, they are
    those of this secret only.
    """

    def __init__(
        self,
        store: Store,
        secret: str = "",
        *,
        idle: float = IDLE_MINUTES * 60.0,
        longest: float = LONGEST_HOURS * 3600.0,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._store, self._secret, self._clock = store, secret.encode(), clock
        self.idle, self.longest = idle, longest
        self._known: dict[str, _Known] = {}
        self._device_key = _secret_file(store.folder / DEVICE_KEY)

    def begin(self, account: str) -> str:
        """A new session; the value of its cookie."""
        value, now = token_urlsafe(32), self._clock()
        self._store.record(
            SESSIONS.delete().where((SESSIONS.c.used < now - self.idle) | (SESSIONS.c.created < now - self.longest)),
            SESSIONS.insert().values(key=self._key(value), account=account, created=int(now), used=int(now)),
        )
        return value

    def account_of(self, value: str, *, used: bool = True) -> str | None:
        """The account of a session that goes on, or None; `used` says that its person did something."""
        if not value:
            return None
        key, now = self._key(value), self._clock()
        known = self._read(key, now)
        if known is None:
            return None
        if now - known.used > self.idle or now - known.created > self.longest:
            self._end(key)
            return None
        if used:
            known.used = now
            if now - known.written > WRITE_AFTER:
                known.written = now
                self._store.record(SESSIONS.update().where(SESSIONS.c.key == key).values(used=int(now)))
        return known.account

    def end(self, value: str) -> None:
        """End a session."""
        self._end(self._key(value))

    def csrf(self, value: str) -> str:
        """What pages of a session send with every request that changes something."""
        return hmac.new(value.encode(), b"anonset csrf", hashlib.sha256).hexdigest()

    def device(self, account: str) -> str:
        """The value of a cookie by which a browser is known that signed in with an account."""
        name = token_urlsafe(12)
        return f"{name}.{self._signed(account, name)}"

    def known_device(self, account: str, value: str) -> str:
        """The name of a browser that signed in with this account before, else nothing."""
        name, _, signature = value.partition(".")
        return name if name and hmac.compare_digest(signature.encode(), self._signed(account, name).encode()) else ""

    def _signed(self, account: str, name: str) -> str:
        return hmac.new(self._device_key, f"{account}\n{name}".encode("utf-8", "replace"), hashlib.sha256).hexdigest()

    def _key(self, value: str) -> str:
        return hmac.new(value.encode("utf-8", "replace"), b"anonset session " + self._secret, hashlib.sha256).hexdigest()

    def _read(self, key: str, now: float) -> _Known | None:
        known = self._known.get(key)
        if known is not None and now - known.read < READ_AFTER:
            return known
        rows = self._store.rows(select(SESSIONS).where(SESSIONS.c.key == key))
        if not rows:
            self._known.pop(key, None)
            return None
        if known is None:
            row = rows[0]
            known = self._known[key] = _Known(row["account"], row["created"], row["used"], row["used"], now)
        known.read = now
        return known

    def _end(self, key: str) -> None:
        self._known.pop(key, None)
        self._store.record(SESSIONS.delete().where(SESSIONS.c.key == key))


def _secret_file(path: Path) -> bytes:
    """The random key in a file that only its owner may read; it is made where it is missing."""
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return path.read_bytes()
    with os.fdopen(handle, "wb") as out:
        key = token_bytes(32)
        out.write(key)
    return key
