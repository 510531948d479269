"""Bad input: the right exit code, one line that says what was wrong, no traceback, nothing left behind."""

import gzip
import os

import pytest

from anonset.cli import main

ITEMS = "1 2\n1 2\n1 2\n"
TABLE = "age,city,codes\n30,Rome,a b\n30,Rome,a b\n40,Oslo,c\n40,Oslo,c\n"
ROLES = "--quasi age,city --items codes"


def write(folder, name, content):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.fixture
def work(tmp_path, monkeypatch):
    """A folder with good files, from which commands run."""
    monkeypatch.chdir(tmp_path)
    write(tmp_path, "good.dat", ITEMS)
    write(tmp_path, "good.csv", TABLE)
    write(tmp_path, "h.csv", "1;12;*\n2;12;*\n")
    return tmp_path


# what is in the file `bad` (its name, its content), the command line, the exit code, what the line says
CASES = {
    "empty file": ("bad.csv", "", "anonymize bad.csv -a identity -k 2 -o out", 2, "bad.csv: is empty"),
    "empty baskets": ("bad.dat", "", "anonymize bad.dat -a identity -k 2 -o out", 2, "bad.dat: is empty"),
    "header only": ("bad.csv", "age,city\n", "anonymize bad.csv -a identity -k 2 -o out", 2, "no records"),
    "ragged rows": ("bad.csv", "a,b\n1,2\n1,2,3\n", "anonymize bad.csv -a identity -k 2 -o out", 2, "line 3"),
    "binary junk": ("bad.csv", bytes(range(256)), "anonymize bad.csv -a identity -k 2 -o out", 2, "must be UTF-8"),
    "zero bytes": ("bad.csv", b"a,b\n1,\x00\n", "anonymize bad.csv -a identity -k 2 -o out", 2, "zero byte"),
    "wrong encoding": ("bad.csv", "città,b\n1,2\n".encode("latin-1"), "profile bad.csv", 2, "must be UTF-8"),
    "UTF-16": ("bad.csv", "a,b\n1,2\n".encode("utf-16"), "profile bad.csv", 2, "UTF-16"),
    "not a number": ("bad.csv", "age\n30\nnan\n31\n", "profile bad.csv --quasi age", 2, "finite"),
    "infinite": ("bad.csv", "age\n30\ninf\n31\n", "profile bad.csv --quasi age", 2, "finite"),
    "columns of one name": ("bad.csv", "a,b,a\n1,2,3\n", "profile bad.csv", 2, "a"),
    "no such column": ("bad.csv", TABLE, "profile bad.csv --quasi height", 2, "there is no column 'height'"),
    "two roles for a column": ("bad.csv", TABLE, "profile bad.csv --quasi age --sensitive age", 2, "two parts"),
    "words among baskets": ("bad.dat", "1 2\n3 x\n", "profile bad.dat", 2, "line 2"),
    "cut off gzip": ("bad.dat.gz", gzip.compress(b"1 2\n" * 99)[:20], "profile bad.dat.gz", 2, "gzip"),
    "not gzipped": ("bad.dat.gz", "1 2\n", "profile bad.dat.gz", 2, "gzip"),
    "damaged Parquet": ("bad.parquet", b"PAR1junk", "profile bad.parquet", 2, "not a complete Parquet file"),
    "damaged JSON lines": ("bad.jsonl", '{"a": 1}\n{"a": \n', "profile bad.jsonl", 2, "line 2"),
    "no such file": (None, "", "profile nowhere.csv", 2, "there is no such file"),
    "a folder": (None, "", "profile . --input-format csv", 2, "is a folder"),
    "unknown kind of file": ("bad.xls", "x", "profile bad.xls", 2, "must end in"),
    "damaged schema": ("bad.toml", "quasi = [", "profile good.csv --schema bad.toml", 2, "not valid TOML"),
    "unknown key in a schema": ("bad.toml", "color = 'red'", "profile good.csv --schema bad.toml", 2, "no key 'color'"),
    "item not in the hierarchy": (
        "bad.csv",
        "1;x;*\n",
        "anonymize good.dat -a identity -k 2 --hierarchy bad.csv -o out",
        2,
        "not leaves of this hierarchy",
    ),
    "cyclic hierarchy": (
        "bad.csv",
        "child,parent\n1,2\n2,1\n",
        "anonymize good.dat -a identity -k 2 --hierarchy bad.csv -o out",
        2,
        "bad.csv",
    ),
    "two roots": ("bad.csv", "1;a\n2;b\n", "hierarchy check bad.csv", 2, "complaint"),
    "unknown builder": (None, "", "profile good.dat --hierarchy balanced:x", 2, "balanced:N"),
    "fanout of one": (None, "", "hierarchy build balanced:1 good.dat -o new.csv", 2, "groups of 2 or more"),
    "hierarchy that exists": (None, "", "hierarchy build balanced:2 good.dat -o h.csv", 2, "exists already"),
    "k = 0": (None, "", "anonymize good.dat -a identity -k 0 -o out", 2, "k must be an integer from 1"),
    "k no number": (None, "", "anonymize good.dat -a identity -k five -o out", 2, "k must be an integer from 1"),
    "k missing": (None, "", "anonymize good.dat -a identity -o out", 2, "k must be given"),
    "m = 0": (None, "", "anonymize good.dat -a identity -k 2 -m 0 -o out", 2, "m must be an integer from 1"),
    "k above the number of records": (None, "", "anonymize good.dat -a identity -k 4 -o out", 4, "k=4 exceeds the 3 records"),
    "unknown algorithm": (None, "", "anonymize good.dat -a magic -k 2 -o out", 2, "no algorithm 'magic'; choose from"),
    "unknown algorithm to show": (None, "", "algorithms magic", 2, "no algorithm 'magic'; choose from"),
    "unknown parameter": (None, "", "anonymize good.dat -a identity -k 2 --set p=1 -o out", 2, "no parameter 'p'; there are k"),
    "parameter it does not declare": (
        None,
        "",
        "anonymize good.dat -a identity -k 2 --delta .5 -o out",
        2,
        "no parameter 'delta'",
    ),
    "parameter without a value": (None, "", "anonymize good.dat -a identity -k 2 --set m -o out", 2, "name=value"),
    "parameter given twice": (None, "", "anonymize good.dat -a identity -k 2 --set k=3 -o out", 2, "k is given twice"),
    "damaged policy": ("bad.toml", "x = 1", "anonymize good.dat -a identity -k 2 --policy bad.toml -o out", 2, "no key 'x'"),
    "policy it does not take": (
        "bad.toml",
        'privacy = [["1"]]',
        "anonymize good.dat -a identity -k 2 --policy bad.toml -o out",
        2,
        "identity takes no privacy policy",
    ),
    "unknown format": (None, "", "anonymize good.dat -a identity -k 2 --format xls -o out", 2, "no format 'xls'"),
    "columns in FIMI": (None, "", f"anonymize good.csv {ROLES} -a identity -k 2 --format fimi -o out", 2, "item sets"),
    "output exists": (None, "", "anonymize good.dat -a identity -k 2 -o h.csv", 2, "exists already"),
    "output no release": (None, "", "anonymize good.dat -a identity -k 2 --overwrite -o h.csv", 2, "is not a release"),
    "no folder for the output": (None, "", "anonymize good.dat -a identity -k 2 -o no/such/out", 2, "does not exist"),
    "a file for a folder": (None, "", "anonymize good.dat -a identity -k 2 -o good.dat/out", 2, "does not exist"),
    "no output": (None, "", "anonymize good.dat -a identity -k 2", 2, "output"),
    "no data": (None, "", "anonymize -o out", 2, "DATA"),
    "unknown flag": (None, "", "profile good.dat --frobnicate", 2, "--frobnicate"),
    "unknown command": (None, "", "frobnicate", 2, "frobnicate"),
    "promise not kept": ("bad.dat", "1 2\n1\n", "anonymize bad.dat -a identity -k 2 -o out", 3, "km-anonymity does not hold"),
    "no release": (None, "", "verify . --original good.dat", 2, "is not a release"),
    "no such release": (None, "", "measure nowhere --original good.dat", 2, "is not a release"),
    "file without a guarantee": (None, "", "verify good.dat --original good.dat", 2, "pass --guarantee"),
    "unknown guarantee": (None, "", "verify good.dat --original good.dat --guarantee magic", 2, "no guarantee 'magic'"),
    "guarantee without k": (None, "", "verify good.dat --original good.dat --guarantee km-anonymity -m 2", 2, "takes k, m"),
    "guarantee with k that is none": (
        None,
        "",
        "verify good.dat --original good.dat --guarantee km-anonymity -m 1 --set k=nan",
        2,
        "k must be a whole number from 1; got nan",
    ),
    "guarantee with k = 0": (None, "", "verify good.dat --original good.dat --guarantee km-anonymity -k 0 -m 1", 2, "from 1"),
    "unknown token": (
        "bad.dat",
        "1 2\n1 oops\n",
        "verify bad.dat --original good.dat --guarantee km-anonymity -k 2 -m 1",
        2,
        "bad.dat, line 2, column items: 'oops' is no value",
    ),
    "other number of records": (
        "bad.dat",
        "1 2\n",
        "verify bad.dat --original good.dat --guarantee km-anonymity -k 2 -m 1 --aligned",
        2,
        "has 1 records",
    ),
    "published identifier": (
        "bad.csv",
        TABLE,
        "verify bad.csv --original good.csv --identifier age --guarantee k-anonymity -k 2",
        3,
        "the identifier 'age' is published",
    ),
    "constraints without a policy": (
        None,
        "",
        "verify good.dat --original good.dat --guarantee constraints -k 2",
        2,
        "pass --policy",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_bad_input(work, capsys, case):
    name, content, line, code, says = CASES[case]
    if name is not None:
        write(work, name, content)
    before = {path: path.read_bytes() for path in work.iterdir()}

    found = main(line.split())
    captured = capsys.readouterr()

    assert found == code, captured.err
    assert captured.err.startswith("anonset: ")
    assert captured.err.count("\n") == 1
    assert says in captured.err
    assert "Traceback" not in captured.err
    assert {path: path.read_bytes() for path in work.iterdir()} == before


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="needs a file system that takes no new folders")
def test_a_folder_that_cannot_be_written_to(work, capsys):
    assert main(["anonymize", "good.dat", "-a", "identity", "-k", "2", "-o", "/proc/out"]) == 2

    message = capsys.readouterr().err
    assert message.startswith("anonset: /proc: cannot be written to: ")
    assert message.count("\n") == 1


def test_a_full_disk(work, capsys, monkeypatch):
    from anonset.releases import publish

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(publish, "write_folder", full)

    assert main(["anonymize", "good.dat", "-a", "identity", "-k", "2", "-o", "out"]) == 2
    assert capsys.readouterr().err == "anonset: out: cannot be written: No space left on device\n"
    assert not (work / "out").exists()


def test_interrupted(work, capsys, monkeypatch):
    from anonset.releases import publish

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(publish, "verify", interrupted)

    assert main(["anonymize", "good.dat", "-a", "identity", "-k", "2", "-o", "out"]) == 130
    assert capsys.readouterr().err == "anonset: interrupted; nothing was written\n"
    assert {path.name for path in work.iterdir()} == {"good.dat", "good.csv", "h.csv"}


def test_an_unexpected_error_tells_where_it_was_but_quotes_nothing(work, capsys, monkeypatch):
    from anonset.releases import publish

    def broken(*_, **__):
        raise ValueError("patient 4711 has HIV")

    monkeypatch.setattr(publish, "verify", broken)

    assert main(["anonymize", "good.dat", "-a", "identity", "-k", "2", "-o", "out"]) == 1
    message = capsys.readouterr().err
    assert message.startswith("anonset: internal error: ValueError in ")
    assert "4711" not in message
    with pytest.raises(ValueError, match="4711"):
        main(["anonymize", "good.dat", "-a", "identity", "-k", "2", "-o", "out", "--traceback"])
