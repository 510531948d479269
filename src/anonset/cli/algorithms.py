"""anonset algorithms: what there is, and the parameters each declares."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from anonset.cli.options import Showing, flags
from anonset.cli.printing import print_json, print_table

if TYPE_CHECKING:
    from anonset.model.parameters import Parameter


@flags(showing=Showing)
def run(
    id: Annotated[str | None, typer.Argument(help="One algorithm, in detail.")] = None,
    *,
    showing: Showing,
) -> None:
    """List the algorithms: id, what it does, guarantee, paper, parameters."""
    from anonset.algorithms import ALGORITHMS
    from anonset.errors import ParameterError

    if id is not None and id not in ALGORITHMS:
        raise ParameterError(f"no algorithm {id!r}; choose from {', '.join(ALGORITHMS)}")
    described = {name: describe(name) for name in ([id] if id is not None else ALGORITHMS)}
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


def describe(id: str) -> dict[str, Any]:
    """What an algorithm declares about itself."""
    from anonset.algorithms import ALGORITHMS
    from anonset.model.parameters import parameters

    algorithm = ALGORITHMS[id]
    return {
        "title": algorithm.title,
        "guarantee": algorithm.guarantee,
        "paper": algorithm.paper,
        "needs": sorted(algorithm.needs),
        "randomized": algorithm.randomized,
        "parameters": [_parameter(p) for p in parameters(algorithm)],
    }


def _parameter(p: "Parameter") -> dict[str, Any]:
    kind = "|".join(p.choices) or {int: "integer", float: "number", bool: "true|false", str: "text"}.get(p.kind, "policy")
    if p.bounds is not None:
        kind += f" {p.bounds.low:g}..{p.bounds.high:g}"
    facts: dict[str, Any] = {"name": p.name, "type": kind, "required": p.required, "help": p.help}
    return facts if p.required else facts | {"default": p.default}


def _shown_default(facts: dict[str, Any]) -> str:
    if facts["required"]:
        return "required"
    return "none" if facts["default"] is None else str(facts["default"])
