"""anonset hierarchy: build one for a column, look at one, check one."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from anonset.cli.options import Reading, Showing, flags
from anonset.cli.printing import print_json

if TYPE_CHECKING:
    from rich.tree import Tree

    from anonset.model.arrays import Rows
    from anonset.model.dataset import Dataset
    from anonset.model.hierarchy import Hierarchy

app = typer.Typer(no_args_is_help=True, help="Build, show and check hierarchies.")
Column = Annotated[str | None, typer.Option("--column", metavar="A", help="The column; the items, if none is given.")]


@app.command("build")
@flags(reading=Reading, showing=Showing)
def build_one(
    how: Annotated[str, typer.Argument(help="balanced:N frequency:N ranges:BINS[,N] quantiles:BINS[,N] prefixes:L1,L2 dates")],
    data: Annotated[Path, typer.Argument(help="The file whose values it is for.")],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="`leaf;level1;...;*` lines, or .json.")],
    column: Column = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace a file that is there already.")] = False,
    *,
    reading: Reading,
    showing: Showing,
) -> None:
    """Build a hierarchy over the values of a column, or over the items, of DATA."""
    from anonset.data import read, write_hierarchy
    from anonset.errors import InputError
    from anonset.model.builders import build

    if output.exists() and not overwrite:
        raise InputError("exists already; choose another name or pass --overwrite", file=output)
    domain, supports = _domain(read(data, schema=reading.given()), column)
    tree = build(how, domain, supports)
    write_hierarchy(tree, output)
    if showing.json:
        print_json({"output": output, "leaves": tree.n_leaves, "nodes": len(tree), "height": tree.height})
    else:
        print(f"{output}: {tree.n_leaves} leaves, {len(tree)} nodes, height {tree.height}")


@app.command("show")
@flags(showing=Showing)
def show_one(
    file: Annotated[Path, typer.Argument(help="A hierarchy file.")],
    depth: Annotated[int, typer.Option("--depth", min=1, help="Levels to show.")] = 3,
    width: Annotated[int, typer.Option("--width", min=1, help="Children to show of each node.")] = 10,
    *,
    showing: Showing,
) -> None:
    """Draw a hierarchy, no deeper and no wider than asked for."""
    from anonset.data import read_hierarchy

    tree = read_hierarchy(file)
    if showing.json:
        print_json({"leaves": tree.n_leaves, "nodes": len(tree), "height": tree.height, "root": tree.labels[tree.root]})
        return
    from rich.console import Console

    Console(highlight=False).print(_drawn(tree, tree.root, depth, width))


@app.command("check")
@flags(reading=Reading, showing=Showing)
def check_one(
    file: Annotated[Path, typer.Argument(help="A hierarchy file.")],
    data: Annotated[Path | None, typer.Option("--data", metavar="DATA", help="Also check that it covers these values.")] = None,
    column: Column = None,
    *,
    reading: Reading,
    showing: Showing,
) -> None:
    """Say what is wrong with a hierarchy, each complaint with its line; exit code 2 where something is."""
    from anonset.data import check_hierarchy, read
    from anonset.errors import InputError

    domain = None if data is None else _domain(read(data, schema=reading.given()), column)[0]
    complaints = check_hierarchy(file, domain)
    if showing.json:
        print_json({"complaints": complaints})
    else:
        for complaint in complaints or [f"{file}: nothing to complain about"]:
            print(complaint)
    if complaints:
        raise InputError(f"cannot be used: {len(complaints)} complaint{'s' if len(complaints) > 1 else ''}", file=file)


def _domain(dataset: "Dataset", column: str | None) -> tuple[tuple[str, ...], "Rows"]:
    """The values that occur in a column, or the items, and how often each does."""
    import numpy as np

    from anonset.errors import InputError

    if column is not None:
        source = dataset.column(column)
        supports = np.bincount(source.codes[source.codes >= 0], minlength=len(source.domain)).astype(np.int64)
        return source.domain, supports
    if dataset.transactions is None:
        raise InputError("the data have no set-valued attribute; name a --column")
    return dataset.transactions.domain, dataset.transactions.supports


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
