"""The server: pages, API and guard as one application, and how it is started."""

import gc
import logging
import os
import signal
import sys
import threading
import webbrowser
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from secrets import token_urlsafe
from typing import Any

import uvicorn
from fastapi import FastAPI

from anonset.errors import InputError
from anonset.rest import create_api
from anonset.server.access import Access, TrustedProxies
from anonset.server.guard import Guard
from anonset.server.sessions import IDLE_MINUTES, LONGEST_HOURS, Sessions
from anonset.workbench import Workbench
from anonset.workbench.accounts import Accounts
from anonset.workbench.audit import AuditLog
from anonset.workbench.databases import Allowed
from anonset.workbench.store import Store, default_folder


def create_app(bench: Workbench, access: Access, hosts: Iterable[str]) -> Guard:
    """The whole server: the API at /api, the pages at / where they are installed, and the guard in front of both."""
    bench.gatekeeper.required = access.accounts is not None

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        bench.close()

    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None, lifespan=lifespan)
    app.mount("/api", create_api(bench))
    _attach_pages(app, bench)
    return Guard(app, access, hosts, AuditLog(bench.store))


def _attach_pages(app: FastAPI, bench: Workbench) -> None:
    if find_spec("anonset.web") is None:

        @app.get("/")
        def index() -> dict[str, Any]:
            return {"api": "/api/openapi.json"}

        return
    from anonset.web import mount

    mount(app, bench)


def hosts_of(host: str, port: int, more: Iterable[str] = ()) -> tuple[str, ...]:
    """The host names that the server answers to: its address, local names where it listens locally, and those allowed."""
    local = ("127.0.0.1", "localhost", "[::1]") if host in LOCAL or host in ("0.0.0.0", "::") else ()
    own = (f"[{host}]" if ":" in host else host,)
    names = [*own, *local, *more]
    return tuple(name for host in names for name in ({host} if _has_port(host) else {f"{host}:{port}", *_plain(host, port)}))


LOCAL = ("127.0.0.1", "localhost", "::1")


def _has_port(host: str) -> bool:
    return host.rpartition(":")[2].isdigit() and not host.endswith("]")


def _plain(host: str, port: int) -> tuple[str, ...]:
    """The name without its port, as browsers send it for the standard ports."""
    return (host,) if port in (80, 443) else ()


SHORTEST_TOKEN = 16


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """The settings of a server; `largest_upload` is in MB."""

    host: str = "127.0.0.1"
    port: int = 8484
    store: str | None = None
    files: Path | None = None
    token: str | None = None
    no_token: bool = False
    allowed_hosts: tuple[str, ...] = ()
    processes: int | None = None
    largest_upload: int = 2_000
    quiet: bool = False
    databases: tuple[str, ...] = ()
    memory: str | None = None
    idle_minutes: int = IDLE_MINUTES
    session_hours: int = LONGEST_HOURS
    trusted_proxies: tuple[str, ...] = ()
    proxy_user: str = ""

    def checked_token(self, *, accounts: bool = False) -> str | None:
        """The token of the server: given, made up, or None where people sign in with accounts or without anything."""
        if accounts and (self.token is not None or self.no_token):
            raise InputError("the store has accounts, with which people sign in: leave out --token and --no-token")
        if self.proxy_user and not accounts:
            raise InputError("--proxy-user needs accounts in the store: anonset accounts add NAME --role ROLE --no-password")
        if accounts:
            return None
        if self.token is not None and len(self.token) < SHORTEST_TOKEN:
            raise InputError(f"a token needs {SHORTEST_TOKEN} characters or more")
        if self.host not in LOCAL and self.token is None:
            raise InputError("an address that others reach needs --token, or accounts: anonset accounts add NAME --role ROLE")
        if self.no_token and (self.token is not None or self.host not in LOCAL):
            raise InputError("--no-token is for this machine's own address, and not beside --token")
        return None if self.no_token else self.token or token_urlsafe(24)

    def access(self, bench: Workbench, token: str | None, *, accounts: bool) -> Access:
        """The ways into a server with this token, or with accounts."""
        return Access(
            Sessions(bench.store, token or "", idle=self.idle_minutes * 60.0, longest=self.session_hours * 3600.0),
            token=token,
            guessable=self.token is not None,
            accounts=bench.accounts if accounts else None,
            proxies=TrustedProxies(self.trusted_proxies, self.proxy_user),
        )


def serve(settings: ServerSettings, *, say: Callable[[str], None], open_browser: bool = False) -> None:
    """Serve until the process is stopped; what it writes, only its user may open."""
    os.umask(0o077)
    store = settings.store or default_folder()
    accounts = _has_accounts(store, settings.files)
    token = settings.checked_token(accounts=accounts)
    TrustedProxies(settings.trusted_proxies, settings.proxy_user)  # which says what is wrong before anything starts
    more: dict[str, Any] = {} if settings.processes is None else {"processes": settings.processes}
    more |= {} if settings.memory is None else {"memory_mb": _megabytes(settings.memory)}
    limit, allowed = settings.largest_upload * 1_000_000, Allowed(settings.host in LOCAL, settings.databases)
    bench = Workbench(store, files=settings.files, largest_upload=limit, databases=allowed, **more)
    access = settings.access(bench, token, accounts=accounts)
    app = create_app(bench, access, hosts_of(settings.host, settings.port, settings.allowed_hosts))
    _log(quiet=settings.quiet)
    shown = f"[{settings.host}]" if ":" in settings.host else settings.host
    address = f"http://{shown}:{settings.port}"
    link = f"{address}/login?once={access.once}" if access.once else address
    config = uvicorn.Config(
        app,
        host=settings.host,
        port=settings.port,
        access_log=False,
        log_level="warning",
        server_header=False,
        proxy_headers=False,  # only TrustedProxies are believed, and only by Access
        timeout_graceful_shutdown=3,
        ws_max_size=1 << 20,
    )
    say(f"anonset is at {address}; stop it with Ctrl-C")
    if settings.token is None and token is not None:
        say(f"Open this link; it works once: {link}")
        say(f"Or sign in with: {token}")
    elif accounts:
        say("People sign in with their accounts: anonset accounts list")
    _handle_sigterm()
    bench.workers.warm_up()
    _tune_interpreter()
    if open_browser:
        webbrowser.open(link)
    try:
        uvicorn.Server(config).run()
    except KeyboardInterrupt:
        say("stopped")
    except SystemExit:
        raise InputError(f"nothing can listen at {address}; is it in use?") from None
    finally:
        bench.close()


def _has_accounts(place: Path | str, files: Path | None) -> bool:
    store = Store(place, files)
    try:
        return bool(Accounts(store).all())
    finally:
        store.close()


def _handle_sigterm() -> None:
    """Let SIGTERM end the server as Ctrl-C does: requests, then workers, then the store."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, signal.default_int_handler)


def _tune_interpreter() -> None:
    """Switch threads often, so that pages do not wait for each other, and exclude loaded modules from garbage collection."""
    sys.setswitchinterval(0.0005)
    gc.collect()
    gc.freeze()
    gc.set_threshold(2_000, 10, 10)


def _megabytes(memory: str) -> float:
    from anonset.tasks.inputs import parse_size  # which imports much

    return parse_size(memory) / (1 << 20)


def _log(*, quiet: bool) -> None:
    """Log a line for each request to standard error: method, path and status, no queries and no content."""
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s", "%H:%M:%S"))
    access = logging.getLogger("anonset.access")
    access.handlers = [handler]
    access.propagate = False
    access.setLevel(logging.WARNING if quiet else logging.INFO)
