"""The guard in front of pages, API and sockets alike: it checks Host, Origin, session and CSRF token of every request,
answers /login itself, and sets the security headers of every response.

Starlette's TrustedHostMiddleware does not fit: it ignores ports, cuts IPv6 addresses at their first colon, and answers 400.
"""

import hashlib
import hmac
import logging
import re
import time
from collections import OrderedDict
from collections.abc import Iterable
from html import escape
from secrets import token_urlsafe
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect, HTTPConnection, Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

SESSION, CSRF = "anonset_session", "anonset_csrf"
CSRF_HEADER = "x-csrf-token"
MAX_FAILURES, WINDOW, MAX_CLIENTS = 5, 300.0, 10_000
LOG = logging.getLogger("anonset.access")
SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
SOCKET, STATIC, API, LOGIN = "/_nicegui_ws/", "/_nicegui/", "/api", "/login"
LARGEST_FORM = 4_096  # bytes
SCRIPT = re.compile(rb"<script(?=[\s>])")


class Guard:
    """An application behind a guard; `hosts` are the names it answers to, with their ports."""

    def __init__(self, app: ASGIApp, sessions: "Sessions", hosts: Iterable[str]) -> None:
        self.app, self.sessions = app, sessions
        self.hosts = frozenset(host.lower() for host in hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on to the application, or answer it here."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        connection, began = HTTPConnection(scope, receive), time.monotonic()
        guarded_send = GuardedSend(send, connection, self.sessions)
        response = self.refusal(connection)
        if response is None and scope["path"] == LOGIN and scope["type"] == "http":
            response = await login(Request(scope, receive), self.sessions)
        try:
            if response is None:
                await self.app(_without_compression(scope), receive, guarded_send)
            elif scope["type"] == "websocket":
                await guarded_send({"type": "websocket.close", "code": 1008})
            else:
                await response(scope, receive, guarded_send)
        finally:
            spent = (time.monotonic() - began) * 1000
            LOG.info("%s %s %s %.0f ms", scope.get("method", "GET"), scope["path"], guarded_send.status, spent)

    def refusal(self, connection: HTTPConnection) -> Response | None:
        """The response to a request that is not allowed, else None."""
        headers = connection.headers
        if (only_value(headers, "host") or "").lower() not in self.hosts:
            return problem(421, "this server does not answer to that name")
        origin = only_value(headers, "origin")
        if origin is not None and origin.lower().partition("://")[2] not in self.hosts:
            return problem(403, "requests from other sites are refused")
        if connection.scope["path"] == LOGIN:
            return None
        if not self.sessions.is_signed_in(connection.cookies, headers.get("authorization", "")):
            return sign_in_first(connection, self.sessions)
        if not self._may_change(connection):
            return problem(403, f"this needs the header {CSRF_HEADER}, as in the cookie {CSRF}")
        return None

    def _may_change(self, connection: HTTPConnection) -> bool:
        """Whether a request changes nothing, or comes from a page of this server or from a holder of the token."""
        headers, scope = connection.headers, connection.scope
        if scope["type"] == "websocket" or scope["method"] in SAFE_METHODS:
            return True
        if self.sessions.has_token(headers.get("authorization", "")):
            return True
        if scope["path"].startswith(SOCKET):  # the socket's fallback cannot send the header; its origin was checked
            return "origin" in headers
        return is_same(headers.get(CSRF_HEADER, ""), self.sessions.csrf)


def only_value(headers: Headers, name: str) -> str | None:
    """The value of a header, or an empty text where it is there twice: the application might use the other one."""
    values = headers.getlist(name)
    return values[0] if len(values) == 1 else "" if values else None


def is_secure(connection: HTTPConnection) -> bool:
    """Whether the browser uses TLS, here or at a proxy."""
    return connection.scope.get("scheme") in ("https", "wss") or connection.headers.get("x-forwarded-proto") == "https"


def client_of(connection: HTTPConnection) -> str:
    """The address of the client."""
    return connection.client.host if connection.client is not None else "?"


def _without_compression(scope: Scope) -> Scope:
    """The scope without accept-encoding where the answer may be a page, which gets its nonce here."""
    if scope["type"] == "http" and not scope["path"].startswith((STATIC, API)):
        return {**scope, "headers": [(n, v) for n, v in scope["headers"] if n.lower() != b"accept-encoding"]}
    return scope


class Sessions:
    """The token of a server, the values derived from it, and the failed attempts of each client.

    Without a token everybody who reaches the server is signed in; requests that change something still need the CSRF token.
    """

    def __init__(self, token: str | None) -> None:
        self.token = token
        self._once: str | None = token_urlsafe(24) if token is not None else None
        self._key = (token or token_urlsafe(32)).encode()
        self._failures: OrderedDict[str, list[float]] = OrderedDict()

    @property
    def session(self) -> str:
        """The value of the session cookie: not the token, and the same after a restart."""
        return self._derived("session")

    @property
    def csrf(self) -> str:
        """The value that pages send with every request that changes something."""
        return self._derived("csrf")

    def _derived(self, what: str) -> str:
        return hmac.new(self._key, f"anonset {what}".encode(), hashlib.sha256).hexdigest()

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

    def is_signed_in(self, cookies: dict[str, str], authorization: str) -> bool:
        """Whether a request has the session cookie or the token."""
        if self.token is None:
            return True
        return self.has_token(authorization) or is_same(cookies.get(SESSION, ""), self.session)

    def has_token(self, authorization: str) -> bool:
        """Whether a request has the token in its authorization header."""
        kind, _, given = authorization.partition(" ")
        return self.token is not None and kind.lower() == "bearer" and is_same(given.strip(), self.token)

    def may_try(self, client: str) -> bool:
        """Whether a client has attempts left."""
        recent = [at for at in self._failures.get(client, []) if time.monotonic() - at < WINDOW]
        self._failures[client] = recent
        self._failures.move_to_end(client)
        while len(self._failures) > MAX_CLIENTS:
            self._failures.popitem(last=False)
        return len(recent) < MAX_FAILURES

    def try_token(self, client: str, given: str) -> bool:
        """Whether this is the token; a wrong one counts as a failure of the client."""
        good = self.token is not None and is_same(given, self.token)
        if not good:
            self._failures.setdefault(client, []).append(time.monotonic())
        return good


def is_same(given: str, expected: str) -> bool:
    """Whether two texts are equal, compared in constant time."""
    return hmac.compare_digest(given.encode(), expected.encode())


FIXED = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "SAMEORIGIN",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}


