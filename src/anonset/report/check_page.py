"""The page with which a receiver recounts the promise of a release: offline, in a browser, from the published records alone."""

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

from markupsafe import Markup

from anonset.report.rendering import render
from anonset.report.words import Words

CHECK_PAGE = "check.html"
EMBEDDED = 1_000  # most records that are in the page itself
READ = ("csv", "jsonl", "fimi")  # formats that the page can read
SAID = ("holds", "broken", "unknown", "least", "worst")
GUIDED = ("name", "role", "column", "columns", "errors_column", "separator")


def check_page(guide: Mapping[str, Any], records: Path, sensitive: Sequence[str], words: Words) -> str:
    """Return the HTML of the page for the release that `guide`, its about.json, explains; `records` is its file.

    `sensitive` are the sensitive items, which no attacker knows: they are published as they are, and not counted.
    """
    taken = (*GUIDED, "generalized") if sensitive else GUIDED  # members of labels matter only where some items do not count
    attributes = [{name: one[name] for name in taken if name in one} for one in guide["attributes"]]
    release = {
        "format": guide["format"],
        "records": guide["records"],
        "guarantees": [{name: value for name, value in g.items() if name != "words"} for g in guide["guarantees"]],
        "attributes": attributes,
        "sensitive": list(sensitive),
    }
    small = guide["format"] in READ and guide["records"] <= EMBEDDED and records.is_file()
    script = files("anonset.report").joinpath("templates", "check.js").read_text(encoding="utf-8")
    return render(
        "check.html",
        words=words,
        guide=guide,
        accept=records.suffix,
        data=_json({"release": release, "words": {name: words.texts[f"check.{name}"] for name in SAID}}),
        embedded=_json(records.read_text(encoding="utf-8")) if small else None,
        script=Markup(script),
        hash=Markup(_hash(script)),
    )


def _json(value: Any) -> Markup:
    """Return JSON that can stand inside a script element: nothing in it can end the element."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return Markup(text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029"))


def _hash(script: str) -> str:
    """Return the hash by which the content security policy of the page allows its script and no other."""
    return "sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
