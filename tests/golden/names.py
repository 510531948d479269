"""What others may rely on: flags of the commands, names of the package with their signatures, errors, and the REST API."""

import functools
import inspect
import re
import tempfile
from pathlib import Path

import anonset
import anonset.errors
import anonset.testing
from golden.commands import run

FLAG = re.compile(r"^\s+\*?\s*((?:-{1,2}[A-Za-z][\w-]*[, /]*)+)\s+(.*)$")
COMMAND = re.compile(r"^\s+([a-z]+)\s{2,}\S")


def flag_entries():
    """The flags of every command with what they take."""
    return {f"anonset {command}".strip(): functools.partial(_flags, command) for command in _commands()}


@functools.cache
def _commands(command=""):
    """The command and all below it."""
    found = [command]
    for line in _help(command).partition("Commands")[2].splitlines():
        below = COMMAND.match(line)
        if below and below[1] != "reproduce":
            found += _commands(f"{command} {below[1]}".strip())
    return found


@functools.cache
def _help(command):
    """The help text without its frame, wide enough that no line is broken."""
    import os

    before = os.environ.get("COLUMNS")
    os.environ["COLUMNS"] = "240"
    try:
        text = run(f"{command} --help")[1]
    finally:
        os.environ.pop("COLUMNS")
        os.environ |= {"COLUMNS": before} if before is not None else {}
    return re.sub(r"[│╭╮╰╯─]", " ", text)


def _flags(command):
    found = {}
    for line in _help(command).splitlines():
        flag = FLAG.match(line)
        if flag:
            names = ", ".join(sorted(set(re.findall(r"-{1,2}[A-Za-z][\w-]*", flag[1]))))
            found[names] = re.split(r"\s{2,}", flag[2])[0]
    return {"usage": " ".join(_help(command).partition("Usage:")[2].splitlines()[0].split()), "flags": found}


def public_entries():
    """Names with signatures: of the package, of what its classes offer, of anonset.testing, and of errors with exit codes."""
    found = {f"anonset.{name}": functools.partial(_described, anonset, name) for name in anonset.__all__}
    found |= {
        f"anonset.testing.{name}": functools.partial(_described, anonset.testing, name) for name in anonset.testing.__all__
    }
    errors = {
        name: kind for name, kind in vars(anonset.errors).items() if inspect.isclass(kind) and issubclass(kind, Exception)
    }
    found |= {f"error {name}": functools.partial(_error, kind) for name, kind in errors.items()}
    return found | {f"parameters of {name}": functools.partial(_parameters, name) for name in anonset.ALGORITHMS}


def _error(kind):
    return {"exit": kind.exit_code, "bases": [base.__name__ for base in kind.__bases__]}


def _parameters(name):
    import json

    found = json.loads(run(f"algorithms {name} --json")[1])
    listed = found.get(name, found)["parameters"]
    return {parameter.pop("name"): {part: value for part, value in parameter.items() if part != "help"} for parameter in listed}


def _described(module, name):
    value = getattr(module, name)
    if inspect.isclass(value):
        return {"class": signature_of(value), "members": _members(value)}
    if callable(value):
        return signature_of(value)
    return (
        {"names": list(value)}
        if isinstance(value, dict)
        else {"names": [getattr(inner, "__name__", str(inner)) for inner in value]}
    )


def _members(kind):
    """Public methods with signatures, and the names of properties and fields."""
    found = {}
    for name in dir(kind):
        if not name.startswith("_") and not hasattr(object, name):
            value = inspect.getattr_static(kind, name)
            method = value.__func__ if isinstance(value, classmethod | staticmethod) else value
            found[name] = signature_of(method) if inspect.isfunction(method) else "value"
    return found


def signature_of(call):
    """The parameters with their defaults, without types: these are written in many ways."""
    try:
        given = inspect.signature(call)
    except (ValueError, TypeError):
        return "unknown"
    bare = [p.replace(annotation=inspect.Parameter.empty) for p in given.parameters.values()]
    text = str(given.replace(parameters=bare, return_annotation=inspect.Signature.empty))
    return re.sub(r"<function (\w+) at 0x[0-9a-f]+>", r"\1", text)


def openapi_entries():
    """The description of the REST API, a path an entry."""
    document = _openapi()
    found = {path: functools.partial(_part, "paths", path) for path in document["paths"]}
    return found | {
        f"schema {name}": functools.partial(_part, "components", "schemas", name) for name in document["components"]["schemas"]
    }


def _part(*names):
    found = _openapi()
    for name in names:
        found = found[name]
    return found


@functools.cache
def _openapi():
    from anonset.rest import create_api
    from anonset.workbench import Workbench

    with tempfile.TemporaryDirectory() as place:
        bench = Workbench(Path(place), processes=1)
        try:
            return create_api(bench).openapi()
        finally:
            bench.close()
