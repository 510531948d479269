"""anonset algorithms: what there is, and the parameters each declares."""

from typing import Annotated, Any

import typer

from anonset.cli.options import OutputOptions, flags
from anonset.cli.output import print_json, print_table


@flags(showing=OutputOptions)
def run(
    id: Annotated[str | None, typer.Argument(help="One algorithm, in detail.")] = None,
    *,
    showing: OutputOptions,
) -> None:
    """List the algorithms: id, what it does, guarantee, paper, parameters."""
    from anonset.tasks import algorithms

    described = algorithms.run(id)
    if showing.json:
        print_json(described)
    elif id is None:
        print_table([[name, d["title"], d["guarantee"]] for name, d in described.items()], ("id", "what", "guarantee"))
    else:
        facts = described[id]
        print(f"{id}: {facts['title']}")
        print_table(
            [[fact, facts[fact]] for fact in ("guarantee", "paper")] + [["needs", ", ".join(facts["needs"]) or "nothing"]]
        )
        print()
        rows = [[p["name"], p["type"], _shown_default(p), p["help"]] for p in facts["parameters"]]
        print_table(rows, ("parameter", "type", "default", "meaning"))


def _shown_default(facts: dict[str, Any]) -> str:
    if facts["required"]:
        return "required"
    return "none" if facts["default"] is None else str(facts["default"])
