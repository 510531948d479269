"""The guard in front of pages, API and sockets alike: who asks, from where, under which name; the headers of every response,
and what the guard answers itself.
"""

import hashlib
import hmac
import json
import logging
import re
import time
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass, field
from html import escape
from http.cookies import CookieError, SimpleCookie
from secrets import token_urlsafe
from typing import Any
from urllib.parse import parse_qs

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


Headers = list[tuple[bytes, bytes]]
SCRIPT = re.compile(rb"<script(?=[\s>])")
FIXED = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "SAMEORIGIN",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}


def content_policy(nonce: str) -> str:
    """Scripts of ours alone; `unsafe-eval` is there because the framework of the pages compiles its templates."""
    parts = (
        "default-src 'self'",
        f"script-src 'self' 'nonce-{nonce}' 'unsafe-eval'",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "font-src 'self' data:",
        "connect-src 'self'",
        "frame-src 'self'",
        "frame-ancestors 'self'",
        "object-src 'none'",
        "base-uri 'none'",
        "form-action 'self'",
    )
    return "; ".join(parts)


def with_policy(headers: Iterable[tuple[bytes, bytes]], nonce: str, *, private: bool) -> Headers:
    """Headers with ours beside them; a policy that is there already is kept, and what is private is not kept by browsers."""
    found = [(name, value) for name, value in headers if name.lower() != b"server"]
    there = {name.lower() for name, _ in found}
    ours = FIXED | {"Content-Security-Policy": content_policy(nonce)} | ({"Cache-Control": "no-store"} if private else {})
    return found + [(name.encode(), text.encode()) for name, text in ours.items() if name.lower().encode() not in there]


def with_nonce(page: bytes, nonce: str) -> bytes:
    """A page whose script elements carry the nonce; data in it are escaped and hold no such element."""
    return SCRIPT.sub(b'<script nonce="' + nonce.encode() + b'"', page)


LARGEST_FORM = 4_096
PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>anonset: sign in</title>
<style>
:root {{ color-scheme: light dark; font-family: system-ui, sans-serif }}
body {{ display: grid; place-items: center; min-height: 90vh; margin: 1rem }}
form {{ display: grid; gap: .8rem; width: min(22rem, 100%) }}
input, button {{ font: inherit; padding: .6rem }}
p {{ margin: 0 }}
</style></head>
<body><main><h1>anonset</h1><form method="post" action="/login">
<label for="token">The token that the server printed, or that you were given</label>
<input id="token" name="token" type="password" autocomplete="current-password" required autofocus>
<button type="submit">Sign in</button>
<p role="alert">{message}</p>
</form></main></body></html>
"""


@dataclass(frozen=True, slots=True)
class GuardResponse:
    """A whole response."""

    status: int
    body: bytes
    kind: str = "text/html; charset=utf-8"
    headers: dict[str, str] = field(default_factory=dict)

    async def send(self, asked: "GuardedRequest", send: Any) -> None:
        """Send it; a socket is closed before it opens."""
        if asked.kind == "websocket":
            await send({"type": "websocket.close", "code": 1008})
            return
        headers = [("content-type", self.kind), ("content-length", str(len(self.body))), *self.headers.items()]
        coded = [(name.encode(), value.encode()) for name, value in headers]
        await send({"type": "http.response.start", "status": self.status, "headers": coded})
        await send({"type": "http.response.body", "body": self.body})


def refused(status: int, detail: str, **headers: str) -> GuardResponse:
    """A problem, as the API tells them."""
    body = {"type": "about:blank", "title": "Refused", "status": status, "detail": detail}
    return GuardResponse(status, json.dumps(body).encode(), "application/problem+json", headers)


def needs_login(asked: "GuardedRequest", sessions: "Sessions") -> GuardResponse:
    """To the page where the token is shown; programs are told so."""
    if not asked.is_api:
        return GuardResponse(303, b"", headers={"location": "/login"})
    given = asked.headers.get("authorization", "")
    if given and not sessions.may_try(asked.client):
        return refused(429, "too many wrong tokens; wait a few minutes", **{"retry-after": "300"})
    if given:
        sessions.try_token(asked.client, given.partition(" ")[2])
    return refused(401, "sign in first, or send the token", **{"www-authenticate": "Bearer"})


async def login(asked: "GuardedRequest", receive: Any, sessions: "Sessions") -> GuardResponse:
    """Show the form; take a token; or use the link that works once."""
    if asked.method not in ("GET", "HEAD", "POST"):
        return refused(405, "this page is got or posted")
    if asked.method != "POST":
        once = parse_qs(asked.query).get("once", [""])[0]
        if sessions.token is None or (once and sessions.use_once(once)):
            return _welcome(asked, sessions)
        return _form(200, "This link was used already. Type the token instead." if once else "")
    if not sessions.may_try(asked.client):
        return _form(429, "Too many wrong tokens. Wait a few minutes.")
    given = parse_qs((await _body(receive)).decode("utf-8", errors="replace")).get("token", [""])[0].strip()
    if sessions.token is None or sessions.try_token(asked.client, given):
        return _welcome(asked, sessions)
    return _form(401, "This is not the token.")


def _welcome(asked: "GuardedRequest", sessions: "Sessions") -> GuardResponse:

    return GuardResponse(
        303, b"", headers={"location": "/", "set-cookie": cookie(SESSION, sessions.session, asked.secure).decode()}
    )


def _form(status: int, message: str) -> GuardResponse:
    headers = {"retry-after": "300"} if status == 429 else {}
    return GuardResponse(status, PAGE.format(message=escape(message)).encode(), headers=headers)


async def _body(receive: Any) -> bytes:
    """The body of a small form; what is longer is cut."""
    body, more = b"", True
    while more and len(body) < LARGEST_FORM:
        message = await receive()
        body += message.get("body", b"")
        more = message.get("more_body", False)
    return body[:LARGEST_FORM]


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
