"""README.md and the codebook: their programs count as the library does, and nothing in the data can break out of them."""

import contextlib
import html
import io
import json
import re
import shlex
import shutil
import subprocess
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

pytest.importorskip("jinja2")

import anonset
from anonset.algorithms import make
from anonset.model.cover import Cover
from anonset.model.labels import GeneralizedItems
from anonset.model.release import Accepted
from anonset.releases.publish import publish, verify_folder
from anonset.report import pages
from anonset.report.pages import release_pages
from anonset.report.words import languages
from anonset.testing import checks

CODES = ["=a", "b c", "d", "e", "f'g", "h"]
PEOPLE = [
    {"age": 20 + n % 9, "town": ["Oslo", "Bergen", "Rome", "Milan"][n % 4], "ill": "flu", "codes": CODES[: 1 + n % 6]}
    for n in range(48)
]
FRAME = pl.DataFrame(PEOPLE)
BOTH = {"quasi": ["age", "town"], "items": "codes", "item_hierarchy": "balanced:2", "other": ["ill"]}
ITEMS = {"items": "codes", "item_hierarchy": "balanced:2"}
COLUMNS = {"quasi": ["age", "town"], "other": ["ill"]}
CASES = {
    "both, csv": (BOTH, "rmerge-rt", {"k": 5, "m": 2, "seed": 1}, "csv"),
    "both, jsonl": (BOTH, "rmerge-rt", {"k": 5, "m": 2, "seed": 1}, "jsonl"),
    "both, parquet": (BOTH, "r-first", {"k": 5, "m": 2, "items": "lift"}, "parquet"),
    "both, feather": (BOTH, "rmerge-rt", {"k": 5, "m": 2, "seed": 1}, "feather"),
    "both, xlsx": (BOTH, "rmerge-rt", {"k": 5, "m": 2, "seed": 1}, "xlsx"),
    "items, fimi": (ITEMS, "aa", {"k": 5, "m": 2}, "fimi"),
    "items, csv": (ITEMS, "lra", {"k": 5, "m": 2}, "csv"),
    "doubts, csv": ({**BOTH, "quasi": ["town"]}, "nr-k", {"k": 3, "seed": 1}, "csv"),
    "doubts, jsonl": (ITEMS, "gray-ring", {"k": 3}, "jsonl"),
    "doubts, parquet": ({**ITEMS, "sensitive": ["town"]}, "cahd", {"l": 3}, "parquet"),
    "doubts, fimi": (ITEMS, "nr-k", {"k": 3, "seed": 1}, "fimi"),
    "columns, csv": (COLUMNS, "mondrian", {"k": 5}, "csv"),
    "columns, jsonl": (COLUMNS, "cluster", {"k": 5, "seed": 0}, "jsonl"),
    "columns, parquet": (COLUMNS, "incognito", {"k": 5}, "parquet"),
}


def released(folder, roles, algorithm, parameters, format):
    """The published half of a release with its codebook, without the pages that take longer."""
    named = {name for names in roles.values() for name in ([names] if isinstance(names, str) else names)}
    data = anonset.read(FRAME.select(name for name in FRAME.columns if name in named), **roles)
    accepted = Accepted(tuple(sorted({"ill", "town"} & named)), loss=True)
    release, write = make(algorithm, parameters).anonymize(data), codebook_writer(data)
    publish(data, release, folder, format=format, accepted=accepted, pages=write)
    return folder / "published"


def codebook_writer(data):
    def write(folder, release, found):
        about = json.loads((folder / "published" / "about.json").read_text())
        for name, text in pages.codebook_of(data, release, about, Cover()).items():
            (folder / "published" / name).write_text(text, encoding="utf-8")

    return write


def blocks(text, language):
    return re.findall(rf"^```{language}\n(.*?)\n```$", text, re.MULTILINE | re.DOTALL)


def run_python(program, folder, monkeypatch):
    monkeypatch.chdir(folder)
    values = {}
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(program, "README.md", "exec"), values)
    assert printed.getvalue()
    judged = values["judged"]
    return [float(judged[name].sum()) for name in ("low", "expected", "high")]


def run_sql(query, database):
    from adbc_driver_duckdb import dbapi

    with dbapi.connect(str(database)) as connection, connection.cursor() as cursor:
        cursor.execute(query)
        return [float(value) for value in cursor.fetchone()]


