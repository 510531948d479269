"""What every command prints with --json: the shape, and the values where they are the same in every run."""

import contextlib
import functools
import io
import json
import os
import shlex
import shutil
import tempfile
from pathlib import Path

from anonset.cli import main
from golden.data import SENSITIVE_ITEMS, policy_text, write_people
from golden.releases import hash_of, hashes_of, is_sentence, rounded, without_sentences

READ = "--quasi age,stay,town,sex --identifier person,income,sections --sensitive illness --items items --item-separator '|'"
ITEMS = "--identifier person,age,stay,town,sex,illness,income,sections --items items --item-separator '|'"
QUASI = "--quasi age,stay,town,sex --identifier person,income,sections,items --sensitive illness"
TREES = "--hierarchies hierarchies"
RT = "-k 4 --seed 3 --set items=pcta"
SECRET = f"--sensitive-items {','.join(SENSITIVE_ITEMS)} -l 2"
VOLATILE = {"seconds", "memory_mb", "version"}  # keys of what differs from run to run
PLAN = """
[[data]]
path = "people.csv"
schema = "schema.toml"

[workload]
kind = "random"
n = 20
seed = 1

[[run]]
algorithm = "mondrian"
k = [3, 6]

[[run]]
algorithm = "peel"
k = 4
"""
SCHEMA = """
quasi = ["age", "town", "sex"]
identifier = ["person", "income", "sections", "stay", "illness", "items"]
hierarchies = "hierarchies"
"""
LINES = {  # in this order, in one folder; what a line needs was made by those before it
    "profile": f"profile people.csv {READ} {TREES}",
    "profile guessed": "profile people.csv",
    "algorithms": "algorithms",
    "algorithms aa": "algorithms aa",
    "hierarchy build": f"hierarchy build balanced:3 people.csv {ITEMS} -o built.csv",
    "hierarchy build column": f"hierarchy build ranges:5 people.csv {READ} --column stay -o stays.csv",
    "hierarchy show": "hierarchy show built.csv",
    "hierarchy check": f"hierarchy check hierarchies/items.csv --data people.csv {ITEMS}",
    "hierarchy check fails": "hierarchy check two-roots.csv",
    "policy make": f"policy make people.csv {ITEMS} {TREES} --privacy PR9 --utility level:2 -o policy.toml",
    "policy check": f"policy check policy.toml people.csv {ITEMS} -k 4",
    "workload": f"workload people.csv {READ} {TREES} -n 30 --seed 1 -o queries.json",
    "workload presence": f"workload people.csv {ITEMS} --kind presence -n 10 --seed 1 -o presence.json",
    "anonymize relational": f"anonymize people.csv {QUASI} {TREES} -a mondrian -k 4 -o relational --no-report",
    "anonymize items": f"anonymize people.csv {ITEMS} {TREES} -a lift -k 4 -m 2 -o lifted --no-report --margins",
    "anonymize rt": f"anonymize people.csv {READ} {TREES} {RT} -a rmerge-rt --delta 0.5 -o out --no-report --accept-loss",
    "anonymize policy": f"anonymize people.csv {ITEMS} {TREES} -a upcta -k 12 --policy wishes.toml -o by-policy --no-report",
    "anonymize sensitive items": f"anonymize people.csv {READ} {TREES} {RT} {SECRET} -a r-first -o sensitive --no-report",
    "anonymize nonreciprocal": f"anonymize people.csv {ITEMS} -a nr-k -k 4 --seed 3 -o rings --no-report",
    "anonymize in pieces": f"anonymize people.csv {QUASI} {TREES} -a mondrian -k 4 --memory 1GB --jobs 1 -o pieces --no-report",
    "anonymize report": f"anonymize people.csv {ITEMS} {TREES} -a pcta -k 4 -m 2 -o reported",
    "verify": "verify out --original people.csv",
    "verify nonreciprocal": "verify rings --original people.csv",
    "verify in pieces": "verify pieces --original people.csv --memory 1GB",
    "verify fails": "verify changed --original people.csv",
    "measure": "measure out --original people.csv --workload queries.json",
    "measure items": "measure lifted --original people.csv",
    "measure in pieces": "measure pieces --original people.csv --memory 1GB",
    "attack": "attack out --original people.csv --attackers 50 --seed 1",
    "attack nonreciprocal": "attack rings --original people.csv --attackers 50 --seed 1",
    "audit": "audit out --original people.csv --attackers 50 --seed 1",
    "audit a file": f"audit people.csv --original people.csv --control people.csv {READ} --attackers 50 --seed 1",
    "count": "count rings --by items",
    "query": "query rings --present f11 --absent g11",
    "check": "check people.csv",
    "explain": "explain out",
    "explain items": "explain lifted --most 5",
    "explain row": "explain out --row 5",
    "report": "report out --original people.csv --attackers 50 --seed 1",
    "compare": "compare plan.toml -o study --processes 1",
    "init": f"init people.csv {ITEMS} {TREES} --yes -o project.toml",
    "run": "run project.toml",
    "run again": "run project.toml",
    "recommend": f"recommend people.csv {ITEMS} {TREES} --seconds 1 -o best",
}
SHAPE_ONLY = {"recommend", "run", "run again", "attack nonreciprocal"}  # by the clock, or by the system's randomness


