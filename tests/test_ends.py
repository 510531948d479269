"""Rounded ends wherever a release is made: command line, Python, project file, plan, REST body, data in batches."""

import json

import numpy as np
import polars as pl
import pytest
from pydantic import ValidationError

import anonset
from anonset.cli import main
from anonset.errors import ParameterError
from anonset.rest.bodies import NewRun
from anonset.study.plan import Plan
from anonset.study.runner import evaluate
from anonset.tasks import anonymize
from anonset.tasks.algorithms import AlgorithmChoice
from anonset.tasks.inputs import Input, Limits
from anonset.tasks.project import ProjectRequest
from anonset.tasks.project import run as run_project
from anonset.workbench.instructions import command_line, python_code
from anonset.workbench.worker_requests import Reading, RunRequest

ROLES = {"quasi": ["income", "age"], "sensitive": ["illness"]}


@pytest.fixture
def people(tmp_path):
    """400 people whose incomes have five or six digits."""
    rng = np.random.default_rng(1)
    n = 400
    income = np.exp(rng.normal(10.6, 0.6, n)).astype(int)
    frame = pl.DataFrame(
        {"income": income, "age": rng.integers(18, 90, n), "illness": rng.choice(["flu", "cold", "asthma"], n)}
    )
    frame.write_csv(tmp_path / "people.csv")
    return tmp_path / "people.csv"


def ends_of(release, name="income"):
    labels = next(column.labels for column in release.columns if column.name == name)
    wide = labels.low < labels.high
    return np.concatenate([labels.low[wide], labels.high[wide]])


def values_among(release, name="income"):
    return np.isin(ends_of(release, name), release.original.column(name).values).mean()


def test_python_rounds_incomes_and_leaves_ages(people):
    data = anonset.read(people, **ROLES)
    exact, auto = (anonset.anonymize(data, "mondrian", k=5, ends=ends) for ends in ("exact", "auto"))
    assert values_among(exact) == 1.0
    assert values_among(auto) < 0.1
    assert ends_of(auto, "age").tolist() == ends_of(exact, "age").tolist()
    assert auto.verify().holds
    assert auto.measure("ncp")["ncp"] <= 1.01 * exact.measure("ncp")["ncp"]
    assert anonset.anonymize(data, "mondrian", k=5).provenance.ends == "auto"
    with pytest.raises(ParameterError, match="ends must be one of auto, rounded, exact; got 'no'"):
        anonset.anonymize(data, "mondrian", k=5, ends="no")


def test_a_written_release_says_so_and_is_read_back(people, tmp_path):
    data = anonset.read(people, **ROLES)
    release = anonset.anonymize(data, "mondrian", k=5)
    for format in ("csv", "jsonl", "parquet"):
        out = tmp_path / format
        release.write(out, format=format, report=False)
        again = anonset.load(out, data)
        assert np.isin(ends_of(again), ends_of(release)).all()
        assert again.provenance.ends == "auto"
        assert again.verify().holds
    about = json.loads((tmp_path / "csv/published/about.json").read_text())
    assert "The ends of ranges of 'income' are rounded outward: they need not be values of anybody." in about["how_to_read"]
    assert json.loads((tmp_path / "csv/private/manifest.json").read_text())["ends"] == "auto"
    anonset.anonymize(data, "mondrian", k=5, ends="exact").write(tmp_path / "exact", report=False)
    assert "rounded outward" not in (tmp_path / "exact/published/about.json").read_text()


def test_the_command_line_and_a_project_file(people, tmp_path, capsys):
    asked = ["anonymize", str(people), "--quasi", "income,age", "--sensitive", "illness", "-a", "mondrian", "-k", "5"]
    assert main([*asked, "--no-report", "--ends", "rounded", "-o", str(tmp_path / "out")]) == 0
    assert json.loads((tmp_path / "out/private/manifest.json").read_text())["ends"] == "rounded"
    assert main([*asked, "--ends", "never", "-o", str(tmp_path / "no")]) == 2
    assert "ends must be one of auto, rounded, exact" in capsys.readouterr().err
    (tmp_path / "anonset.toml").write_text(
        'version = 1\n[data]\npath = "people.csv"\n[roles]\nquasi = ["income", "age"]\nsensitive = ["illness"]\n'
        '[promise]\nk = 5\n[[run]]\noutput = "plain"\nalgorithm = "mondrian"\nreport = false\nends = "exact"\n'
    )
    run_project(ProjectRequest(tmp_path / "anonset.toml"))
    assert json.loads((tmp_path / "plain/private/manifest.json").read_text())["ends"] == "exact"


def test_data_in_batches_are_rounded_as_in_memory(people, tmp_path):
    for ends in ("auto", "exact"):
        wanted = AlgorithmChoice("mondrian", {"k": 5})
        request = anonymize.AnonymizeRequest(
            Input(people, ROLES), tmp_path / ends, wanted, limits=Limits(jobs=1), report=False, ends=ends
        )
        done = anonymize.run(request)
        assert done.verdict.holds
        frame = pl.read_parquet(tmp_path / ends / "published" / "records.parquet" / "*.parquet")
        release = anonset.anonymize(anonset.read(people, **ROLES), "mondrian", k=5, ends=ends)
        wide = frame.filter(pl.col("income.lo") < pl.col("income.hi"))
        assert set(wide["income.lo"]) | set(wide["income.hi"]) == set(ends_of(release).tolist())
        assert json.loads((tmp_path / ends / "private/manifest.json").read_text())["ends"] == ends
    assert "rounded outward" in (tmp_path / "auto/published/about.json").read_text()
    assert "rounded outward" not in (tmp_path / "exact/published/about.json").read_text()


def test_plans_try_what_would_be_published(people):
    data = anonset.read(people, **ROLES)
    values = {"data": {"path": str(people)}, "run": [{"algorithm": "mondrian", "k": 5}], "measures": ["ncp"]}
    plans = [Plan.from_values(values | more, people.parent) for more in ({}, {"ends": "exact"})]
    found = [evaluate(data, plan, plan.settings[0], plan.key(plan.settings[0], ())) for plan in plans]
    assert found[0].key != found[1].key
    assert found[1].measures["ncp"] < found[0].measures["ncp"] <= 1.01 * found[1].measures["ncp"]


def test_the_workbench_repeats_what_was_chosen(tmp_path):
    order = RunRequest(Reading(tmp_path / "a.csv", tmp_path), tmp_path / "out", "mondrian", {"k": 5}, ends="exact")
    assert "--ends exact" in command_line(order, "a.csv")
    assert "ends='exact'" in python_code(order, "a.csv")
    assert NewRun(ends="rounded").ends == "rounded"
    with pytest.raises(ValidationError):
        NewRun(ends="never")


def test_a_request_is_refused_before_anything_is_read(tmp_path):
    with pytest.raises(ParameterError, match="ends must be one of"):
        anonymize.run(anonymize.AnonymizeRequest(Input(tmp_path / "none.csv"), tmp_path / "out", ends="no"))
