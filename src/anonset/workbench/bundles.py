"""A release handed out: its folder as a zip, streamed, and the files and lines that make it again elsewhere."""

import json
import re
import shlex
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from anonset.workbench.journal import HierarchyChoice
from anonset.workbench.values import Again
from anonset.workbench.worker_requests import Order

FLAGS = ("k", "m", "l", "delta", "seed")
PLAIN = re.compile(r"\w[\w .-]{0,99}")
SCHEMA, POLICY, PROJECT = "schema.toml", "policy.toml", "anonset.toml"


def again(project: str, order: Order, name: str, project_file: str) -> Again:
    """Lines to copy; they expect the files of the kit beside the data."""
    python = _python(order, name)
    return Again(_command(order, name), python, _notebook(python), _rest(project, order), project_file)


def settings_of(order: Order) -> dict[str, Any]:
    """How the data are read, with files by the names they have in the kit."""
    reading = order.reading
    kept = {name: value for name, value in reading.settings.items() if value not in ((), None, False)}
    if order.origin:
        kept = {name: value for name, value in kept.items() if name != "format"} | _tables(order)
    if reading.hierarchies:
        files = hierarchy_files(order)
        kept["hierarchies"] = {column: _hierarchy(choice, files.get(column)) for column, choice in reading.hierarchies.items()}
    return kept


def schema_toml(order: Order) -> str:
    """How the data are read, as a schema file; JSON's texts and lists are TOML's too."""
    return "".join(f"{name} = {_value(value)}\n" for name, value in settings_of(order).items())


def script(order: Order, name: str) -> dict[str, str]:
    """The files to run: a shell script, a Python file and a notebook."""
    python = _python(order, name)
    return {"make.sh": _command(order, name) + "\n", "make.py": python, "make.ipynb": _notebook(python)}


def _tables(order: Order) -> dict[str, Any]:
    """The tables that the file is a copy of; the item table only where its items are published."""
    unwanted = {"items"} if order.reading.settings.get("items") else {"items", "items_table", "items_key"}
    return {name: value for name, value in order.origin["settings"].items() if name not in unwanted}


def hierarchy_files(order: Order) -> dict[str, str]:
    """The hierarchies that are files of the kit, by column; a name that would lead elsewhere gets one of ours."""
    kept = [column for column, choice in order.reading.hierarchies.items() if choice.edits or choice.how is None]
    named = {column: column if PLAIN.fullmatch(column) else f"hierarchy {n}" for n, column in enumerate(kept, 1)}
    return {column: f"hierarchies/{name}.csv" for column, name in named.items()}


def _hierarchy(choice: HierarchyChoice, file: str | None) -> str:
    if file is None:
        return str(choice.how)
    return f"{'derived:' if choice.upload is None else ''}{file}"


def _command(order: Order, name: str) -> str:
    words = ["anonset", "anonymize", name, "--schema", SCHEMA]
    words += ["--algorithm", order.algorithm] if order.algorithm else []
    for parameter, value in order.parameters.items():
        flag = f"-{parameter}" if len(parameter) == 1 else f"--{parameter}"
        words += [flag, str(value)] if parameter in FLAGS else ["--set", f"{parameter}={_word(value)}"]
    words += ["--format", order.format] if order.format != "csv" else []
    words += ["--margins"] if order.margins else []
    words += ["--ends", order.ends] if order.ends != "auto" else []
    words += ["--policy", POLICY] if order.promise.privacy or order.promise.utility else []
    words += [word for column in order.exposure for word in ("--accept-exposure", column)]
    words += ["--accept-loss"] if order.loss else []
    words += ["--accept-repeats"] if order.repeats else []
    return shlex.join([*words, "-o", "release"])


def _word(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _python(order: Order, name: str) -> str:
    values = dict(order.parameters)
    values |= {"privacy": POLICY} if order.promise.privacy else {}
    values |= {"utility": POLICY} if order.promise.utility else {}
    given = "".join(f", {parameter}={value!r}" for parameter, value in values.items())
    given += f", ends={order.ends!r}" if order.ends != "auto" else ""
    writing = [f"format={order.format!r}"] if order.format != "csv" else []
    writing += [f"accept_exposure={list(order.exposure)!r}"] if order.exposure else []
    writing += ["accept_loss=True"] if order.loss else []
    writing += ["accept_repeats=True"] if order.repeats else []
    more = "".join(f", {text}" for text in writing)
    return (
        f'import anonset\n\ndata = anonset.read({name!r}, anonset.Schema.from_toml("{SCHEMA}"))\n'
        f"release = anonset.anonymize(data, {order.algorithm!r}{given})\n"
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
    return (
        json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1, ensure_ascii=False) + "\n"
    )


def _rest(project: str, order: Order) -> str:
    body = {"algorithm": order.algorithm, "parameters": dict(order.parameters), "format": order.format}
    body |= {"ends": order.ends} if order.ends != "auto" else {}
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


PIECE = 1 << 16
WHEN = (1980, 1, 1, 0, 0, 0)


class _Drain:
    """A file that only grows, and is emptied as it does."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def write(self, data: bytes) -> int:
        """Take some bytes."""
        self._parts.append(bytes(data))
        return len(data)

    def flush(self) -> None:
        """Nothing is held back."""

    def taken(self) -> bytes:
        """All that came since the last time."""
        parts, self._parts = self._parts, []
        return b"".join(parts)


def zipped(folder: Path, *, private: bool) -> Iterator[bytes]:
    """The published half of a release; and the private half and the report where they are asked for."""
    halves = ("published", "private") if private else ("published",)
    files = [path for half in halves for path in sorted((folder / half).rglob("*")) if path.is_file()]
    files += [folder / "report.html"] if private and (folder / "report.html").exists() else []
    drain = _Drain()
    with zipfile.ZipFile(drain, "w", zipfile.ZIP_DEFLATED) as archive:  # type: ignore[call-overload]
        for file in files:
            entry = zipfile.ZipInfo(file.relative_to(folder).as_posix(), WHEN)
            entry.compress_type = zipfile.ZIP_DEFLATED
            with file.open("rb") as source, archive.open(entry, "w", force_zip64=True) as target:
                while piece := source.read(PIECE):
                    target.write(piece)
                    if ready := drain.taken():
                        yield ready
    yield drain.taken()