def content_policy(nonce: str) -> str:
    """Scripts of this server only; `unsafe-eval` because the pages' framework compiles its templates in the browser."""
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


class GuardedSend:
    """Sends the responses of an application with the security headers, and gives the scripts of pages their nonce."""

    def __init__(self, send: Send, connection: HTTPConnection, sessions: Sessions) -> None:
        self._send, self._connection, self._sessions = send, connection, sessions
        self._nonce = token_urlsafe(18)
        self._start: Message | None = None  # of a page, until it is complete
        self._page: list[bytes] = []
        self.status: int | str = "-"

    async def __call__(self, message: Message) -> None:
        """Send one message of the application."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            await self._begin(message)
        elif message["type"] == "http.response.body" and self._start is not None:
            self._page.append(message.get("body", b""))
            if not message.get("more_body", False):
                await self._send_page(self._start)
        else:
            if self.status == "-":  # a socket that was accepted and is closed later was not refused
                self.status = {"websocket.accept": 101, "websocket.close": 403}.get(message["type"], "-")
            await self._send(message)

    async def _begin(self, message: Message) -> None:
        message.setdefault("headers", [])
        headers = MutableHeaders(scope=message)
        self._add_headers(headers)
        is_page = headers.get("content-type", "").startswith("text/html")
        if is_page and self._nonce in headers["content-security-policy"]:
            self._start = message
        else:
            await self._send(message)

    def _add_headers(self, headers: MutableHeaders) -> None:
        """Add the security headers; a policy that the application set stays, and only static files may be cached."""
        del headers["server"]
        for name, value in FIXED.items():
            headers.setdefault(name, value)
        headers.setdefault("Content-Security-Policy", content_policy(self._nonce))
        if not self._connection.scope["path"].startswith(STATIC):
            headers.setdefault("Cache-Control", "no-store")
        cookies = self._connection.cookies
        if cookies.get(CSRF) != self._sessions.csrf and self._sessions.is_signed_in(cookies, ""):
            headers.append("set-cookie", cookie(CSRF, self._sessions.csrf, is_secure(self._connection), hidden=False))

    async def _send_page(self, start: Message) -> None:
        body = SCRIPT.sub(b'<script nonce="' + self._nonce.encode() + b'"', b"".join(self._page))
        MutableHeaders(scope=start)["content-length"] = str(len(body))
        await self._send(start)
        await self._send({"type": "http.response.body", "body": body})


def cookie(name: str, value: str, secure: bool, *, hidden: bool = True) -> str:
    """A cookie that browsers send for requests of this site only; a `hidden` one is out of reach of scripts."""
    more = ("; HttpOnly" if hidden else "") + ("; Secure" if secure else "")
    return f"{name}={value}; Path=/; SameSite=Strict{more}"


def problem(status: int, detail: str, **headers: str) -> Response:
    """An error as problem+json."""
    body = {"type": "about:blank", "title": "Refused", "status": status, "detail": detail}
    return JSONResponse(body, status, headers, media_type="application/problem+json")


LOGIN_PAGE = """<!doctype html>
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


