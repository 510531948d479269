"""Who may come in: one token, compared in constant time; a cookie that scripts cannot read; few wrong tries."""

import hashlib
import hmac
import time
from collections import OrderedDict
from http.cookies import CookieError, SimpleCookie
from secrets import token_urlsafe

SESSION, CSRF = "anonset_session", "anonset_csrf"
CSRF_HEADER = "x-csrf-token"
TRIES, WINDOW, CLIENTS = 5, 300.0, 10_000


class Sessions:
    """The token of a server, what is derived from it, and the wrong tries of each client.

    Without a token everybody who reaches the server is in; requests that change something still need the CSRF token.
    """

    def __init__(self, token: str | None) -> None:
        self.token = token
        self._once: str | None = token_urlsafe(24) if token is not None else None
        self._key = (token or token_urlsafe(32)).encode()
        self._wrong: OrderedDict[str, list[float]] = OrderedDict()

    @property
    def session(self) -> str:
        """The value of the cookie of those who are in: the same after a restart, and not the token."""
        return self._derived("session")

    @property
    def csrf(self) -> str:
        """What a page sends along with whatever changes something."""
        return self._derived("csrf")

    def _derived(self, what: str) -> str:
        return hmac.new(self._key, f"anonset {what}".encode(), hashlib.sha256).hexdigest()

    @property
    def once(self) -> str | None:
        """A link's part that lets one browser in, once."""
        return self._once

    def use_once(self, given: str) -> bool:
        """Whether this is the part of the link that was not used yet; it is used now."""
        good = self._once is not None and same(given, self._once)
        if good:
            self._once = None
        return good

    def is_in(self, cookies: dict[str, str], authorization: str) -> bool:
        """Whether a request comes from somebody who showed the token."""
        if self.token is None:
            return True
        return self.by_token(authorization) or same(cookies.get(SESSION, ""), self.session)

    def by_token(self, authorization: str) -> bool:
        """Whether a request carries the token itself."""
        kind, _, given = authorization.partition(" ")
        return self.token is not None and kind.lower() == "bearer" and same(given.strip(), self.token)

    def may_try(self, client: str) -> bool:
        """Whether a client has wrong tries left."""
        recent = [at for at in self._wrong.get(client, []) if time.monotonic() - at < WINDOW]
        self._wrong[client] = recent
        self._wrong.move_to_end(client)
        while len(self._wrong) > CLIENTS:
            self._wrong.popitem(last=False)
        return len(recent) < TRIES

    def try_token(self, client: str, given: str) -> bool:
        """Whether this is the token; a wrong one is remembered."""
        good = self.token is not None and same(given, self.token)
        if not good:
            self._wrong.setdefault(client, []).append(time.monotonic())
        return good


def same(given: str, wanted: str) -> bool:
    """Whether two texts are equal, in a time that does not tell where they differ."""
    return hmac.compare_digest(given.encode(), wanted.encode())


def cookies_of(header: str) -> dict[str, str]:
    """The cookies in a header; none where it is malformed."""
    try:
        return {name: morsel.value for name, morsel in SimpleCookie(header).items()}
    except CookieError:
        return {}
