import gzip
import json

import numpy as np
import pytest

from anonset.cli import main


@pytest.fixture
def data(tmp_path):
    """A data folder of the papers' shape with made-up records."""
    rng = np.random.default_rng(0)
    folder = tmp_path / "data"
    (folder / "transactions").mkdir(parents=True)
    (folder / "rt" / "informs05_hierarchies").mkdir(parents=True)
    baskets = [" ".join(map(str, np.unique(rng.zipf(1.6, rng.integers(5, 9)).clip(max=30)))) for _ in range(120)]
    with gzip.open(folder / "transactions" / "bms_webview_2.dat.gz", "wt") as file:
        file.write("\n".join(baskets) + "\n")
    with gzip.open(folder / "rt" / "informs05.csv.gz", "wt") as file:
        file.write("age,items\n" + "".join(f"{30 + r % 9},{row}\n" for r, row in enumerate(baskets)))
    lines = "".join(f"{i};{'low' if i < 10 else 'high'};*\n" for i in range(1, 31))
    (folder / "rt" / "informs05_hierarchies" / "items.csv").write_text(lines)
    return folder


def test_a_paper_is_reproduced_quickly_on_made_up_data(data, tmp_path, capsys):
    out = tmp_path / "out"

    code = main(["reproduce", "001", "--quick", "--data", str(data), "-o", str(out), "--json"])

    printed = json.loads(capsys.readouterr().out)
    assert code == 0
    assert set(printed["answers"]) == {"001-1", "001-2", "001-3"}
    assert sum(printed["counts"].values()) == 3
    found = json.loads((out / "results.json").read_text(encoding="utf-8"))
    assert found["quick"] is True
    assert all(result["checks"] for result in found["results"])
    assert all("a stand-in" not in text for result in found["results"] for text in result["data"])
    page = (out / "report.html").read_text(encoding="utf-8")
    assert page.count("<svg") == 6
    assert "001-3" in page


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["reproduce", "999"], "no paper '999'"),
        (["reproduce", "001", "--data", "."], "look-alikes"),
        (["reproduce", "001", "-o", "file", "--quick"], "is a file"),
    ],
)
def test_bad_requests_are_told_before_anything_runs(words, text, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("")

    assert main(words) == 2
    assert text in capsys.readouterr().err
