"""anonset hierarchy: build one for a column, look at one, check one."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from anonset.cli.options import OutputOptions, Reading, flags
from anonset.cli.output import print_json

if TYPE_CHECKING:
    from rich.tree import Tree

    from anonset.model.hierarchy import Hierarchy

app = typer.Typer(no_args_is_help=True, help="Build, show and check hierarchies.")
Column = Annotated[str | None, typer.Option("--column", metavar="A", help="The column; the items, if none is given.")]


HOW = "balanced:N[,order=support|id|random] learned[:N] frequency:N ranges:BINS[,N] quantiles:BINS[,N] prefixes:L1,L2 dates"


@app.command("build")
@flags(reading=Reading, showing=OutputOptions)
def build_one(
    how: Annotated[str, typer.Argument(help=HOW)],
    data: Annotated[str, typer.Argument(help="The file whose values it is for.")],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="`leaf;level1;...;*` lines, or .json.")],
    column: Column = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace a file that is there already.")] = False,
    *,
    reading: Reading,
    showing: OutputOptions,
) -> None:
    """Build a hierarchy over the values of a column, or over the items, of DATA."""
    from anonset.tasks.hierarchy import BuildRequest, run_build

    tree = run_build(BuildRequest(how, reading.of(data), output, column, overwrite))
    if showing.json:
        print_json({"output": output, "leaves": tree.n_leaves, "nodes": len(tree), "height": tree.height})
    else:
        print(f"{output}: {tree.n_leaves} leaves, {len(tree)} nodes, height {tree.height}")


@app.command("show")
@flags(showing=OutputOptions)
def show_one(
    file: Annotated[Path, typer.Argument(help="A hierarchy file.")],
    depth: Annotated[int, typer.Option("--depth", min=1, help="Levels to show.")] = 3,
    width: Annotated[int, typer.Option("--width", min=1, help="Children to show of each node.")] = 10,
    *,
    showing: OutputOptions,
) -> None:
    """Draw a hierarchy, no deeper and no wider than asked for."""
    from anonset.tasks.hierarchy import run_show

    tree = run_show(file)
    if showing.json:
        print_json({"leaves": tree.n_leaves, "nodes": len(tree), "height": tree.height, "root": tree.labels[tree.root]})
        return
    from rich.console import Console

    Console(highlight=False).print(_drawn(tree, tree.root, depth, width))


@app.command("check")
@flags(reading=Reading, showing=OutputOptions)
def check_one(
    file: Annotated[Path, typer.Argument(help="A hierarchy file.")],
    data: Annotated[str | None, typer.Option("--data", metavar="DATA", help="Also check that it covers these values.")] = None,
    column: Column = None,
    *,
    reading: Reading,
    showing: OutputOptions,
) -> None:
    """Say what is wrong with a hierarchy, each complaint with its line; exit code 2 where something is."""
    from anonset.errors import InputError
    from anonset.tasks.hierarchy import HierarchyCheckRequest, run_check

    complaints = run_check(HierarchyCheckRequest(file, None if data is None else reading.of(data), column))
    if showing.json:
        print_json({"complaints": complaints})
        raise typer.Exit(InputError.exit_code if complaints else 0)
    for complaint in complaints or [f"{file}: nothing to complain about"]:
        print(complaint)
    if complaints:
        raise InputError(f"cannot be used: {len(complaints)} complaint{'s' if len(complaints) > 1 else ''}", file=file)


def _drawn(tree: "Hierarchy", node: int, depth: int, width: int) -> "Tree":
    from rich.markup import escape
    from rich.tree import Tree

    size = int(tree.sizes[node])
    drawn = Tree(escape(tree.labels[node]) + (f" [dim]({size})[/dim]" if node >= tree.n_leaves else ""))
    children = tree.children(node) if node >= tree.n_leaves and depth > 0 else []
    for child in children[:width]:
        drawn.add(_drawn(tree, child, depth - 1, width))
    if len(children) > width:
        drawn.add(f"[dim]... {len(children) - width} more[/dim]")
    return drawn
