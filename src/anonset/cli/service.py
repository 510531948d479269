"""Other commands: list algorithms, run the demo, serve the workbench, compile kernels, complete shell lines."""

import shlex
import shutil
import sys
from pathlib import Path
from typing import Any

import click

from anonset.cli.app import command
from anonset.cli.errors import PROGRAM
from anonset.cli.options import PATH, OutputOptions, option
from anonset.cli.output import print_json, print_table, progress
from anonset.errors import InputError, ParameterError, unknown

SHELLS = ("bash", "zsh", "fish")
PLAN = """\
measures = ["ncp", "ncp-items", "are", "risk"]

[[data]]
path = "sample/patients.csv"
schema = "sample/schema.toml"

[workload]
kind = "random"
n = 200

[[run]]
algorithm = "rmerge-r"
k = [2, 5, 10, 20]
delta = 0.4
items = "pcta"
seed = 1

[[run]]
algorithm = "rmerge-rt"
k = [2, 5, 10, 20]
delta = 0.4
items = "pcta"
seed = 1

[[run]]
algorithm = "rt-search"
k = [2, 5, 10, 20]
seconds = 3
seed = 1
"""


@command("List the algorithms and their parameters.", show=OutputOptions)
@click.argument("id", required=False, help="One algorithm, in detail.")
def algorithms(id: str | None, show: OutputOptions) -> None:
    """List the algorithms: id, what it does, guarantee, paper, parameters."""
    from anonset.tasks.algorithms import run as run_task

    described = run_task(id)
    if show.json:
        print_json(described)
    elif id is None:
        rows = [[name, d["title"], d["guarantee"], d["inversion"]] for name, d in described.items()]
        print_table(rows, ("id", "what", "guarantee", "who knows the algorithm finds fewer than k"))
    else:
        facts = described[id]
        print(f"{id}: {facts['title']}")
        needs = ["needs", ", ".join(facts["needs"]) or "nothing"]
        inversion = ["who knows the algorithm finds fewer than k", facts["inversion"]]
        print_table([*([fact, facts[fact]] for fact in ("guarantee", "paper")), needs, inversion])
        print()
        rows = [[p["name"], p["type"], _default(p), p["help"]] for p in facts["parameters"]]
        print_table(rows, ("parameter", "type", "default", "meaning"))


def _default(parameter: dict[str, Any]) -> str:
    """Return the default of a parameter as a text."""
    if parameter["required"]:
        return "required"
    return "none" if parameter["default"] is None else str(parameter["default"])


@command("Run the main commands on made-up data.")
@click.argument("folder", type=PATH, metavar="[DIR]", default="demo", help="The folder to write; replaced if it is a demo.")
def demo(folder: Path) -> None:
    """Make a sample, profile, anonymize, verify, measure, attack and compare it; print where the results are."""
    plan, sample = folder / "plan.toml", folder / "sample"
    if folder.exists() and any(folder.iterdir()) and not (plan.exists() and sample.is_dir()):
        raise InputError("is not empty, and not a demo: choose another folder", file=folder)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    plan.write_text(PLAN, encoding="utf-8", newline="\n")
    out = str(folder / "release")
    data, schema = str(sample / "patients.csv"), ["--schema", str(sample / "schema.toml")]
    for words in (
        ["sample", str(sample)],
        ["profile", data, *schema],
        ["anonymize", data, *schema, "-k", "5", "-m", "2", "-o", out],
        ["verify", out, "--original", data],
        ["measure", out, "--original", data],
        ["attack", out, "--original", data, "--attackers", "200"],
        ["compare", str(plan), "-o", str(folder / "study")],
        ["report", out, "--original", data, "--study", str(folder / "study"), "--attackers", "200"],
    ):
        _run_and_show(words)
    print("\nThe results:")
    for path, what in (
        (folder / "release" / "published", "the files to publish"),
        (folder / "release" / "report.html", "the report of the release, for the data owner"),
        (folder / "study" / "report.html", "three algorithms compared"),
        (folder / "study" / "ru_map.svg", "the map of risk against utility"),
    ):
        if path.exists():
            print(f"  {path}  {what}")