def sign_in_first(connection: HTTPConnection, sessions: Sessions) -> Response:
    """A redirect to the login page, or for programs an error."""
    path = connection.scope["path"]
    if connection.scope["type"] == "http" and path != API and not path.startswith(f"{API}/"):
        return RedirectResponse(LOGIN, 303)
    given, client = connection.headers.get("authorization", ""), client_of(connection)
    if given and not sessions.may_try(client):
        return problem(429, "too many wrong tokens; wait a few minutes", **{"retry-after": "300"})
    if given:
        sessions.try_token(client, given.partition(" ")[2])
    return problem(401, "sign in first, or send the token", **{"www-authenticate": "Bearer"})


async def login(request: Request, sessions: Sessions) -> Response:
    """Show the form, check a token, or use the link that works once."""
    if request.method not in ("GET", "HEAD", "POST"):
        return problem(405, "method not allowed: use GET or POST")
    client = client_of(request)
    if request.method != "POST":
        once = request.query_params.get("once", "")
        if sessions.token is None or (once and sessions.use_once(once)):
            return _signed_in(request, sessions)
        return _form(200, "This link was used already. Type the token instead." if once else "")
    if not sessions.may_try(client):
        return _form(429, "Too many wrong tokens. Wait a few minutes.")
    given = parse_qs((await _small_body(request)).decode("utf-8", errors="replace")).get("token", [""])[0].strip()
    if sessions.token is None or sessions.try_token(client, given):
        return _signed_in(request, sessions)
    return _form(401, "This is not the token.")


def _signed_in(request: Request, sessions: Sessions) -> Response:
    return RedirectResponse("/", 303, {"set-cookie": cookie(SESSION, sessions.session, is_secure(request))})


def _form(status: int, message: str) -> Response:
    headers = {"retry-after": "300"} if status == 429 else {}
    return HTMLResponse(LOGIN_PAGE.format(message=escape(message)), status, headers)


async def _small_body(request: Request) -> bytes:
    """The first bytes of a body; a form is never longer."""
    body = b""
    try:
        async for received in request.stream():
            body += received
            if len(body) >= LARGEST_FORM:
                break
    except ClientDisconnect:
        return b""
    return body[:LARGEST_FORM]
