"""The names of the package with their types, so that an editor completes what the named algorithm takes."""

from dataclasses import fields
from textwrap import wrap
from typing import Any, get_args, get_origin, get_type_hints

import anonset
from anonset.algorithms import ALGORITHMS, BUILT_IN
from anonset.model.parameters import Parameter, parameters
from anonset.model.policy import PrivacyPolicy, UtilityPolicy
from anonset.model.schema import Schema

OPENING = """# Made from the declarations by `python -m anonset.cli.stub`; a test holds it to them.
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypeVar, overload

from anonset.api import Listener
from anonset.model.policy import PrivacyPolicy, UtilityPolicy
"""
WRITTEN_OUT = ("anonymize", "anonymize_frame", "read")
LIMITS = {"memory": "str | int | None", "jobs": "int | None", "scheduler": "str | None"}
OUTPUT = {
    "output": "str | Path | None",
    "format": "str | None",
    "margins": "bool",
    "into": "str | None",
    "database": "str | None",
    "overwrite": "bool",
    "accept_exposure": "Sequence[str] | str",
    "accept_loss": "bool",
    "accept_repeats": "bool",
    "title": "str",
    "by": "str",
    "language": "str",
    "ends": "str",
    "like": "str | Path | None",
    "parameters": "Mapping[str, Any] | None",
    "progress": "Listener",
}
WRITING = [f"    {name}: {kind} = ...," for name, kind in OUTPUT.items()]
NAMES = "str | Sequence[str] | None"
SEVERAL = ("quasi", "sensitive", "identifier", "other", "items", "missing")


def stub() -> str:
    """The text of src/anonset/__init__.pyi."""
    homes: dict[str, str] = vars(anonset)["_HOMES"]
    imports = [_import(name, home) for name, home in sorted(homes.items()) if name not in WRITTEN_OUT]
    listed = "\n".join(f"    {name!r}," for name in anonset.__all__).replace("'", '"')
    parts = [
        OPENING + "\n".join(imports) + "\n",
        f'Frame = TypeVar("Frame")\n__version__: str\n__all__ = [\n{listed}\n]\n',
        *(_overload(id) for id in BUILT_IN),
        _any_algorithm(),
        _reading(),
        _frames(),
    ]
    return "\n".join(parts)


def _import(name: str, home: str) -> str:
    module, _, inner = home.partition(":")
    return f"from anonset.{module} import {inner or name} as {name}"


def _overload(id: str) -> str:
    algorithm = ALGORITHMS[id]
    taken = [f"    {p.name}: {_type(p)}{'' if p.required else ' = ' + _default(p.default)}," for p in parameters(algorithm)]
    descriptions = [f"{p.name}: {p.help or 'see the page of the algorithm'}" for p in parameters(algorithm)]
    lines = ["@overload", "def anonymize(", "    data: Dataset,", f'    algorithm: Literal["{id}"],', "    *,", *taken]
    return "\n".join([*lines, *WRITING, ") -> Release:", _docstring(f"{algorithm.title}.", descriptions)])


def _any_algorithm() -> str:
    """Return the signature that fits any algorithm."""
    kinds: dict[str, list[str]] = {}
    for p in (p for id in BUILT_IN for p in parameters(ALGORITHMS[id])):
        kinds.setdefault(p.name, []).extend(part for part in _type(p).split(" | ") if part not in kinds.get(p.name, ()))
    taken = [f"    {name}: {' | '.join(types)} = ...," for name, types in sorted(kinds.items())]
    lines = ["@overload", "def anonymize(", "    data: Dataset,", "    algorithm: str | None = None,", "    *,", *taken]
    opening = "By the algorithm of that id, or by the one that fits the data."
    known = [*lines, *WRITING, ") -> Release:", _docstring(opening, [])]
    read = ["@overload", "def anonymize(", "    data: str | Path,", "    algorithm: str | None = None,", "    *,"]
    limits = [f"    {name}: {kind} = ...," for name, kind in LIMITS.items()]
    opening = "Data that are read first: `settings` are fields of `Schema` and parameters of the algorithm."
    return "\n".join([*known, *read, *limits, *WRITING, "    **settings: Any,", ") -> Release:", _docstring(opening, [])])


def _reading() -> str:
    lines = ["def read(", "    source: Any,", "    schema: Schema | None = None,", "    *,", "    progress: Listener = ...,"]
    opening = "The dataset in a file or a DataFrame."
    return "\n".join([*lines, *_settings(), ") -> Dataset:", _docstring(opening, _meanings())])


def _frames() -> str:
    lines = [
        "def anonymize_frame(",
        "    frame: Frame,",
        "    algorithm: str | None = None,",
        "    *,",
        "    structured: bool = False,",
        "    accept_exposure: Sequence[str] | str = (),",
        "    accept_loss: bool = False,",
        "    accept_repeats: bool = False,",
        "    parameters: Mapping[str, Any] | None = None,",
        "    progress: Listener = ...,",
        *_settings(),
        "    **others: Any,",
    ]
    opening = "A DataFrame that may be handed out, of the library of the one given; `others` are the algorithm's parameters."
    return "\n".join([*lines, ") -> Frame:", _docstring(opening, _meanings())])


def _settings() -> list[str]:
    hints = get_type_hints(Schema)
    settings = [f"    {f.name}: {NAMES if f.name in SEVERAL else _spelled(hints[f.name])} = ...," for f in fields(Schema)]
    return [*settings, "    key: str | None = ...,"]


def _meanings() -> list[str]:
    """What each field of a schema means, where it is noted."""
    hints = get_type_hints(Schema, include_extras=True)
    return [f"{name}: {get_args(hint)[1]}" for name, hint in hints.items() if hasattr(hint, "__metadata__")]


def _spelled(hint: Any) -> str:
    """A type as the stub writes it."""
    text = str(hint) if get_origin(hint) is not None or not isinstance(hint, type) else hint.__name__
    for module in ("pathlib.", "collections.abc.", "typing."):
        text = text.replace(module, "")
    return text.replace("'", '"')


def _type(p: Parameter) -> str:
    kind: Any = p.kind
    if p.choices:
        text = f"Literal[{', '.join(map(_default, p.choices))}]"
    elif kind is PrivacyPolicy or kind is UtilityPolicy:
        text = ("PrivacyPolicy" if kind is PrivacyPolicy else "UtilityPolicy") + " | str"
    else:
        text = kind.__name__
    return f"{text} | None" if p.optional else text


def _default(value: Any) -> str:
    if isinstance(value, str):
        return f'"{value}"'
    return repr(value) if value is None or isinstance(value, bool | int | float) else "..."


def _docstring(opening: str, descriptions: list[str]) -> str:
    lines = [part for text in descriptions for part in wrap(text, 116, subsequent_indent="    ")]
    body = "".join(f"\n    {line}" for line in lines)
    return f'    """{opening}\n{body}\n    """\n' if body else f'    """{opening}"""\n'