@pytest.mark.parametrize("case", CASES)
def test_the_programs_of_the_readme_count_as_the_library_does(case, tmp_path, monkeypatch):
    pytest.importorskip("adbc_driver_duckdb")
    folder = released(tmp_path / "out", *CASES[case])
    text = (folder / "README.md").read_text(encoding="utf-8")
    opened = anonset.open_published(folder)
    opened.to_duckdb(folder / "release.duckdb")

    commands = [shlex.split(command) for command in blocks(text, "sh")[1:]]
    programs, queries = blocks(text, "python"), blocks(text, "sql")

    assert len(queries) == len(commands) >= 1
    assert len(programs) == 2 * len(queries)
    for number, command in enumerate(commands):
        assert command[:3] == ["anonset", "count", "."]
        count = opened.count(command[3], estimator="uniform")
        expected = pytest.approx([count.low, count.estimate, count.high])
        assert count.low <= count.high <= len(opened)
        for program in programs[2 * number : 2 * number + 2]:
            assert run_python(program, folder, monkeypatch) == expected
        assert run_sql(queries[number], folder / "release.duckdb") == expected


@pytest.mark.skipif(shutil.which("Rscript") is None, reason="R is not installed")
def test_the_r_program_runs_too(tmp_path):
    folder = released(tmp_path / "out", *CASES["both, csv"])
    if subprocess.run(["Rscript", "-e", "library(duckdb)"], capture_output=True).returncode:
        pytest.skip("R has no package duckdb")
    anonset.open_published(folder).to_duckdb(folder / "release.duckdb")

    for program in blocks((folder / "README.md").read_text(encoding="utf-8"), "r"):
        done = subprocess.run(["Rscript", "-e", program], cwd=folder, capture_output=True, text=True)

        assert done.returncode == 0, done.stderr
        assert "expected" in done.stdout


@pytest.mark.parametrize("language", languages())
def test_both_say_the_promise_who_to_ask_and_under_which_licence(language, tmp_path):
    data = anonset.read(FRAME, **BOTH)
    release = make("rmerge-rt", {"k": 5, "m": 2, "seed": 1}).anonymize(data)
    cover = Cover("Visits", language=language, contact="privacy@example.org", licence="CC BY 4.0 <by>")
    accepted = Accepted(("ill",), loss=True)
    publish(
        data,
        release,
        tmp_path / "out",
        pages=release_pages(data, cover=cover),
        cover=cover,
        accepted=accepted,
    )
    folder = tmp_path / "out" / "published"
    readme, codebook, certificate = (
        (folder / n).read_text(encoding="utf-8") for n in ("README.md", "codebook.html", "about.html")
    )
    about = json.loads((folder / "about.json").read_text())

    assert (about["contact"], about["licence"]) == ("privacy@example.org", "CC BY 4.0 <by>")
    assert "privacy@example.org" in readme
    assert "CC BY 4.0 &lt;by&gt;" in readme
    for page in (codebook, certificate):
        assert "privacy@example.org" in page
        assert "CC BY 4.0 &lt;by&gt;" in page
    promise = re.search(r'<p class="promise">(.*?)</p>', certificate)[1]
    assert promise in codebook
    assert html.unescape(promise) in readme
    assert all(f"<b>{name}</b>" in codebook for name in ("age", "town", "ill", "codes"))
    assert verify_folder(data, tmp_path / "out").holds


def test_names_in_the_data_end_no_block_and_no_element(tmp_path):
    hostile = ["``` x", "<script>alert(1)</script>", "a|b", "'; drop table counts; --"]
    frame = pl.DataFrame(
        {"a|b`<i>": [hostile[n % 4] for n in range(24)], "bag": [[hostile[n % 4], hostile[(n + 1) % 4]] for n in range(24)]}
    )
    data = anonset.read(frame, quasi=["a|b`<i>"], items="bag", item_hierarchy="balanced:2")
    anonset.anonymize(data, "rmerge-rt", k=12, m=2, seed=1).write(tmp_path / "out", accept_loss=True, format="parquet")
    readme, page = ((tmp_path / "out" / "published" / name).read_text() for name in ("README.md", "codebook.html"))
    fences = [line for line in readme.splitlines() if line.startswith("```")]

    assert len(fences) % 2 == 0
    for start, end in zip(fences[::2], fences[1::2], strict=True):
        assert end == re.match("`+", start)[0]
    prose = re.sub(r"^(`{3,}).*?^\1$", "", readme, flags=re.MULTILINE | re.DOTALL)
    assert "<script" not in prose
    assert "<i>" not in prose
    assert "<script" not in page
    assert "<i>" not in page


