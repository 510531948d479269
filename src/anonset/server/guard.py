"""The guard in front of pages, API and sockets alike: it checks Host, Origin, session and CSRF token of every request,
says for whom the application works, answers /login and /account itself, and sets the security headers of every response.

Starlette's TrustedHostMiddleware does not fit: it ignores ports, cuts IPv6 addresses at their first colon, and answers 400.
"""

import logging
import re
import time
from collections.abc import Iterable
from secrets import token_urlsafe

from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection, Request
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from anonset.server.access import CSRF, SOCKET, Access, Visitor, bearer_of, cookie, is_same, is_secure, only_value
from anonset.server.sign_in import ACCOUNT, LOGIN, SignInPages, problem
from anonset.workbench.audit import AuditLog
from anonset.workbench.permissions import acting_as

CSRF_HEADER = "x-csrf-token"
LOG = logging.getLogger("anonset.access")
SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
STATIC, API = "/_nicegui/", "/api"
OWN_PAGES = (LOGIN, ACCOUNT)
SCRIPT = re.compile(rb"<script(?=[\s>])")


class Guard:
    """An application behind a guard; `hosts` are the names it answers to, with their ports."""

    def __init__(self, app: ASGIApp, access: Access, hosts: Iterable[str], audit: AuditLog) -> None:
        self.app, self.access = app, access
        self.pages = SignInPages(access, audit)
        self.hosts = frozenset(host.lower() for host in hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on to the application, or answer it here."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        connection, began = HTTPConnection(scope, receive), time.monotonic()
        visitor = self.access.visitor(connection)
        guarded_send = GuardedSend(send, connection, visitor)
        response = self.refusal(connection, visitor)
        if response is None and scope["path"] in OWN_PAGES and scope["type"] == "http":
            response = await self.pages.answer(Request(scope, receive), visitor)
        try:
            if response is not None and scope["type"] == "websocket":
                await guarded_send({"type": "websocket.close", "code": 1008})
            elif response is not None:
                await response(scope, receive, guarded_send)
            else:
                with acting_as(visitor.account if visitor is not None else None):
                    await self._pass_on(scope, receive, guarded_send, visitor)
        finally:
            spent = (time.monotonic() - began) * 1000
            LOG.info("%s %s %s %.0f ms", scope.get("method", "GET"), scope["path"], guarded_send.status, spent)

    async def _pass_on(self, scope: Scope, receive: Receive, send: "GuardedSend", visitor: Visitor | None) -> None:
        if scope["type"] == "websocket" and visitor is not None:
            socket = GuardedSocket(receive, send, self.access, visitor)
            await self.app(scope, socket.receive, socket.send)
        else:
            await self.app(_without_compression(scope), receive, send)

    def refusal(self, connection: HTTPConnection, visitor: Visitor | None) -> Response | None:
        """The response to a request that is not allowed, else None."""
        headers = connection.headers
        if (only_value(headers, "host") or "").lower() not in self.hosts:
            return problem(421, "this server does not answer to that name")
        origin = only_value(headers, "origin")
        if origin is not None and origin.lower().partition("://")[2] not in self.hosts:
            return problem(403, "requests from other sites are refused")
        if connection.scope["path"] in OWN_PAGES and connection.scope["type"] == "http":
            return None
        if visitor is None:
            return self._sign_in_first(connection)
        if not _may_change(connection, visitor):
            return problem(403, f"this needs the header {CSRF_HEADER}, as in the cookie {CSRF}")
        return None

    def _sign_in_first(self, connection: HTTPConnection) -> Response:
        """A redirect to the login page, or for programs an error."""
        if self.access.proxies.person(connection):
            return problem(403, "there is no account in use of the name that the proxy gave")
        path = connection.scope["path"]
        if connection.scope["type"] == "http" and path != API and not path.startswith(f"{API}/"):
            return RedirectResponse(LOGIN, 303)
        if bearer_of(connection) and self.access.accounts is None:
            attempt = self.access.attempt(connection, "")
            if wait := self.access.wait(attempt):
                return problem(429, "too many wrong tokens", **{"retry-after": str(wait)})
            self.access.attempts.begin(attempt)
        return problem(401, "sign in first, or send the token", **{"www-authenticate": "Bearer"})


def _may_change(connection: HTTPConnection, visitor: Visitor) -> bool:
    """Whether a request changes nothing, or comes from a page of this server or from a holder of a token."""
    headers, scope = connection.headers, connection.scope
    if scope["type"] == "websocket" or scope["method"] in SAFE_METHODS or visitor.program:
        return True
    if scope["path"].startswith(SOCKET):  # the socket's fallback cannot send the header; its origin was checked
        return "origin" in headers
    return is_same(headers.get(CSRF_HEADER, ""), visitor.csrf)


def _without_compression(scope: Scope) -> Scope:
    """The scope without accept-encoding where the answer may be a page, which gets its nonce here."""
    if scope["type"] == "http" and not scope["path"].startswith((STATIC, API)):
        return {**scope, "headers": [(n, v) for n, v in scope["headers"] if n.lower() != b"accept-encoding"]}
    return scope


class GuardedSocket:
    """A socket that is closed when its person is no longer signed in; what the person does there keeps the session."""

    def __init__(self, receive: Receive, send: Send, access: Access, visitor: Visitor) -> None:
        self._receive, self._send, self._access, self._visitor = receive, send, access, visitor
        self._closed = False

    async def receive(self) -> Message:
        """The next message of the browser, or the end of the socket."""
        message = await self._receive()
        if message["type"] == "websocket.receive" and not await self._goes_on(used=_is_act(message)):
            return {"type": "websocket.disconnect", "code": 1008}
        return message

    async def send(self, message: Message) -> None:
        """Send a message of the application, unless the session has ended."""
        if message["type"] != "websocket.send" or await self._goes_on(used=False):
            await self._send(message)

    async def _goes_on(self, *, used: bool) -> bool:
        if not self._closed and not self._access.goes_on(self._visitor, used=used):
            self._closed = True
            await self._send({"type": "websocket.close", "code": 1008})
        return not self._closed


def _is_act(message: Message) -> bool:
    """Whether a message of a page is something that a person did: its own events, and no pings and acknowledgements."""
    text = message.get("text") or ""
    return text.startswith('42["event"')


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

    def __init__(self, send: Send, connection: HTTPConnection, visitor: Visitor | None) -> None:
        self._send, self._connection, self._visitor = send, connection, visitor
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
        visitor = self._visitor
        if visitor is not None and not visitor.program and self._connection.cookies.get(CSRF) != visitor.csrf:
            headers.append("set-cookie", cookie(CSRF, visitor.csrf, is_secure(self._connection), hidden=False))

    async def _send_page(self, start: Message) -> None:
        body = SCRIPT.sub(b'<script nonce="' + self._nonce.encode() + b'"', b"".join(self._page))
        MutableHeaders(scope=start)["content-length"] = str(len(body))
        await self._send(start)
        await self._send({"type": "http.response.body", "body": body})
