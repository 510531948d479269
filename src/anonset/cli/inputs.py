"""Commands that prepare a release: profile the data, build hierarchies, make policies, write sample data."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from anonset.cli.app import CommandGroup, command
from anonset.cli.errors import with_flags
from anonset.cli.options import DATA, PATH, SOURCE, InputOptions, OutputOptions, option
from anonset.cli.output import print_json, print_table, progress
from anonset.errors import InfeasibleError, InputError, without_password

if TYPE_CHECKING:
    from rich.tree import Tree

    from anonset.model.hierarchy import Hierarchy
    from anonset.tasks.profile import Profile

FACTS = ("role", "kind", "values", "missing")
BUILDERS = (
    "balanced:N[,order=support|id|random] learned[:N] frequency:N ranges:BINS[,N] quantiles:BINS[,N] prefixes:L1,L2 dates"
)
overwrite_option = option("--overwrite", is_flag=True, help="Replace a file that exists already.")
column_option = option("--column", metavar="A", help="The column; the items if not given.")


@command("Show columns, roles and how identifying a file is.", inputs=InputOptions, show=OutputOptions)
@click.argument("data", type=SOURCE, help=DATA)
def profile(data: str, inputs: InputOptions, show: OutputOptions) -> None:
    """Show the columns of DATA with their roles, what is odd about them, and how many people are unique in the data."""
    from anonset.tasks.profile import run as run_task

    with progress(quiet=show.quiet) as phases:
        result = run_task(inputs.of(data), phases)
    if show.json:
        print_json(result)
    else:
        _print_profile(data, result)


def _print_profile(data: str, found: "Profile") -> None:
    from anonset.tasks.profile import commonest_line, items_line, rate_text, spread

    print(f"{without_password(data)}: {found.records} records")
    if found.gathered:
        print(found.gathered)
    if found.columns:
        rows = [[str(c.get(name, "")) for name in ("name", *FACTS, "reason")] for c in found.columns]
        print()
        print_table(rows, ("column", *FACTS, "why"))
        seen = [[c["name"], str(found.identifying.get(c["name"], "")), *spread(c)] for c in found.columns if "values" in c]
        if seen:
            print()
            print_table(seen, ("column", "unique because of it", "looks like", "spread"))
    if found.items is not None:
        print(f"\n{items_line(found.items)}")
        print(f"commonest: {commonest_line(found.items['commonest'])}")
    print("\nRecords that are unique to somebody who knows")
    print_table([[f"  {text}", rate_text(rate)] for text, rate in found.unique_to()])
    if found.unique.sampled is not None:
        print(f"  (items: of {found.unique.sampled} records drawn at random, with 95 % intervals)")
    for title, lines in (("To look at", found.suspicions), ("Advice", found.advice)):
        if lines:
            print(f"\n{title}")
            print_table([[f"  {with_flags(text)}"] for text in lines])


@command("Build a hierarchy for a column or the items.", inputs=InputOptions, show=OutputOptions)
@click.argument("how", help=BUILDERS)
@click.argument("data", type=SOURCE, help="The file whose values it is for.")
@option("--output", "-o", required=True, type=PATH, metavar="FILE", help="`leaf;level1;...;*` lines, or .json.")
@column_option
@overwrite_option
def build_hierarchy(
    how: str, data: str, output: Path, column: str | None, overwrite: bool, inputs: InputOptions, show: OutputOptions
) -> None:
    """Build a hierarchy over the values of a column, or over the items, of DATA."""
    from anonset.tasks.hierarchy import BuildRequest, run_build

    tree = run_build(BuildRequest(how, inputs.of(data), output, column, overwrite))
    if show.json:
        print_json({"output": output, "leaves": tree.n_leaves, "nodes": len(tree), "height": tree.height})
    else:
        print(f"{output}: {tree.n_leaves} leaves, {len(tree)} nodes, height {tree.height}")


@command("Draw a hierarchy.", show=OutputOptions)
@click.argument("file", type=PATH, help="A hierarchy file.")
@option("--depth", type=click.IntRange(min=1), default=3, help="Levels to show.")
@option("--width", type=click.IntRange(min=1), default=10, help="Children to show of each node.")
def show_hierarchy(file: Path, depth: int, width: int, show: OutputOptions) -> None:
    """Draw a hierarchy, down to a depth and up to a width."""
    from anonset.tasks.hierarchy import run_show

    tree = run_show(file)
    if show.json:
        print_json({"leaves": tree.n_leaves, "nodes": len(tree), "height": tree.height, "root": tree.labels[tree.root]})
        return
    from rich.console import Console

    Console(highlight=False).print(_drawing(tree, tree.root, depth, width))


def _drawing(tree: "Hierarchy", node: int, depth: int, width: int) -> "Tree":
    """Return the part of the hierarchy below a node, as Rich draws it."""
    from rich.markup import escape
    from rich.tree import Tree

    size = int(tree.sizes[node])
    drawing = Tree(escape(tree.labels[node]) + (f" [dim]({size})[/dim]" if node >= tree.n_leaves else ""))
    children = tree.children(node) if node >= tree.n_leaves and depth > 0 else []
    for child in children[:width]:
        drawing.add(_drawing(tree, child, depth - 1, width))
    if len(children) > width:
        drawing.add(f"[dim]... {len(children) - width} more[/dim]")
    return drawing


@command("Check a hierarchy.", inputs=InputOptions, show=OutputOptions)
@click.argument("file", type=PATH, help="A hierarchy file.")
@option("--data", type=SOURCE, metavar="DATA", help="Also check that it covers these values.")
@column_option
def check_hierarchy(file: Path, data: str | None, column: str | None, inputs: InputOptions, show: OutputOptions) -> None:
    """Print what is wrong with a hierarchy, each complaint with its line; exit code 2 where there is one."""
    from anonset.tasks.hierarchy import HierarchyCheckRequest, run_check

    complaints = run_check(HierarchyCheckRequest(file, None if data is None else inputs.of(data), column))
    if show.json:
        print_json({"complaints": complaints})
        raise click.exceptions.Exit(InputError.exit_code if complaints else 0)
    for complaint in complaints or [f"{file}: no problem found"]:
        print(complaint)
    if complaints:
        raise InputError(f"cannot be used: {len(complaints)} complaint{'s' if len(complaints) > 1 else ''}", file=file)


@command("Make privacy and utility constraints.", inputs=InputOptions, show=OutputOptions)
@click.argument("data", type=SOURCE, help="The file whose items they are about.")
@option("--output", "-o", required=True, type=PATH, metavar="FILE", help="A file that ends in .toml, .json or .csv.")
@option("--privacy", metavar="WHICH", help="all:M, transactions, pairs:SHARE, or PR1 to PR9.")
@option("--utility", metavar="WHICH", help="level:N, neighbours:N, or UR1 to UR5.")
@option(
    "--suppression",
    type=click.FloatRange(min=0, max=1),
    metavar="X",
    default=0.0,
    help="Share of the items that may be suppressed.",
)
@option("--seed", type=click.IntRange(min=0), metavar="N", default=0, help="For what is drawn: pairs and PR1 to PR9.")
@overwrite_option
def make_policy(
    data: str,
    output: Path,
    privacy: str | None,
    utility: str | None,
    suppression: float,
    seed: int,
    overwrite: bool,
    inputs: InputOptions,
    show: OutputOptions,
) -> None:
    """Write privacy constraints, utility constraints, or both, for the items of DATA."""
    from anonset.tasks.policy import MakeRequest, run_make

    policies = run_make(MakeRequest(inputs.of(data), output, privacy, utility, suppression, seed, overwrite))
    n = len(getattr(policies.privacy, "itemsets", ()))
    groups = 0 if policies.utility is None else len(policies.utility.groups)
    if show.json:
        print_json({"output": output, "itemsets": n, "groups": groups})
    else:
        print(f"{output}: {n} itemsets listed, {groups} utility constraints")


@command("Check constraints against the data.", inputs=InputOptions, show=OutputOptions)
@click.argument("file", type=PATH, help="A policy file: .toml or .json.")
@click.argument("data", type=SOURCE, help="The file it is for.")
@option("-k", type=click.IntRange(min=1), metavar="N", default=5, help="Records no attacker can tell apart.")
@option(
    "-m", type=click.IntRange(min=1), metavar="N", default=2, help="Items an attacker may know, if the policy does not say."
)
def check_policy(file: Path, data: str, k: int, m: int, inputs: InputOptions, show: OutputOptions) -> None:
    """Print what is wrong with a policy on DATA and which constraints are open; exit code 2 for errors, 4 if infeasible."""
    from anonset.tasks.policy import PolicyCheckRequest, run_check

    remarks = run_check(PolicyCheckRequest(file, inputs.of(data), k, m))
    if show.json:
        print_json({"remarks": [{"level": remark.level, "text": remark.text} for remark in remarks]})
    else:
        for remark in remarks:
            print(f"{remark.level}: {with_flags(remark.text)}")
    if any(remark.level == "error" for remark in remarks):
        raise InputError("cannot be used on these data", file=file)
    if any(remark.level == "infeasible" for remark in remarks):
        raise InfeasibleError(f"{file}: cannot be met on these data for k={k}")


@command("Write a made-up dataset to try things on.")
@click.argument(
    "folder",
    type=PATH,
    metavar="[DIR]",
    default="sample",
    help="The folder for patients.csv, schema.toml, hierarchies/ and sensitive.txt.",
)
@option("--records", type=click.IntRange(min=1), default=2000, help="Number of patients.")
@option("--seed", type=int, default=2026, help="Another seed makes other patients.")
def sample(folder: Path, records: int, seed: int) -> None:
    """Write made-up patients with demographics and diagnoses, and the taxonomies over them."""
    from anonset.samples import write_sample

    try:
        path = write_sample(folder, records, seed)
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror}", file=folder) from None
    print(path)


hierarchy = CommandGroup(
    "hierarchy",
    commands={"build": build_hierarchy, "show": show_hierarchy, "check": check_hierarchy},
    no_args_is_help=True,
    help="Build, show and check hierarchies.",
)
policy = CommandGroup(
    "policy",
    commands={"make": make_policy, "check": check_policy},
    no_args_is_help=True,
    help="Make and check privacy and utility constraints.",
)