@pytest.mark.parametrize("format", ["parquet", "jsonl"])
def test_a_release_in_parts_has_them_too(format, tmp_path, monkeypatch):
    pytest.importorskip("adbc_driver_duckdb")
    FRAME.with_columns(codes=pl.col("codes").list.join("|")).write_csv(tmp_path / "people.csv")
    roles = {
        "quasi": ["age", "town"],
        "items": "codes",
        "item_separator": "|",
        "item_hierarchy": "balanced:2",
        "other": ["ill"],
    }
    accepted = {"accept_exposure": ["ill"], "accept_loss": True}
    into = {"output": tmp_path / "out", "memory": "1 GB", "format": format}
    anonset.anonymize(tmp_path / "people.csv", "rmerge-rt", k=5, m=2, seed=1, **into, **accepted, **roles)
    folder = tmp_path / "out" / "published"
    text = (folder / "README.md").read_text(encoding="utf-8")
    opened = anonset.open_published(folder)

    assert (folder / f"records.{format}").is_dir()
    assert (folder / "codebook.html").is_file()
    count = opened.count(shlex.split(blocks(text, "sh")[1])[3])
    for program in blocks(text, "python")[:2]:
        found = run_python(program, folder, monkeypatch)
        assert found == pytest.approx([count.low, count.estimate, count.high])


@pytest.mark.parametrize("leak", ["unheard of", "people.jsonl"])
def test_the_check_of_plug_ins_finds_what_is_not_published(leak, tmp_path, monkeypatch):
    """A value that no record shows, and the name of the input, in a codebook that should not have them."""
    rows = [*({"town": ["Oslo", "Rome"][n % 2], "bag": ["a", "b"]} for n in range(12)), {"town": "Oslo", "bag": ["unheard of"]}]
    (tmp_path / "people.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    data = anonset.read(tmp_path / "people.jsonl", quasi=["town"], items="bag")
    algorithm, usual = make("peel", {"k": 3}), pages.codebook_pages
    monkeypatch.setattr(checks, "attempt", lambda algorithm, data: without(data, "unheard of"))

    checks.the_codebook_says_only_what_is_published(algorithm, data)
    monkeypatch.setattr(
        pages, "codebook_pages", lambda *given, **more: usual(*given, **more) | {"README.md": f"We saw {leak}."}
    )
    with pytest.raises(AssertionError, match=f"README.md has '{leak}', which is not published"):
        checks.the_codebook_says_only_what_is_published(algorithm, data)


def without(data, item):
    """A release that shows everything but one item, which is suppressed."""
    release = make("identity", {"k": 1}).anonymize(data)
    kept = np.array([release.items.domain[i] for i in range(len(release.items.domain))]) != item
    shown = kept[release.items.shown]
    owner = np.repeat(np.arange(len(release)), np.diff(release.items.offsets))[shown]
    offsets = np.concatenate([[0], np.cumsum(np.bincount(owner, minlength=len(release)))])
    gone = np.flatnonzero(~kept).astype(np.int32)
    items = GeneralizedItems(offsets, release.items.shown[shown], release.items.labels, release.items.domain, gone)
    return replace(release, items=items)


def test_python_says_whom_to_ask_and_the_licence_too(tmp_path):
    more = {"contact": "privacy@example.org", "licence": "CC BY 4.0"}
    data = anonset.read(FRAME.select("codes"), **ITEMS)
    anonset.anonymize(data, "aa", k=5, m=2).write(tmp_path / "written", report=False, accept_loss=True, **more)
    anonset.anonymize(data, "aa", k=5, m=2, output=tmp_path / "made", accept_loss=True, **more)

    for name in ("written", "made"):
        about = json.loads((tmp_path / name / "published" / "about.json").read_text())
        assert {key: about[key] for key in more} == more
