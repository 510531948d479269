"""The guard in front of pages, API and sockets alike: who asks, from where, under which name, and what goes out."""

import logging
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from secrets import token_urlsafe
from typing import Any

from anonset.server.answers import GuardResponse, login, needs_login, refused
from anonset.server.policy import with_nonce, with_policy
from anonset.server.sessions import CSRF, CSRF_HEADER, Sessions, cookies_of, same

LOG = logging.getLogger("anonset.access")
SAFE = ("GET", "HEAD", "OPTIONS")
SOCKET, STATIC, API, LOGIN = "/_nicegui_ws/", "/_nicegui/", "/api", "/login"


@dataclass(frozen=True, slots=True)
class GuardedRequest:
    """A request, as far as the guard looks at it."""

    kind: str
    method: str
    path: str
    query: str
    client: str
    secure: bool
    headers: dict[str, str]
    cookies: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, scope: Any) -> "GuardedRequest":
        """The request of a scope."""
        headers: dict[str, str] = {}
        for name, value in scope.get("headers", ()):
            key = name.decode("latin-1").lower()
            twice = key in headers and key in ("host", "origin")  # of which the application might take the other one
            headers[key] = "" if twice else value.decode("latin-1")
        client = (scope.get("client") or ("?",))[0]
        secure = scope.get("scheme", "http") in ("https", "wss") or headers.get("x-forwarded-proto") == "https"
        query = scope.get("query_string", b"").decode("latin-1")
        cookies = cookies_of(headers.get("cookie", ""))
        return cls(scope["type"], scope.get("method", "GET"), scope.get("path", "/"), query, client, secure, headers, cookies)

    @property
    def is_api(self) -> bool:
        """Whether a program asks, not a person."""
        return self.path == API or self.path.startswith(f"{API}/") or self.kind == "websocket"


class Guard:
    """An application behind a guard; `hosts` are the names it answers to, with their ports."""

    def __init__(self, app: Any, sessions: Sessions, hosts: Iterable[str]) -> None:
        self.app, self.sessions = app, sessions
        self.hosts = frozenset(host.lower() for host in hosts)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Let a request through, or answer it here."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        asked, began = GuardedRequest.of(scope), time.monotonic()
        outgoing = Outgoing(send, asked, self.sessions)
        answer = self.verdict(asked)
        if answer is None and asked.path == LOGIN and asked.kind == "http":
            answer = await login(asked, receive, self.sessions)
        try:
            if answer is not None:
                await answer.send(asked, outgoing)
            else:
                await self.app(_readable(scope, asked), receive, outgoing)
        finally:
            spent = (time.monotonic() - began) * 1000
            LOG.info("%s %s %s %.0f ms", asked.method, asked.path, outgoing.status, spent)

    def verdict(self, asked: GuardedRequest) -> GuardResponse | None:
        """What speaks against a request, if anything."""
        if asked.headers.get("host", "").lower() not in self.hosts:
            return refused(421, "this server does not answer to that name")
        origin = asked.headers.get("origin")
        if origin is not None and origin.lower().partition("://")[2] not in self.hosts:
            return refused(403, "requests from other sites are refused")
        if asked.path == LOGIN:
            return None
        if not self.sessions.is_in(asked.cookies, asked.headers.get("authorization", "")):
            return needs_login(asked, self.sessions)
        return (
            None if self._may_change(asked) else refused(403, f"this needs the header {CSRF_HEADER}, as in the cookie {CSRF}")
        )

    def _may_change(self, asked: GuardedRequest) -> bool:
        """Whether a request changes nothing, or proves that it comes from a page of ours or from a holder of the token."""
        if asked.kind == "websocket" or asked.method in SAFE:
            return True
        if self.sessions.by_token(asked.headers.get("authorization", "")):
            return True
        if asked.path.startswith(SOCKET):  # the socket's fallback cannot send the header: its origin was looked at
            return "origin" in asked.headers
        return same(asked.headers.get(CSRF_HEADER, ""), self.sessions.csrf)


class Outgoing:
    """Sends what an application answers, with our headers; pages get the nonce of their scripts."""

    def __init__(self, send: Any, asked: GuardedRequest, sessions: Sessions) -> None:
        self._send, self._asked, self._sessions = send, asked, sessions
        self._nonce = token_urlsafe(18)
        self._start: dict[str, Any] | None = None
        self._page: list[bytes] = []
        self.status: int | str = "-"

    async def __call__(self, message: Any) -> None:
        """Take one message of the application."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            await self._begin(message)
        elif message["type"] == "http.response.body" and self._start is not None:
            self._page.append(message.get("body", b""))
            if not message.get("more_body", False):
                await self._whole_page(self._start)
        else:
            if self.status == "-":  # a socket that was accepted and is closed later was not refused
                self.status = {"websocket.accept": 101, "websocket.close": 403}.get(message["type"], "-")
            await self._send(message)

    async def _begin(self, message: dict[str, Any]) -> None:
        headers = with_policy(message.get("headers", ()), self._nonce, private=not self._asked.path.startswith(STATIC))
        if self._asked.cookies.get(CSRF) != self._sessions.csrf and self._sessions.is_in(self._asked.cookies, ""):
            headers.append((b"set-cookie", cookie(CSRF, self._sessions.csrf, self._asked.secure, hidden=False)))
        start = message | {"headers": headers}
        kind = next((value for name, value in headers if name.lower() == b"content-type"), b"")
        policy = next((value for name, value in headers if name.lower() == b"content-security-policy"), b"")
        if kind.startswith(b"text/html") and self._nonce.encode() in policy:
            self._start = start
        else:
            await self._send(start)

    async def _whole_page(self, start: dict[str, Any]) -> None:
        body = with_nonce(b"".join(self._page), self._nonce)
        headers = [(n, v) for n, v in start["headers"] if n.lower() != b"content-length"]
        length = (b"content-length", str(len(body)).encode())
        await self._send(start | {"headers": [*headers, length]})
        await self._send({"type": "http.response.body", "body": body})


def cookie(name: str, value: str, secure: bool, *, hidden: bool = True) -> bytes:
    """A cookie that other sites never cause to be sent."""
    more = ("; HttpOnly" if hidden else "") + ("; Secure" if secure else "")
    return f"{name}={value}; Path=/; SameSite=Strict{more}".encode()


def _readable(scope: Any, asked: GuardedRequest) -> Any:
    """The scope without the offer of compression, where a page may come back that gets its nonce here."""
    if asked.kind == "http" and not asked.path.startswith((STATIC, API)):
        return scope | {"headers": [(n, v) for n, v in scope["headers"] if n.lower() != b"accept-encoding"]}
    return scope
