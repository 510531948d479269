"""What a user sees of workloads, reports, studies and recommendations."""

import json
import re

import pytest

pytest.importorskip("jinja2")

from anonset.cli import main
from anonset.samples import write_sample


@pytest.fixture(scope="module")
def sample(tmp_path_factory):
    folder = tmp_path_factory.mktemp("evaluation")
    write_sample(folder, 300, 1)
    read = ["--quasi", "age,sex,town", "--items", "diagnoses", "--hierarchies", str(folder / "hierarchies")]
    asked = ["--algorithm", "rmerge-r", "-k", "3", "--delta", "0.5", "--seed", "1", "--set", "items=pcta"]
    data = str(folder / "patients.csv")
    assert main(["anonymize", data, *read, *asked, "-o", str(folder / "out"), "-q"]) == 0
    return folder, data, read


def test_a_workload_is_drawn_saved_and_measured_query_by_query(sample, tmp_path, capsys):
    folder, data, read = sample
    out = str(tmp_path / "w.json")

    assert main(["workload", data, *read, "-n", "20", "-o", out]) == 0
    assert (
        main(["measure", str(folder / "out"), "--original", data, "--workload", out, "--worst", "2", "--measure", "risk"]) == 0
    )
    text = capsys.readouterr().out
    assert main(["measure", str(folder / "out"), "--original", data, "--workload", out, "--worst", "2", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)

    assert "records counted" in text
    assert len(found["worst"]) == 2
    assert sum(row["queries"] for row in found["by_size"].values()) == 20
    assert found["are"] > 0


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--kind", "odd"], "must be one of random"),
        (["--kind", "generalized"], "--kind generalized and --release"),
        (["--draw", "odd"], "relational, items, both"),
        (["--kind", "frequent", "--width", "0.5"], "take n, support"),
    ],
)
def test_a_workload_that_cannot_be_drawn_is_told(flags, message, sample, tmp_path, capsys):
    _, data, read = sample

    assert main(["workload", data, *read, *flags, "-o", str(tmp_path / "w.json")]) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "w.json").exists()


def test_each_kind_of_workload_can_be_drawn(sample, tmp_path):
    folder, data, read = sample
    kinds = {
        "frequent": ["--support", "0.02"],
        "presence": ["--absent", "3"],
        "generalized": ["--release", str(folder / "out")],
    }

    for kind, flags in kinds.items():
        assert main(["workload", data, *read, "--kind", kind, *flags, "-n", "5", "-o", str(tmp_path / f"{kind}.json")]) == 0


def test_the_report_names_its_command_and_takes_in_a_study(sample, tmp_path, capsys):
    folder, data, _ = sample
    plan = tmp_path / "plan.toml"
    plan.write_text(
        f"""
[[data]]
path = {json.dumps(data)}
schema = {{ quasi = ["age", "sex", "town"], items = ["diagnoses"], hierarchies = {json.dumps(str(folder / "hierarchies"))} }}
[workload]
n = 10
[[run]]
algorithm = "rmerge-r"
k = [2, 3]
delta = 0.5
items = "pcta"
"""
    )
    before = (folder / "out" / "published" / "about.html").read_bytes()

    assert main(["compare", str(plan), "-o", str(tmp_path / "study"), "--max-risk", "k=3", "-q"]) == 0
    assert "best under a risk of k=3: rmerge-r k=3" in capsys.readouterr().out
    asked = ["--original", data, "--study", str(tmp_path / "study"), "--attackers", "20", "--seed", "1"]
    assert main(["report", str(folder / "out"), *asked]) == 0

    page = (folder / "out" / "report.html").read_text()
    assert "Other settings" in page
    assert "this release" in page
    assert {"patients.csv</td><td>input", "town.csv</td><td>input", "records.csv</td><td>published"} <= set(
        re.findall(r"[a-z]+\.csv</td><td>[a-z]+", page)
    )
    assert re.search(r"<pre>anonset anonymize .*--algorithm rmerge-r -k 3", page)
    assert (folder / "out" / "published" / "about.html").read_bytes() == before
    assert main(["verify", str(folder / "out"), "--original", data]) == 0


def test_a_recommendation_hands_back_the_release_that_was_tried(tmp_path, capsys):
    people = tmp_path / "people.csv"
    people.write_text("age,town\n" + "".join(f"{20 + n % 9},{('Rome', 'Oslo', 'Bonn')[n % 3]}\n" for n in range(60)))
    data, read, out = str(people), ["--quasi", "age,town"], tmp_path / "deep" / "out"
    main(["workload", data, *read, "-n", "10", "-o", str(tmp_path / "w.json")])
    asked = ["--max-risk", "0.2", "--workload", str(tmp_path / "w.json"), "--seconds", "300", "-q"]

    assert main(["recommend", data, *read, *asked, "-o", str(out)]) == 0

    assert "answers queries with the least error" in capsys.readouterr().out
    manifest = json.loads((out / "release" / "private" / "manifest.json").read_text())
    trials = [json.loads(line) for line in (out / "study" / "trials.jsonl").read_text().splitlines()]
    best = min((t for t in trials if t["outcome"] == "done"), key=lambda t: t["measures"]["are"])
    assert manifest["measures"]["ncp"] == pytest.approx(best["measures"]["ncp"])
    assert "anonset anonymize" in manifest["command"]
    assert "Other settings" in (out / "release" / "report.html").read_text()
    assert main(["verify", str(out / "release"), "--original", data]) == 0


@pytest.mark.parametrize("command", [["compare", "plan.toml"], ["recommend", "data.csv"]])
def test_a_limit_that_is_none_is_refused(command, tmp_path, capsys):
    assert main([*command, "--max-risk", "2", "-o", str(tmp_path / "x")]) == 2
    assert "risk limit" in capsys.readouterr().err
    assert not (tmp_path / "x").exists()
