"""Command lines that fail: their exit codes and the kinds of their errors; the words are in a file of their own."""

import contextlib
import functools
import gzip
import json
import tempfile
from pathlib import Path

from golden.commands import run

TABLE = "age,city,codes\n30,Rome,a b\n30,Rome,a b\n40,Oslo,c\n40,Oslo,c\n"
GOOD = {
    "good.csv": TABLE,
    "good.dat": "1 2\n1 2\n1 2\n",
    "tree.csv": "1;12;*\n2;12;*\n",
    "cyclic.csv": "child,parent\n1,2\n2,1\n",
}
BAD = {
    "empty.csv": b"",
    "header.csv": b"age,city\n",
    "ragged.csv": b"a,b\n1,2\n1,2,3\n",
    "binary.csv": bytes(range(256)),
    "latin.csv": "città,b\n1,2\n".encode("latin-1"),
    "nan.csv": b"age\n30\nnan\n31\n",
    "twice.csv": b"a,b,a\n1,2,3\n",
    "words.dat": b"1 2\n3 x\n",
    "cut.dat.gz": gzip.compress(b"1 2\n" * 99, mtime=0)[:20],
    "bad.parquet": b"PAR1junk",
    "bad.jsonl": b'{"a": 1}\n{"a": \n',
    "bad.xls": b"x",
    "bad.toml": b"quasi = [",
    "color.toml": b"color = 'red'",
    "short.csv": b"1;x;*\n",
    "roots.csv": b"1;a\n2;b\n",
    "names.csv": b"name,age\n" + b"".join(b"P%d,%d\n" % (n, 30 + n % 2) for n in range(40)),
    "policy.toml": b'privacy = [["1", "9"]]\n',
}
READABLE = ("bad.toml", "color.toml", "policy.toml", "short.csv", "roots.csv", "names.csv")  # wrong in another place
ANONYMIZE = "anonymize good.dat -k 2 -o out"
ANONYMIZE_BOTH = "anonymize good.csv --quasi age,city --items codes -o out"
LINES = {
    **{f"profile {name}": f"profile {name}" for name in BAD if name not in READABLE},
    "no such file": "profile nowhere.csv",
    "no such column": "profile good.csv --quasi height",
    "two roles": "profile good.csv --quasi age --sensitive age",
    "damaged schema": "profile good.csv --schema bad.toml",
    "unknown schema key": "profile good.csv --schema color.toml",
    "unknown builder": "profile good.dat --hierarchy balanced:x",
    "values not covered": f"{ANONYMIZE} -a identity --hierarchy short.csv",
    "cyclic hierarchy": f"{ANONYMIZE} -a aa --hierarchy cyclic.csv",
    "two roots": "hierarchy check roots.csv",
    "hierarchy exists": "hierarchy build balanced:2 good.dat -o tree.csv",
    "k zero": "anonymize good.dat -a identity -k 0 -o out",
    "k no number": "anonymize good.dat -a identity -k five -o out",
    "k missing": "anonymize good.dat -a identity -o out",
    "k too large": "anonymize good.dat -a identity -k 4 -o out",
    "unknown algorithm": f"{ANONYMIZE} -a magic",
    "unknown parameter": f"{ANONYMIZE} -a lift --set color=red",
    "choice out of range": f"{ANONYMIZE} -a lift --set residue=blue",
    "needs a hierarchy": f"{ANONYMIZE} -a aa",
    "needs quasi columns": f"{ANONYMIZE} -a mondrian",
    "no output": "anonymize good.dat -a identity -k 2",
    "unknown flag": "profile good.dat --color red",
    "unknown command": "paint good.dat",
    "unknown format": f"{ANONYMIZE} -a identity --format docx",
    "not covered": "anonymize good.csv --quasi age,city --items codes -a mondrian -k 2 -o out --no-report",
    "exposed column": "anonymize names.csv --quasi age --other name -a mondrian -k 2 -o out --no-report",
    "worthless": "anonymize worthless.csv --quasi age -a incognito -k 6 -o out --no-report",
    "infeasible delta": f"{ANONYMIZE_BOTH} -a rmerge-r -k 4 --delta 0.1 --seed 1 --hierarchy balanced:2 --no-report",
    "not anonymous as it is": "anonymize worthless.csv --quasi age -a identity -k 2 -o out --no-report",
    "policy names an unknown item": f"{ANONYMIZE} -a pcta --policy policy.toml",
    "release missing": "verify nowhere --original good.dat",
    "not a release": "measure . --original good.dat",
    "row too high": "explain nowhere --row 9",
    "no plan": "compare good.csv -o study",
    "no project": "run nowhere.toml",
    "in memory only": "anonymize good.csv --quasi age,city --items codes -a incognito -k 2 --memory 1GB -o out",
    "bad memory": f"{ANONYMIZE} -a lift --memory lots",
    "bad risk": "recommend good.dat --max-risk high -o best",
}


def entries():
    """Exit code, kind of error and whether something was written."""
    return {name: functools.partial(_result, name) for name in LINES}


def text_entries():
    """The words of each error."""
    return {name: functools.partial(_words, name) for name in LINES}


def _result(name):
    return {part: value for part, value in _session()[name].items() if part != "message"}


def _words(name):
    return _session()[name]["message"]


@functools.cache
def _session():
    with tempfile.TemporaryDirectory(prefix="golden-") as place, contextlib.chdir(place):
        for name, content in (GOOD | BAD | {"worthless.csv": "age\n" + "".join(f"{n}\n" for n in range(20, 26))}).items():
            Path(name).write_bytes(content if isinstance(content, bytes) else content.encode())
        return {name: _failed(line, place) for name, line in LINES.items()}


def _failed(line, place):
    code, out, err = run(f"{line} --json")
    try:
        printed = json.loads(out)
    except ValueError:
        printed = {}
    error = printed.get("error", {}) if isinstance(printed, dict) else {}
    message = error.get("message", err.strip()).replace(place, "PLACE")
    return {"exit": code, "kind": error.get("kind"), "written": Path("out").exists(), "message": message}
