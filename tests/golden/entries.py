"""All golden entries by topic, what is stored of them, and where the two differ."""

import json
from pathlib import Path

from golden import algorithms, commands, errors, files, names

STORED = Path(__file__).parent / "stored"
DAY = "1794960000"  # SOURCE_DATE_EPOCH of all that is stored: pages of releases name the day they were made
TOPICS = {topic: lambda topic=topic: algorithms.entries_of(topic) for topic in algorithms.CASES}
TOPICS |= {
    "data": files.data_entries,
    "output-formats": files.output_entries,
    "input-formats": files.input_entries,
    "pieces": files.piece_entries,
    "commands": commands.entries,
    "command-texts": commands.text_entries,
    "flags": names.flag_entries,
    "errors": errors.entries,
    "error-texts": errors.text_entries,
    "public-names": names.public_entries,
    "openapi": names.openapi_entries,
}


def stored(topic):
    """The stored entries of a topic, by their names."""
    file = STORED / f"{topic}.json"
    return json.loads(file.read_text()) if file.exists() else {}


def store(topic, found):
    """Replace the stored entries of a topic."""
    STORED.mkdir(exist_ok=True)
    (STORED / f"{topic}.json").write_text(json.dumps(found, indent=1, sort_keys=True, ensure_ascii=False) + "\n")


def plain(value):
    """What JSON makes of a value."""
    return json.loads(json.dumps(value))


def differences(old, new, place=""):
    """Lines that say where two JSON values differ."""
    if isinstance(old, dict) and isinstance(new, dict):
        for name in sorted(old.keys() | new.keys()):
            inner = f"{place}.{name}" if place else name
            if name not in new:
                yield f"- {inner}: {_short(old[name])}"
            elif name not in old:
                yield f"+ {inner}: {_short(new[name])}"
            else:
                yield from differences(old[name], new[name], inner)
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for number, (a, b) in enumerate(zip(old, new, strict=True)):
            yield from differences(a, b, f"{place}[{number}]")
    elif old != new:
        yield f"  {place}: {_short(old)} -> {_short(new)}"


def _short(value, most=160):
    text = json.dumps(value, ensure_ascii=False, sort_keys=True)
    return text if len(text) <= most else f"{text[:most]}... ({len(text):,} characters)"
