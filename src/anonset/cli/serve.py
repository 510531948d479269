"""anonset serve: the workbench in the browser, and its REST API."""

from pathlib import Path
from typing import Annotated

import typer


def run(
    host: Annotated[str, typer.Option("--host", help="The address to listen on; others than this machine's need --token.")] = (
        "127.0.0.1"
    ),
    port: Annotated[int, typer.Option("--port", min=1, max=65535, help="The port to listen on.")] = 8484,
    store: Annotated[
        str | None,
        typer.Option("--store", metavar="DIR|URL", help="Where projects are kept: a folder, or postgresql://... for teams."),
    ] = None,
    files: Annotated[
        Path | None, typer.Option("--files", metavar="DIR", help="The private folder of files beside a database.")
    ] = None,
    token: Annotated[
        str | None,
        typer.Option(
            "--token", envvar="ANONSET_TOKEN", help="What people sign in with, 16 characters or more; made up if not given."
        ),
    ] = None,
    no_token: Annotated[
        bool, typer.Option("--no-token", help="Let everybody on this machine in; only on this machine's own address.")
    ] = False,
    allowed_host: Annotated[
        list[str] | None,
        typer.Option("--allowed-host", metavar="NAME", help="Another name the server answers to, e.g. behind a proxy."),
    ] = None,
    processes: Annotated[
        int | None,
        typer.Option("--processes", min=1, help="Releases made at once; all cores but one, if none."),
    ] = None,
    largest_upload: Annotated[
        int, typer.Option("--largest-upload", metavar="MB", min=1, help="The largest file taken.")
    ] = 2_000,
    memory: Annotated[
        str | None,
        typer.Option("--memory", metavar="SIZE", help="The most memory one run may take, e.g. 2GB."),
    ] = None,
    allow_database: Annotated[
        list[str] | None,
        typer.Option(
            "--allow-database",
            metavar="URL",
            help="A database that tables may be read from and written to; on this machine's own address any PostgreSQL may.",
        ),
    ] = None,
    open_browser: Annotated[bool, typer.Option("--open/--no-open", help="Open the browser.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No line for each request.")] = False,
    traceback: Annotated[bool, typer.Option("--traceback", help="Show the whole traceback of an error.")] = False,
) -> None:
    """Open the workbench: a server on this machine for a browser, and for programs at /api."""
    from anonset.errors import InputError

    try:
        from anonset.server.app import Serving, serve
    except ModuleNotFoundError as error:
        raise InputError(f"the workbench needs the extra: pip install 'anonset[web]' ({error.name} is missing)") from None

    given = (host, port, store, files, token, no_token, tuple(allowed_host or ()), processes, largest_upload, quiet)
    serve(Serving(*given, tuple(allow_database or ()), memory), say=print, open_browser=open_browser)
