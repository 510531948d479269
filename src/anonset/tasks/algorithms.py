"""What algorithms there are, and what each declares."""

from typing import Any

from anonset.algorithms import ALGORITHMS
from anonset.errors import ParameterError, unknown
from anonset.model.parameters import Parameter, parameters


def run(id: str | None = None) -> dict[str, dict[str, Any]]:
    """What every algorithm, or the one of that id, declares about itself."""
    if id is not None and id not in ALGORITHMS:
        raise ParameterError(unknown("algorithm", id, ALGORITHMS))
    return {name: _described(name) for name in ([id] if id is not None else ALGORITHMS)}


def _described(id: str) -> dict[str, Any]:
    algorithm = ALGORITHMS[id]
    return {
        "title": algorithm.title,
        "guarantee": algorithm.guarantee,
        "covers": sorted(algorithm.covers),
        "paper": algorithm.paper,
        "needs": sorted(algorithm.needs),
        "randomized": algorithm.randomized,
        "parameters": [_parameter(p) for p in parameters(algorithm)],
    }


def _parameter(p: Parameter) -> dict[str, Any]:
    kind = "|".join(p.choices) or {int: "integer", float: "number", bool: "true|false", str: "text"}.get(p.kind, "policy")
    if p.bounds is not None:
        kind += f" {p.bounds.low:g}..{p.bounds.high:g}"
    facts: dict[str, Any] = {"name": p.name, "type": kind, "required": p.required, "help": p.help}
    return facts if p.required else facts | {"default": p.default}