def entries():
    """What each line prints."""
    found = {name: functools.partial(_printed, name, "printed") for name in LINES}
    return found | {"sample": _sample, "records on standard output": _on_standard_output}


def _sample():
    """The files that `anonset sample` writes."""
    with tempfile.TemporaryDirectory(prefix="golden-") as place:
        code, _, _ = run(f"sample {place}/sample --records 50 --seed 7")
        return {"exit": code, "files": hashes_of(Path(place) / "sample")}


def _on_standard_output():
    """What `-o -` prints: the records alone."""
    with tempfile.TemporaryDirectory(prefix="golden-") as place, contextlib.chdir(place):
        write_people(place)
        code, out, _ = run(f"anonymize people.csv {QUASI} {TREES} -a mondrian -k 4 -o -")
        return {"exit": code, "lines": len(out.splitlines()), "hash": hash_of(out.encode())}


def text_entries():
    """The sentences among it, whose wording may change."""
    return {name: functools.partial(_printed, name, "sentences") for name in LINES if name not in SHAPE_ONLY}


def _printed(name, part):
    found = _session()[name]
    if isinstance(found, Exception):
        raise found
    return found[part]


@functools.cache
def _session():
    with tempfile.TemporaryDirectory(prefix="golden-") as place, contextlib.chdir(place):
        write_people(place)
        Path("plan.toml").write_text(PLAN)
        Path("schema.toml").write_text(SCHEMA)
        Path("wishes.toml").write_text(policy_text())
        Path("two-roots.csv").write_text("1;a\n2;b\n")
        return {name: _tried(name, line) for name, line in LINES.items()}


def _tried(name, line):
    """What is stored of a line, or the error that kept it from being made: the other lines go on."""
    try:
        return _run(name, line)
    except Exception as error:
        return error


def _run(name, line):
    if name == "verify fails":
        _spoil(Path("out"), Path("changed"))
    code, text, _ = run(f"{line} --json")
    printed = [json.loads(part) for part in text.splitlines() if part]
    printed = printed[0] if len(printed) == 1 else printed
    found = {"exit": code, "shape": shape_of(printed)}
    if name in SHAPE_ONLY:
        return {"printed": found}
    values = steady(printed)
    return {"printed": found | {"values": rounded(without_sentences(values))}, "sentences": list(sentences_of(values))}


def _spoil(folder, into):
    """A copy of a release in which one record says something else."""
    shutil.copytree(folder, into)
    records = into / "published" / "records.csv"
    lines = records.read_text().splitlines(keepends=True)
    records.write_text("".join([lines[0], *lines[2:], lines[2]]))


def run(line):
    """Exit code, standard output and standard error of a command line, in this process."""
    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(shlex.split(line))
    out.flush()
    return code, out.buffer.getvalue().decode(), err.getvalue()


def shape_of(value):
    """Keys and types; a list has the different shapes of its members."""
    if isinstance(value, dict):
        return {name: shape_of(inner) for name, inner in value.items()}
    if isinstance(value, list):
        shapes = []
        for inner in map(shape_of, value):
            shapes += [] if inner in shapes else [inner]
        return shapes[:6]
    return {bool: "true or false", int: "number", float: "number", str: "text", type(None): "null"}[type(value)]


def steady(value):
    """The same without what differs from run to run, and without the folder that this ran in."""
    if isinstance(value, dict):
        return {name: steady(inner) for name, inner in value.items() if name not in VOLATILE}
    if isinstance(value, list):
        return [steady(inner) for inner in value]
    return value.replace(os.getcwd(), "PLACE") if isinstance(value, str) else value


def sentences_of(value):
    """The sentences in a JSON value, one after the other."""
    if isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from sentences_of(inner)
    elif is_sentence(value):
        yield value
