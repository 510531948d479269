"""The pages on which people sign in, sign out and change their password: /login and /account."""

import asyncio
from html import escape
from urllib.parse import parse_qs

from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from anonset.errors import InputError
from anonset.server.access import DEVICE, SESSION, Access, Visitor, cookie, is_same, is_secure
from anonset.workbench.accounts import NAME, Accounts
from anonset.workbench.audit import AuditLog
from anonset.workbench.permissions import ROLE_WORDS

LOGIN, ACCOUNT = "/login", "/account"
LARGEST_FORM = 4_096  # bytes
HASHES_AT_ONCE = 2  # of passwords, of which each takes memory
KNOWN_DAYS = 180  # for which a browser is known that signed in

PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>anonset: {title}</title>
<style>
:root {{ color-scheme: light dark; font-family: system-ui, sans-serif }}
body {{ display: grid; place-items: center; min-height: 90vh; margin: 1rem }}
form {{ display: grid; gap: .8rem; width: min(22rem, 100%); margin: 0 0 2rem }}
input, button {{ font: inherit; padding: .6rem }}
p {{ margin: 0 0 .6rem }}
a {{ color: inherit }}
</style></head>
<body><main><h1>{heading}</h1>{body}</main></body></html>
"""
TOKEN_FORM = """<form method="post" action="/login">
<label for="token">The token that the server printed, or that you were given</label>
<input id="token" name="token" type="password" autocomplete="current-password" required autofocus>
<button type="submit">Sign in</button>
<p role="alert">{message}</p>
</form>"""
PASSWORD_FORM = """<form method="post" action="/login">
<label for="name">Account</label>
<input id="name" name="name" autocomplete="username" autocapitalize="none" spellcheck="false" required autofocus>
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required>
<button type="submit">Sign in</button>
<p role="alert">{message}</p>
</form>"""
ACCOUNT_PAGE = """<p>You are signed in{as_whom}. {may}</p>
{password}
<form method="post" action="/account"><input type="hidden" name="csrf" value="{csrf}">
<button type="submit" name="do" value="leave">Sign out</button></form>
<p role="alert">{message}</p>
{log}<p><a href="/">All projects</a></p>"""
CHANGE_PASSWORD = """<form method="post" action="/account"><input type="hidden" name="csrf" value="{csrf}">
<input type="hidden" name="name" value="{name}" autocomplete="username">
<label for="old">Present password</label>
<input id="old" name="old" type="password" autocomplete="current-password" required>
<label for="new">New password, 12 characters or more</label>
<input id="new" name="new" type="password" autocomplete="new-password" minlength="12" required>
<button type="submit" name="do" value="password">Change the password</button></form>"""


def problem(status: int, detail: str, **headers: str) -> Response:
    """An error as problem+json."""
    body = {"type": "about:blank", "title": "Refused", "status": status, "detail": detail}
    return JSONResponse(body, status, headers, media_type="application/problem+json")


class SignInPages:
    """The pages of a server for signing in and out."""

    def __init__(self, access: Access, audit: AuditLog) -> None:
        self._access, self._audit = access, audit
        self._hashing = asyncio.Semaphore(HASHES_AT_ONCE)

    async def answer(self, request: Request, visitor: Visitor | None) -> Response:
        """The answer to a request for one of these pages."""
        if request.method not in ("GET", "HEAD", "POST"):
            return problem(405, "method not allowed: use GET or POST")
        if request.url.path == LOGIN:
            return await self._login(request)
        if visitor is None or visitor.program:
            return RedirectResponse(LOGIN, 303)
        return await self._account(request, visitor)

    async def _login(self, request: Request) -> Response:
        if request.method != "POST":
            return self._opened(request)
        form = await _form(request)
        accounts, name = self._access.accounts, form.get("name", "").strip()
        if accounts is not None and NAME.fullmatch(name) is None:
            name = "?"  # which no account has: the wrong attempts of all impossible names count together
        attempt = self._access.attempt(request, name if accounts is not None else "")
        if wait := self._access.wait(attempt):
            return self._form(429, f"Too many wrong attempts. Wait {_seconds(wait)}.", wait)
        self._access.attempts.begin(attempt)
        if accounts is None:
            good = self._access.is_open or self._access.is_token(form.get("token", "").strip())
        else:
            async with self._hashing:
                good = await run_in_threadpool(accounts.has_password, name, form.get("password", ""))
        if not good:
            known = accounts is not None and accounts.get(name) is not None
            self._audit.add(name if known else "nobody", "sign-in failed")
            return self._form(401, "This is not the token." if accounts is None else "Account or password is wrong.")
        self._access.attempts.succeeded(attempt)
        return self._signed_in(request, name if accounts is not None else "")

    def _opened(self, request: Request) -> Response:
        """The form, or the answer to the link that works once."""
        once = request.query_params.get("once", "")
        if self._access.is_open or (once and self._access.use_once(once)):
            return self._signed_in(request, "")
        return self._form(200, "This link was used already. Type the token instead." if once else "")

    def _signed_in(self, request: Request, name: str) -> Response:
        self._audit.add(name, "signed in")
        secure, answer = is_secure(request), RedirectResponse("/", 303)
        answer.headers.append("set-cookie", cookie(SESSION, self._access.sessions.begin(name), secure))
        answer.headers.append("set-cookie", cookie(DEVICE, self._access.sessions.device(name), secure, days=KNOWN_DAYS))
        return answer

    def _form(self, status: int, message: str, wait: int = 0) -> Response:
        form = TOKEN_FORM if self._access.accounts is None else PASSWORD_FORM
        body = form.format(message=escape(message))
        headers = {"retry-after": str(wait)} if wait else {}
        return HTMLResponse(PAGE.format(title="sign in", heading="anonset", body=body), status, headers)

    async def _account(self, request: Request, visitor: Visitor) -> Response:
        if request.method != "POST":
            return self._account_page(visitor)
        form = await _form(request)
        if not is_same(form.get("csrf", ""), visitor.csrf):
            return problem(403, "this needs the form of the page")
        if form.get("do") == "leave":
            return self._left(request, visitor)
        if self._access.accounts is None or visitor.account is None or not visitor.session:
            return problem(403, "there is no password here")
        return await self._new_password(request, visitor, self._access.accounts, visitor.account, form)

    def _left(self, request: Request, visitor: Visitor) -> Response:
        self._access.sessions.end(visitor.session)
        self._audit.add(visitor.account or "", "signed out")
        return RedirectResponse(LOGIN, 303, {"set-cookie": cookie(SESSION, "", is_secure(request))})

    async def _new_password(
        self, request: Request, visitor: Visitor, accounts: Accounts, name: str, form: dict[str, str]
    ) -> Response:
        attempt = self._access.attempt(request, name)
        if wait := self._access.wait(attempt):
            return self._account_page(visitor, f"Too many wrong attempts. Wait {_seconds(wait)}.", 429)
        self._access.attempts.begin(attempt)
        async with self._hashing:
            if not await run_in_threadpool(accounts.has_password, name, form.get("old", "")):
                return self._account_page(visitor, "The present password is wrong.", 401)
            self._access.attempts.succeeded(attempt)
            try:
                await run_in_threadpool(accounts.set_password, name, form.get("new", ""))
            except InputError as error:
                return self._account_page(visitor, str(error), 422)
        self._audit.add(name, "changed password")
        return self._signed_in(request, name)

    def _account_page(self, visitor: Visitor, message: str = "", status: int = 200) -> Response:
        accounts = self._access.accounts
        account = accounts.get(visitor.account) if accounts is not None and visitor.account is not None else None
        shown = {"csrf": escape(visitor.csrf), "name": escape(visitor.account or "")}
        may = f"Your account may {_listed(account.role)}." if account is not None else "Everything is allowed here."
        log = '<p><a href="/api/audit/csv">The audit log</a></p>' if account is not None and account.may("release") else ""
        body = ACCOUNT_PAGE.format(
            as_whom=f" as {shown['name']}" if account is not None else "",
            may=may,
            password=CHANGE_PASSWORD.format(**shown) if account is not None and account.password and visitor.session else "",
            csrf=shown["csrf"],
            message=escape(message),
            log=log,
        )
        return HTMLResponse(PAGE.format(title="account", heading="Account", body=body), status)


def _listed(role: str) -> str:
    """What a role allows, in words."""
    roles = list(ROLE_WORDS)
    words = [ROLE_WORDS[name] for name in roles[: roles.index(role) + 1]]  # type: ignore[arg-type]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _seconds(wait: int) -> str:
    return f"{wait} second{'s' if wait != 1 else ''}"


async def _form(request: Request) -> dict[str, str]:
    """The fields of a form, the first value of each."""
    fields = parse_qs((await _small_body(request)).decode("utf-8", errors="replace"))
    return {name: values[0] for name, values in fields.items()}


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