def _run_and_show(words: list[str]) -> None:
    """Run one command as a user would, and exit with its code if it fails."""
    from anonset.cli import main

    print(f"\n$ {PROGRAM} {shlex.join(words)}", flush=True)
    code = main(words)
    sys.stdout.flush()
    if code:
        raise click.exceptions.Exit(code)


@command("Open the workbench in the browser, with its REST API.")
@option("--host", default="127.0.0.1", help="The address to listen on; any but this machine's own needs --token.")
@option("--port", type=click.IntRange(min=1, max=65535), default=8484, help="The port to listen on.")
@option("--store", metavar="DIR|URL", help="Where projects are stored: a folder, or postgresql://... for teams.")
@option("--files", type=PATH, metavar="DIR", help="The private folder for files when the store is a database.")
@option("--token", envvar="ANONSET_TOKEN", help="What people sign in with, 16 characters or more; made up if not given.")
@option("--no-token", is_flag=True, help="Let everybody on this machine in; only on this machine's own address.")
@option(
    "--allowed-host",
    "allowed_hosts",
    multiple=True,
    metavar="NAME",
    help="Another name the server answers to, e.g. behind a proxy.",
)
@option("--processes", type=click.IntRange(min=1), help="Releases made at the same time; all cores but one if not given.")
@option("--largest-upload", type=click.IntRange(min=1), metavar="MB", default=2_000, help="The largest file accepted.")
@option("--memory", metavar="SIZE", help="The most memory one run may use, e.g. 2GB.")
@option(
    "--allow-database",
    "databases",
    multiple=True,
    metavar="URL",
    help="A database that tables may be read from and written to; on this machine's own address any PostgreSQL may.",
)
@option("--idle-minutes", type=click.IntRange(min=1), default=120, help="A session that nobody uses ends after this time.")
@option("--session-hours", type=click.IntRange(min=1), default=12, help="Every session ends after this time.")
@option(
    "--trusted-proxy",
    "trusted_proxies",
    multiple=True,
    metavar="ADDRESS",
    help="A proxy, or a network of proxies, whose X-Forwarded-For tells where requests come from.",
)
@option(
    "--proxy-user",
    metavar="HEADER",
    default="",
    help="The header in which a trusted proxy names the account of the person, e.g. X-Forwarded-User.",
)
@option("--open/--no-open", "open_browser", default=False, help="Open the browser.")
@option("--quiet", "-q", is_flag=True, help="Do not print a line for each request.")
@option("--traceback", is_flag=True, help="Show the whole traceback of an error.")
def serve(open_browser: bool, traceback: bool, **settings: Any) -> None:
    """Open the workbench: a server on this machine for a browser, and for programs at /api."""
    try:
        from anonset.server.app import ServerSettings
        from anonset.server.app import serve as run_server
    except ModuleNotFoundError as error:
        raise InputError(f"the workbench needs the extra: pip install 'anonset[web]' ({error.name} is missing)") from None

    run_server(ServerSettings(**settings), say=print, open_browser=open_browser)


@command("Compile all kernels now instead of when they are first used.", show=OutputOptions)
def warm(show: OutputOptions) -> None:
    """Compile every kernel, which otherwise happens when it is first used: for images, and after an installation."""
    from dataclasses import asdict

    from anonset.tasks.warm import run as run_task

    with progress(quiet=show.quiet) as phases:
        done = run_task(phases)
    if show.json:
        print_json(asdict(done))
    else:
        print(f"{len(done.algorithms)} algorithms are ready after {done.seconds:.0f} s; compiled kernels are in {done.folder}")


@command("Print a script that makes a shell complete commands and options.")
@click.argument("shell", help=f"{', '.join(SHELLS[:-1])} or {SHELLS[-1]}.")
def completion(shell: str) -> None:
    """Print what makes a shell complete commands and options, e.g. for ~/.bashrc: eval "$(anonset completion bash)"."""
    from click.shell_completion import get_completion_class

    from anonset.cli import COMPLETION
    from anonset.cli.app import program

    if shell not in SHELLS:
        raise ParameterError(unknown("shell", shell, SHELLS))
    kind = get_completion_class(shell)
    assert kind is not None
    print(kind(program, {}, PROGRAM, COMPLETION).source())
