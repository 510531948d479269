"""What the guard answers itself: refusals, and the page where the token is shown."""

import json
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

if TYPE_CHECKING:
    from anonset.server.guard import GuardedRequest
    from anonset.server.sessions import Sessions

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
    from anonset.server.guard import cookie
    from anonset.server.sessions import SESSION

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
