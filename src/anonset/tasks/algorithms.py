"""Describe the algorithms, and choose the one to run: the requested one with its parameters, or the one that fits the data."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from anonset.algorithms import ALGORITHMS, RECOMMENDED, make
from anonset.algorithms.base import Algorithm
from anonset.data.policies import read_named, read_policies
from anonset.errors import Fix, InputError, ParameterError, Set
from anonset.model.dataset import Dataset
from anonset.model.parameters import Parameter, parameters
from anonset.model.policy import PrivacyPolicy, UtilityPolicy
from anonset.model.schema import NO_ROLE, VARIES
from anonset.releases.gates import require_k


def run(id: str | None = None) -> dict[str, dict[str, Any]]:
    """Return the declarations of every algorithm, or of the one with that id."""
    if id is not None:
        return {id: _described(ALGORITHMS.find(id))}
    return {name: _described(algorithm) for name, algorithm in ALGORITHMS.items()}


def _described(algorithm: type[Algorithm]) -> dict[str, Any]:
    return {
        "title": algorithm.title,
        "guarantee": algorithm.guarantee,
        "covers": sorted(algorithm.covers),
        "paper": algorithm.paper,
        "needs": sorted(algorithm.needs),
        "randomized": algorithm.randomized,
        "inversion": algorithm.inversion,
        "parameters": [_parameter(p) for p in parameters(algorithm)],
    }


def _parameter(p: Parameter) -> dict[str, Any]:
    kind = "|".join(p.choices) or {int: "integer", float: "number", bool: "true|false", str: "text"}.get(p.kind, "policy")
    if p.bounds is not None:
        kind += f" {p.bounds.low:g}..{p.bounds.high:g}"
    facts: dict[str, Any] = {"name": p.name, "type": kind, "required": p.required, "help": p.help}
    return facts if p.required else facts | {"default": p.default}


USUAL_K = 5  # a risk of at most 0.2, the usual limit in biomedical data sharing ([001] section 4)


@dataclass(frozen=True, slots=True)
class AlgorithmChoice:
    """An algorithm by id, or None for the one that fits the data; its parameters as typed; and a file of policies for it."""

    algorithm: str | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    policy: Path | None = None

    def check(self) -> None:
        """Raise for a wrong request before any data are read; k = 1 is only for releases that stay in memory."""
        require_k(self.algorithm or "", self.parameters)
        if self.algorithm is not None:
            self.made(self.algorithm)

    def made(self, id: str, defaults: Mapping[str, Any] | None = None) -> Algorithm:
        """Return the algorithm of that id with the requested parameters and policies."""
        values = {**(defaults or {}), **self.parameters}
        if id in ALGORITHMS:
            values |= read_named(ALGORITHMS[id], values, Path())
            values |= self._policies(id, values)
        return make(id, values)

    def _policies(self, id: str, values: Mapping[str, Any]) -> dict[str, Any]:
        if self.policy is None:
            return {}
        policies = read_policies(self.policy)
        found: dict[str, Any] = {}
        for kind, policy in (PrivacyPolicy, policies.privacy), (UtilityPolicy, policies.utility):
            names = [p.name for p in parameters(ALGORITHMS[id]) if p.kind == kind]
            if policy is not None and not names:
                raise ParameterError(f"{id} takes no {'utility' if kind is UtilityPolicy else 'privacy'} policy")
            found |= {name: policy for name in names if policy is not None and name not in values}
        return found


def require_typed(algorithm: str | None, values: Mapping[str, Any]) -> None:
    """Raise where a number that Python hands over is a text: only what a person typed is converted."""
    known = list(ALGORITHMS.values()) if algorithm is None else [ALGORITHMS.find(algorithm)]
    for name, value in values.items():
        kinds = {p.kind for kind in known for p in parameters(kind) if p.name == name}
        if isinstance(value, str) and kinds and kinds <= {int, float} and value[:1].isdigit():
            raise ParameterError(f"{name} must be a number; got the text {value!r}")


@dataclass(frozen=True, slots=True)
class Choice:
    """An algorithm that is ready to run; `why` is the reason if it was not requested by name."""

    algorithm: Algorithm
    why: str = ""


def choose(data: Dataset, request: AlgorithmChoice) -> Choice:
    """Return the requested algorithm, or the recommended one for this kind of data."""
    if request.algorithm is not None:
        return Choice(request.made(request.algorithm))
    id, defaults, why = _fitting(data, request)
    declared = {p.name for p in parameters(ALGORITHMS[id])}
    if "seed" not in declared:  # it gives the same release with any seed
        request = replace(request, parameters={name: value for name, value in request.parameters.items() if name != "seed"})
    if "k" not in request.parameters and "k" in declared:
        defaults = defaults | {"k": USUAL_K}
    odd = next((name for name in request.parameters if name not in declared), None)
    if odd is not None:
        raise ParameterError(
            f"{id}, which fits these data, takes no {odd!r} ({why}):",
            fix=[Fix("leave it out"), Fix("name the algorithm it is for: {}", Set("algorithm"))],
        )
    settings = " ".join(f"{name}={value}" for name, value in defaults.items())
    return Choice(request.made(id, defaults), f"{why}: {id}" + (f" with {settings}" if settings else ""))


def _fitting(data: Dataset, request: AlgorithmChoice) -> tuple[str, dict[str, Any], str]:
    """Return the algorithm for this kind of data, parameters that differ from its defaults, and the reason."""
    if data.transactions is None:
        if not data.quasi:
            message = "there is nothing to protect: no column is quasi-identifying and there are no items"
            raise InputError(message, fix=_roles_to_name(data))
        return *RECOMMENDED["quasi"], "columns that may be known, no items"
    if data.quasi:
        if request.policy is not None or "utility" in request.parameters:
            return "rmerge-rt", {"items": "pcta"}, "columns and items that may be known, and policies"
        return *RECOMMENDED["both"], "columns and items that may be known"
    if request.policy is not None:
        return "upcta", {}, "items and policies"
    return *RECOMMENDED["items"], "items, no columns that may be known"


def _roles_to_name(data: Dataset) -> list[Fix]:
    """Return the fix for columns that were left out because others have a role."""
    names = [fate.column for fate in data.fates if fate.role == NO_ROLE and fate.reason != VARIES]
    if not names:
        return []
    words = "columns without a role are left out where others have one: name what an attacker may know, {}"
    return [Fix(words, Set("quasi", names))]
