"""How to make a release again elsewhere: the command, Python, a notebook, a REST request, and the files of the kit."""

import json
import re
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from anonset.model.serialization import to_json
from anonset.workbench.journal import HierarchyChoice
from anonset.workbench.values import RepeatInstructions
from anonset.workbench.worker_requests import RunRequest

FLAGS = ("k", "m", "l", "delta", "seed")
PLAIN_NAME = re.compile(r"\w[\w .-]{0,99}")
SCHEMA, POLICY, PROJECT = "schema.toml", "policy.toml", "anonset.toml"


def instructions_of(project: str, request: RunRequest, name: str, project_file: str) -> RepeatInstructions:
    """Commands and code that make a release again."""
    python = python_code(request, name)
    return RepeatInstructions(command_line(request, name), python, _notebook(python), _rest(project, request), project_file)


def settings_of(request: RunRequest) -> dict[str, Any]:
    """How the data are read, with the file names of the kit."""
    reading = request.reading
    settings = {name: value for name, value in reading.settings.items() if value not in ((), None, False)}
    if "population" in settings:
        settings["population"] = f"population{request.reading.file.suffix}"
    if request.origin:
        settings = {name: value for name, value in settings.items() if name != "format"} | _tables(request)
    if reading.hierarchies and request.like is None:  # else they are those of the earlier release
        files = hierarchy_files(request)
        settings["hierarchies"] = {
            column: _hierarchy(choice, files.get(column)) for column, choice in reading.hierarchies.items()
        }
    return settings


def schema_toml(request: RunRequest) -> str:
    """How the data are read, as a schema file; JSON strings and lists are valid TOML."""
    return "".join(f"{name} = {_value(value)}\n" for name, value in settings_of(request).items())


def scripts(request: RunRequest, name: str) -> dict[str, str]:
    """The files to run: a shell script, a Python file and a notebook."""
    python = python_code(request, name)
    return {"make.sh": command_line(request, name) + "\n", "make.py": python, "make.ipynb": _notebook(python)}


def _tables(request: RunRequest) -> dict[str, Any]:
    """The tables that the file is a copy of; the item table only where its items are published."""
    omitted = {"items"} if request.reading.settings.get("items") else {"items", "items_table", "items_key"}
    return {name: value for name, value in request.origin["settings"].items() if name not in omitted}


def hierarchy_files(request: RunRequest) -> dict[str, str]:
    """The hierarchy files of the kit by column; a column that is no plain file name gets a number instead."""
    columns = [column for column, choice in request.reading.hierarchies.items() if choice.edits or choice.how is None]
    named = {column: column if PLAIN_NAME.fullmatch(column) else f"hierarchy {n}" for n, column in enumerate(columns, 1)}
    return {column: f"hierarchies/{name}.csv" for column, name in named.items()}


def _hierarchy(choice: HierarchyChoice, file: str | None) -> str:
    if file is None:
        return str(choice.how)
    return f"{'derived:' if choice.upload is None else ''}{file}"


def command_line(request: RunRequest, name: str) -> str:
    """The command that makes the release again."""
    words = ["anonset", "anonymize", name, "--schema", SCHEMA]
    words += ["--algorithm", request.algorithm] if request.algorithm else []
    for parameter, value in request.parameters.items():
        flag = f"-{parameter}" if len(parameter) == 1 else f"--{parameter}"
        words += [flag, str(value)] if parameter in FLAGS else ["--set", f"{parameter}={_word(value)}"]
    words += ["--format", request.format] if request.format != "csv" else []
    words += ["--margins"] if request.margins else []
    words += ["--ends", request.ends] if request.ends != "auto" else []
    words += ["--policy", POLICY] if request.promise.privacy or request.promise.utility else []
    words += [word for column in request.accepted.exposure for word in ("--accept-exposure", column)]
    words += ["--accept-loss"] if request.accepted.loss else []
    words += ["--accept-repeats"] if request.accepted.repeats else []
    words += [word for folder in request.earlier for word in ("--earlier", release_name(folder))]
    words += ["--accept-earlier"] if request.accepted.earlier else []
    words += [] if request.like is None else ["--like", release_name(request.like)]
    return shlex.join([*words, "-o", "release"])


def release_name(folder: Path) -> str:
    """What instructions call the release of another run: with its private half it is expected beside the data."""
    return f"release-{folder.parent.name}"


def _word(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def python_code(request: RunRequest, name: str) -> str:
    """The Python code that makes the release again."""
    values = dict(request.parameters)
    values |= {"privacy": POLICY} if request.promise.privacy else {}
    values |= {"utility": POLICY} if request.promise.utility else {}
    given = "".join(f", {parameter}={value!r}" for parameter, value in values.items())
    given += f", ends={request.ends!r}" if request.ends != "auto" else ""
    given += "" if request.like is None else f", like={release_name(request.like)!r}"
    writing = [f"format={request.format!r}"] if request.format != "csv" else []
    writing += [f"accept_exposure={list(request.accepted.exposure)!r}"] if request.accepted.exposure else []
    writing += ["accept_loss=True"] if request.accepted.loss else []
    writing += ["accept_repeats=True"] if request.accepted.repeats else []
    writing += [f"earlier={list(map(release_name, request.earlier))!r}"] if request.earlier else []
    writing += ["accept_earlier=True"] if request.accepted.earlier else []
    more = "".join(f", {text}" for text in writing)
    return (
        f'import anonset\n\ndata = anonset.read({name!r}, anonset.Schema.from_toml("{SCHEMA}"))\n'
        f"release = anonset.anonymize(data, {request.algorithm!r}{given})\n"
        f'release.write("release"{more})\n'
    )


def _notebook(python: str) -> str:
    cell: dict[str, Any] = {
        "cell_type": "code",
        "execution_count": None,
        "id": "make",
        "metadata": {},
        "outputs": [],
        "source": python,
    }
    return to_json({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


def _rest(project: str, request: RunRequest) -> str:
    body = {"algorithm": request.algorithm, "parameters": dict(request.parameters), "format": request.format}
    body |= {"ends": request.ends} if request.ends != "auto" else {}
    lines = [
        'curl -H "Authorization: Bearer $ANONSET_TOKEN" -H "Content-Type: application/json" \\',
        f"  -H 'Idempotency-Key: again-1' -d {shlex.quote(json.dumps(body))} \\",
        f'  "http://127.0.0.1:8484/api/projects/{project}/runs"',
    ]
    return "\n".join(lines) + "\n"


def _value(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{json.dumps(k, ensure_ascii=False)} = {_value(v)}" for k, v in value.items()) + " }"
    return json.dumps(list(value) if isinstance(value, tuple) else value, ensure_ascii=False)
