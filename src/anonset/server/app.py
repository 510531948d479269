"""Pages, API and guard as one application."""

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from importlib.util import find_spec
from typing import Any

from fastapi import FastAPI

from anonset.rest import create_api
from anonset.server.guard import Guard
from anonset.server.sessions import Sessions
from anonset.workbench import Workbench


def create_app(bench: Workbench, sessions: Sessions, hosts: Iterable[str]) -> Guard:
    """The whole server: the API at /api, the pages at / where they are installed, and the guard in front of both."""

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        bench.close()

    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None, lifespan=lifespan)
    app.mount("/api", create_api(bench))
    _attach_pages(app, bench)
    return Guard(app, sessions, hosts)


def _attach_pages(app: FastAPI, bench: Workbench) -> None:
    if find_spec("anonset.web") is None:

        @app.get("/")
        def index() -> dict[str, Any]:
            return {"api": "/api/openapi.json"}

        return
    from anonset.web import mount

    mount(app, bench)


def hosts_of(host: str, port: int, more: Iterable[str] = ()) -> tuple[str, ...]:
    """The names a server answers to: its address, this machine's own names where it listens there, and those allowed."""
    local = ("127.0.0.1", "localhost", "[::1]") if host in LOCAL or host in ("0.0.0.0", "::") else ()
    own = (f"[{host}]" if ":" in host else host,)
    names = [*own, *local, *more]
    return tuple(name for host in names for name in ({host} if _has_port(host) else {f"{host}:{port}", *_plain(host, port)}))


LOCAL = ("127.0.0.1", "localhost", "::1")


def _has_port(host: str) -> bool:
    return host.rpartition(":")[2].isdigit() and not host.endswith("]")


def _plain(host: str, port: int) -> tuple[str, ...]:
    """Behind a proxy or on the usual ports a name comes without its port."""
    return (host,) if port in (80, 443) else ()
