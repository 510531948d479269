"""anonset policy: make privacy and utility constraints for a file, and check them against it."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from anonset.cli.options import Reading, Showing, flags
from anonset.cli.printing import print_json

if TYPE_CHECKING:
    from anonset.model.dataset import Dataset
    from anonset.model.policy import PrivacyPolicy, UtilityPolicy

app = typer.Typer(no_args_is_help=True, help="Make and check privacy and utility constraints.")


@app.command("make")
@flags(reading=Reading, showing=Showing)
def make_one(
    data: Annotated[Path, typer.Argument(help="The file whose items they are about.")],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="Ends in .toml, .json or .csv.")],
    privacy: Annotated[
        str | None, typer.Option("--privacy", metavar="WHICH", help="all:M, transactions, pairs:SHARE, or PR1 to PR9.")
    ] = None,
    utility: Annotated[
        str | None, typer.Option("--utility", metavar="WHICH", help="level:N, neighbours:N, or UR1 to UR5.")
    ] = None,
    suppression: Annotated[
        float, typer.Option("--suppression", metavar="X", min=0, max=1, help="Share of the items that may be suppressed.")
    ] = 0.0,
    seed: Annotated[int, typer.Option("--seed", metavar="N", min=0, help="Of what is drawn: pairs and PR1 to PR9.")] = 0,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace a file that is there already.")] = False,
    *,
    reading: Reading,
    showing: Showing,
) -> None:
    """Write privacy constraints, utility constraints, or both, for the items of DATA."""
    from anonset.data import read
    from anonset.data.policies import write_policies
    from anonset.errors import InputError, ParameterError

    if privacy is None and utility is None:
        raise ParameterError("nothing is asked for; pass --privacy or --utility")
    if utility is None and suppression:
        raise ParameterError("--suppression needs --utility beside it")
    if output.exists() and not overwrite:
        raise InputError("exists already; choose another name or pass --overwrite", file=output)
    dataset = read(data, schema=reading.given())
    if dataset.transactions is None:
        raise InputError("the data have no set-valued attribute, so there is nothing to constrain", file=data)
    wished = None if privacy is None else _privacy(dataset, privacy, seed)
    allowed = None if utility is None else _utility(dataset, utility, suppression)
    write_policies(output, wished, allowed)
    n = len(getattr(wished, "itemsets", ()))
    groups = 0 if allowed is None else len(allowed.groups)
    if showing.json:
        print_json({"output": output, "itemsets": n, "groups": groups})
    else:
        print(f"{output}: {n} itemsets listed, {groups} utility constraints")


@app.command("check")
@flags(reading=Reading, showing=Showing)
def check_one(
    file: Annotated[Path, typer.Argument(help="A policy file: .toml or .json.")],
    data: Annotated[Path, typer.Argument(help="The file it is for.")],
    k: Annotated[int, typer.Option("-k", min=1, metavar="N", help="Records no attacker can tell apart.")] = 5,
    m: Annotated[int, typer.Option("-m", min=1, metavar="N", help="Items an attacker may know, if it does not say.")] = 2,
    *,
    reading: Reading,
    showing: Showing,
) -> None:
    """Say what is wrong with a policy on DATA and which constraints are open; exit code 2 for errors, 4 if it cannot be met."""
    from anonset.algorithms.constraints.lint import lint
    from anonset.data import read, read_policies
    from anonset.errors import InfeasibleError, InputError
    from anonset.model.policy import AllItemsets

    policies = read_policies(file)
    dataset = read(data, schema=reading.given())
    if dataset.transactions is None:
        raise InputError("the data have no set-valued attribute, so there is nothing to constrain", file=data)
    remarks = lint(dataset, policies.privacy or AllItemsets(m), policies.utility, k)
    if showing.json:
        print_json({"remarks": [{"level": remark.level, "text": remark.text} for remark in remarks]})
    else:
        for remark in remarks:
            print(f"{remark.level}: {remark.text}")
    if any(remark.level == "error" for remark in remarks):
        raise InputError("cannot be used on these data", file=file)
    if any(remark.level == "infeasible" for remark in remarks):
        raise InfeasibleError(f"{file}: cannot be met on these data for k={k}")


def _privacy(dataset: "Dataset", which: str, seed: int) -> "PrivacyPolicy":
    from anonset.model.policy import AllItemsets, WholeTransactions
    from anonset.model.policy_generators import pairs_of_some_items, privacy_set

    match which.split(":"):
        case ["transactions"]:
            return WholeTransactions()
        case ["all", size]:
            return AllItemsets(int(_number(size, "all:M")))
        case ["pairs", share]:
            return pairs_of_some_items(dataset, _number(share, "pairs:SHARE"), seed=seed)
        case _:
            return privacy_set(dataset, which, seed=seed)


def _utility(dataset: "Dataset", which: str, suppression: float) -> "UtilityPolicy":
    from anonset.errors import InputError
    from anonset.model.policy_generators import groups_at_level, neighbours, utility_set

    match which.split(":"):
        case ["level", level]:
            if dataset.item_hierarchy is None:
                raise InputError("level:N needs a hierarchy of the items; pass --hierarchy")
            return groups_at_level(dataset.item_hierarchy, int(_number(level, "level:N")), suppression=suppression)
        case ["neighbours", size]:
            return neighbours(dataset, int(_number(size, "neighbours:N")), suppression=suppression)
        case _:
            return utility_set(dataset, which, suppression=suppression)


def _number(text: str, form: str) -> float:
    """The number in a text like all:2."""
    from anonset.errors import ParameterError

    whole = not form.endswith("SHARE")
    try:
        value = int(text) if whole else float(text)
    except ValueError:
        value = -1
    if value < 0 or (not whole and not value <= 1):
        raise ParameterError(f"{form} needs {'a whole number from 0' if whole else 'a share from 0 to 1'}; got {text!r}")
    return value
