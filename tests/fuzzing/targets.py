"""What is fed with damaged files: a command for each kind of file that people hand to it."""

import io
import json
import shutil
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from random import Random

from anonset.cli import main
from fuzzing.mutations import mutated_bytes, mutated_json

MARKER = "Qzx7marker"  # a value of the data that no message may repeat
ROWS = [f"p{i},{20 + i % 5},{'Oslo' if i % 2 else 'Bergen'},{'|'.join('abcd'[: 1 + i % 3])}" for i in range(24)]
TABLE = "\n".join(["pid,age,town,codes", *ROWS, f"p99,22,{MARKER},a|b"]) + "\n"
FOREIGN = "codes\n" + "a|b\n" * 25
BASKETS = "".join(f"{' '.join(str(1 + (i + j) % 6) for j in range(1 + i % 3))}\n" for i in range(24))
RECORDS = "".join(json.dumps({"age": 20 + i % 5, "codes": list("abcd"[: 1 + i % 3])}) + "\n" for i in range(24))
LEVELS = "a;ab;*\nb;ab;*\nc;cd;*\nd;cd;*\n"
TREE = {"name": "*", "children": [{"name": "ab", "children": ["a", "b"]}, {"name": "cd", "children": ["c", "d"]}]}
SCHEMA = 'quasi = ["age", "town"]\nidentifier = ["pid"]\nitems = ["codes"]\nitem_separator = "|"\nkinds = { age = "numeric" }\n'
PLAN = """seeds = [1]
measures = ["ncp-items", "risk", "are"]
[[data]]
path = "t.csv"
schema = { quasi = [], identifier = ["pid", "age", "town"], items = ["codes"], item_separator = "|" }
[[run]]
algorithm = "aa"
k = [2, 3]
[workload]
kind = "random"
n = 5
[limits]
seconds = 20
"""
POLICY = 'privacy = [["a", "b"], ["c"]]\nutility = [["a", "b"], ["c", "d"]]\nsuppression = 0.5\nweights = { a = 2 }\n'
QUERIES = {"queries": [{"ranges": {}, "values": {}, "items": ["a", "b"]}, {"items": [], "absent": ["c"]}]}
ITEMS = ("--items", "codes", "--item-separator", "|", "--identifier", "pid,age,town")


@dataclass(frozen=True)
class Target:
    """A file by its name in the folder, how it is damaged, and the command that reads it."""

    file: str
    damage: Callable[[Random, bytes], bytes]
    command: tuple[str, ...]


ANONYMIZE = ("-a", "pcta", "-k", "2", "--accept-loss", "--no-report", "-o", "out", "-q")
WITH_TREE = ("-a", "aa", *ANONYMIZE[2:])
PROMISE = ("--guarantee", "km-anonymity", "-k", "2", "-m", "1")
TARGETS = {
    "csv": Target("t.csv", mutated_bytes, ("anonymize", "t.csv", *ITEMS[:4], "--identifier", "pid", *ANONYMIZE[2:])),
    "profile": Target("t.csv", mutated_bytes, ("profile", "t.csv")),
    "jsonl": Target("t.jsonl", mutated_bytes, ("anonymize", "t.jsonl", "--items", "codes", "--identifier", "age", *ANONYMIZE)),
    "baskets": Target("t.dat", mutated_bytes, ("anonymize", "t.dat", *ANONYMIZE)),
    "parquet": Target("t.parquet", mutated_bytes, ("anonymize", "t.parquet", *ITEMS, *ANONYMIZE)),
    "gzip": Target("t.csv.gz", mutated_bytes, ("anonymize", "t.csv.gz", *ITEMS, *ANONYMIZE)),
    "schema": Target("s.toml", mutated_bytes, ("profile", "t.csv", "--schema", "s.toml")),
    "hierarchy levels": Target("h.csv", mutated_bytes, ("anonymize", "t.csv", *ITEMS, "--hierarchy", "h.csv", *WITH_TREE)),
    "hierarchy json": Target("h.json", mutated_json, ("anonymize", "t.csv", *ITEMS, "--hierarchy", "h.json", *WITH_TREE)),
    "plan": Target("plan.toml", mutated_bytes, ("compare", "plan.toml", "-o", "study", "-q")),
    "policy": Target("p.toml", mutated_bytes, ("policy", "check", "p.toml", "t.csv", *ITEMS)),
    "workload": Target("w.json", mutated_json, ("measure", "rel", "--original", "t.csv", "--workload", "w.json")),
    "foreign": Target("f.csv", mutated_bytes, ("verify", "f.csv", "--original", "t.csv", *ITEMS, *PROMISE)),
}
for part in ("published/about.json", "private/manifest.json", "private/domains.json", "private/recoding.json"):
    for command in ("verify", "measure", "attack"):
        TARGETS[f"{command} {part}"] = Target(f"rel/{part}", mutated_json, (command, "rel", "--original", "t.csv"))
for part in ("published/records.csv", "private/rows.csv"):
    TARGETS[f"verify {part}"] = Target(f"rel/{part}", mutated_bytes, ("verify", "rel", "--original", "t.csv"))
TARGETS["explain"] = Target("rel/private/trace.jsonl", mutated_bytes, ("explain", "rel"))


def whole_files(folder: Path) -> None:
    """Write every file whole, and a release of the table."""
    import gzip

    import polars as pl

    folder.mkdir(parents=True, exist_ok=True)
    texts = {"t.csv": TABLE, "f.csv": FOREIGN, "t.jsonl": RECORDS, "t.dat": BASKETS, "s.toml": SCHEMA, "h.csv": LEVELS}
    texts |= {"plan.toml": PLAN, "p.toml": POLICY, "h.json": json.dumps(TREE), "w.json": json.dumps(QUERIES)}
    for name, text in texts.items():
        (folder / name).write_text(text)
    (folder / "t.csv.gz").write_bytes(gzip.compress(TABLE.encode()))
    pl.read_csv(folder / "t.csv").write_parquet(folder / "t.parquet")
    made = ("anonymize", "t.csv", *ITEMS, "--hierarchy", "h.csv", "-a", "pcta", "-k", "9")
    made += ("--accept-loss", "--no-report", "-o", "rel", "-q")
    code, told = said(folder, made)
    assert code == 0, told


def said(folder: Path, command: tuple[str, ...]) -> tuple[int, str]:
    """The exit code of a command in that folder, and what it told on standard error."""
    here = [str(folder / word) if (folder / word).exists() or word in ("out", "study", "rel") else word for word in command]
    shown, told = io.StringIO(), io.StringIO()
    with redirect_stdout(shown), redirect_stderr(told):
        code = main(here)
    return code, told.getvalue()


def complaint(target: Target, folder: Path, damaged: bytes) -> str:
    """What is wrong with how the command takes the damaged file; empty if nothing is."""
    path = folder / target.file
    whole = path.read_bytes()
    try:
        path.write_bytes(damaged)
        code, told = said(folder, target.command)
    finally:
        path.write_bytes(whole)
        for made in ("out", "study"):
            shutil.rmtree(folder / made, ignore_errors=True)
    if code not in (0, 2, 3, 4) or "internal error" in told or "Traceback" in told:
        return f"exit {code}: {told}"
    if MARKER in told:
        return f"a value of the data is in the message: {told}"
    return f"{len(told)} characters: {told[:200]}" if code and len(told) > 1_500 else ""
