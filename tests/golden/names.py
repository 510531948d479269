"""What others may rely on: flags of the commands, names of the package with their signatures, errors, and the REST API."""

import functools
import inspect
import re
import tempfile
from pathlib import Path

import click

import anonset
import anonset.errors
import anonset.plugins
import anonset.testing
from anonset.cli.app import COMMANDS, program
from golden.commands import run


def flag_entries():
    """The flags of every command with what they take."""
    return {name: functools.partial(_flags, name, command) for name, command in _commands("anonset", program)}


def _commands(name, command):
    """The command and all below it; those of other packages are not ours to keep."""
    found = [(name, command)]
    context = click.Context(command, info_name=name)
    for below in getattr(command, "list_commands", lambda context: [])(context):
        if command is not program or below in COMMANDS:
            found += _commands(f"{name} {below}", command.get_command(context, below))
    return found


def _flags(name, command):
    options = [
        p for p in command.get_params(click.Context(program, help_option_names=["-h", "--help"])) if hasattr(p, "is_flag")
    ]
    flags = {", ".join(sorted({*p.opts, *p.secondary_opts})): _value(p) for p in options}
    below = ["COMMAND [ARGS]..."] if hasattr(command, "list_commands") else []
    arguments = [_argument(p) for p in command.params if isinstance(p, click.Argument)]
    return {"usage": " ".join([name, "[OPTIONS]", *arguments, *below]), "flags": flags}


def _argument(argument):
    name = (argument.metavar or argument.name).strip("[]")
    return f"{{{name}}}" if argument.required else f"[{name}]"


def _value(option):
    """What a flag takes: the name of the value, or its type, and its range."""
    if option.is_flag:
        return "<bool>"
    kind = {"integer": "int", "float": "float", "text": "str"}.get(option.type.name.split()[0], option.type.name)
    low, high = getattr(option.type, "min", None), getattr(option.type, "max", None)
    ranged = low is not None or high is not None
    limits = f" [{low}<=x<={high}]" if high is not None else f" [x>={low}]" if ranged else ""
    return (option.metavar or f"<{kind}{' range' if ranged else ''}>") + limits


def public_entries():
    """Names with signatures: of the package, of what its classes offer, of anonset.testing, and of errors with exit codes."""
    found = {f"anonset.{name}": functools.partial(_described, anonset, name) for name in anonset.__all__}
    found |= {
        f"anonset.testing.{name}": functools.partial(_described, anonset.testing, name) for name in anonset.testing.__all__
    }
    found |= {
        f"anonset.plugins.{name}": functools.partial(_described, anonset.plugins, name)
        for name in ("Plugin", "Registry", "plugins")
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
