"""Who makes a request: the holder of the server's token, a person with an account, or one whom a trusted proxy names."""

import hashlib
import hmac
from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import ip_address, ip_network
from secrets import token_urlsafe

from starlette.datastructures import Headers
from starlette.requests import HTTPConnection

from anonset.errors import ParameterError
from anonset.server.attempts import Attempt, Attempts
from anonset.server.sessions import Sessions
from anonset.workbench.accounts import Accounts

SESSION, CSRF, DEVICE = "anonset_session", "anonset_csrf", "anonset_device"
SOCKET = "/_nicegui_ws/"
UNGUESSABLE = 32  # characters of a token that nobody is ever kept from trying


@dataclass(frozen=True, slots=True)
class Visitor:
    """Who makes a request: an account, or None for the holder of the token; `program` says that it sent a token."""

    account: str | None
    csrf: str
    session: str = ""
    program: bool = False


class TrustedProxies:
    """Proxies that say, in headers, which address a request comes from and who signed in there."""

    def __init__(self, addresses: Sequence[str] = (), user_header: str = "") -> None:
        try:
            self._networks = tuple(ip_network(address, strict=False) for address in addresses)
        except ValueError:
            raise ParameterError("a trusted proxy is an address or a network such as 10.0.0.0/8") from None
        if user_header and not addresses:
            raise ParameterError("a header that names people needs the address of the proxy that sets it")
        self.user_header = user_header.lower()

    def address(self, connection: HTTPConnection) -> str:
        """The address of a client: the last one that a proxy which is not trusted, or nobody, vouches for."""
        direct = connection.client.host if connection.client is not None else "?"
        if not self._trusts(direct):
            return direct
        named = ",".join(connection.headers.getlist("x-forwarded-for")).split(",")
        return next((address for address in map(str.strip, reversed(named)) if address and not self._trusts(address)), direct)

    def person(self, connection: HTTPConnection) -> str:
        """Whom a trusted proxy names, or nothing; nobody is believed who is named twice."""
        direct = connection.client.host if connection.client is not None else "?"
        if not self.user_header or not self._trusts(direct):
            return ""
        return only_value(connection.headers, self.user_header) or ""

    def _trusts(self, address: str) -> bool:
        try:
            return any(ip_address(address) in network for network in self._networks)
        except ValueError:
            return False


class Access:
    """The ways into a server; without `accounts` and without a token everybody who reaches it is in."""

    def __init__(
        self,
        sessions: Sessions,
        *,
        token: str | None = None,
        guessable: bool = True,
        accounts: Accounts | None = None,
        proxies: TrustedProxies | None = None,
        attempts: Attempts | None = None,
    ) -> None:
        self.sessions, self.token, self.accounts = sessions, token, accounts
        self.proxies, self.attempts = proxies or TrustedProxies(), attempts or Attempts()
        self.guessable = accounts is None and guessable and token is not None and len(token) < UNGUESSABLE
        self._once = token_urlsafe(24) if token is not None else None
        self._key = token_urlsafe(32).encode()

    @property
    def is_open(self) -> bool:
        """Whether nobody has to sign in."""
        return self.accounts is None and self.token is None

    @property
    def once(self) -> str | None:
        """The code of a link that signs one browser in, once."""
        return self._once

    def use_once(self, given: str) -> bool:
        """Whether this is the unused code of the link; it is used up then."""
        good = self._once is not None and is_same(given, self._once)
        if good:
            self._once = None
        return good

    def visitor(self, connection: HTTPConnection) -> Visitor | None:
        """Who makes a request, or None for somebody who has to sign in."""
        if self.is_open:
            return Visitor(None, self._csrf_of("everybody"))
        if self.accounts is not None and (name := self.proxies.person(connection)):
            account = self.accounts.get(name)
            return None if account is None or account.disabled else Visitor(name, self._csrf_of(name))
        given = bearer_of(connection)
        if given:
            return self._program(connection, given)
        value = connection.cookies.get(SESSION, "")
        # polling of a page, where sockets are not possible, is nothing that a person did
        owner = self.sessions.account_of(value, used=not connection.scope["path"].startswith(SOCKET))
        return None if owner is None or not self._in_use(owner) else Visitor(owner or None, self.sessions.csrf(value), value)

    def goes_on(self, visitor: Visitor, *, used: bool) -> bool:
        """Whether somebody who opened a socket is still signed in."""
        if visitor.account is not None and not self._in_use(visitor.account):
            return False
        return not visitor.session or self.sessions.account_of(visitor.session, used=used) is not None

    def attempt(self, connection: HTTPConnection, account: str) -> Attempt:
        """An attempt to sign in."""
        device = self.sessions.known_device(account, connection.cookies.get(DEVICE, ""))
        return Attempt(account, self.proxies.address(connection), device)

    def wait(self, attempt: Attempt) -> int:
        """The seconds that an attempt must wait; nobody is kept from trying a token that cannot be guessed."""
        return self.attempts.wait(attempt) if self.guessable or self.accounts is not None else 0

    def is_token(self, given: str) -> bool:
        """Whether this is the token of the server."""
        return self.accounts is None and self.token is not None and is_same(given, self.token)

    def _in_use(self, name: str) -> bool:
        """Whether a session with this account counts here."""
        if self.accounts is None:
            return name == ""
        account = self.accounts.get(name) if name else None
        return account is not None and not account.disabled

    def _program(self, connection: HTTPConnection, given: str) -> Visitor | None:
        if self.accounts is not None:
            account = self.accounts.of_token(given)
            return None if account is None else Visitor(account.name, self._csrf_of(account.name), program=True)
        if self.wait(self.attempt(connection, "")):
            return None
        return Visitor(None, self._csrf_of("token"), program=True) if self.is_token(given) else None

    def _csrf_of(self, name: str) -> str:
        return hmac.new(self._key, f"anonset csrf {name}".encode(), hashlib.sha256).hexdigest()


def bearer_of(connection: HTTPConnection) -> str:
    """The token in the authorization header, or nothing."""
    kind, _, given = connection.headers.get("authorization", "").partition(" ")
    return given.strip() if kind.lower() == "bearer" else ""


def only_value(headers: Headers, name: str) -> str | None:
    """The value of a header, or an empty text where it is there twice: the application might use the other one."""
    values = headers.getlist(name)
    return values[0] if len(values) == 1 else "" if values else None


def is_same(given: str, expected: str) -> bool:
    """Whether two texts are equal, compared in constant time."""
    return hmac.compare_digest(given.encode("utf-8", "replace"), expected.encode())


def is_secure(connection: HTTPConnection) -> bool:
    """Whether the browser uses TLS, here or at a proxy."""
    return connection.scope.get("scheme") in ("https", "wss") or connection.headers.get("x-forwarded-proto") == "https"


def cookie(name: str, value: str, secure: bool, *, hidden: bool = True, days: int = 0) -> str:
    """A cookie that browsers send for requests of this site only; a `hidden` one is out of reach of scripts."""
    more = ("; HttpOnly" if hidden else "") + ("; Secure" if secure else "")
    return f"{name}={value}; Path=/; SameSite=Strict{more}" + (f"; Max-Age={days * 86_400}" if days else "")
