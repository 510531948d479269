import json

import pytest

pytest.importorskip("jinja2")

from anonset.errors import InfeasibleError, InputError
from anonset.model.cover import Cover
from anonset.model.serialization import to_builtins
from anonset.tasks import recommend
from anonset.tasks.inputs import Input
from anonset.tasks.recommend import RecommendRequest


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("age,town\n" + "".join(f"{20 + n % 5},{('Rome', 'Oslo')[n % 2]}\n" for n in range(40)))
    return Input(path, {"quasi": ("age", "town")})


def test_the_best_release_is_published_with_the_reasons(table, tmp_path, phases):
    request = RecommendRequest(
        table, tmp_path / "deep" / "out", max_risk="k=2", seconds=300, cover=Cover("Menschen", "A. Steward", "de")
    )

    found = recommend.run(request, phases, command=lambda algorithm, values, out: f"make {algorithm} {out.name}")

    folder = tmp_path / "deep" / "out" / "release"
    assert found.published.verdict.holds
    assert found.published.folder == folder
    assert "Menschen – Bericht zur" in (folder / "report.html").read_text()
    manifest = json.loads((folder / "private" / "manifest.json").read_text())
    assert manifest["command"] == f"make {found.found.best.algorithm} release"
    assert (tmp_path / "deep" / "out" / "study" / "trials.parquet").exists()
    assert phases.heard[-1] == ("Writing and checking", 1.0)
    plain = to_builtins(found)
    assert json.loads(json.dumps(plain)) == plain
    assert plain["setting"] == found.setting
    assert plain["reasons"]
    with pytest.raises(InputError, match="exists already"):
        recommend.run(request)


def test_where_nothing_keeps_the_risk_it_is_said(table, tmp_path):
    with pytest.raises(InfeasibleError, match="nothing that was tried"):
        recommend.run(RecommendRequest(table, tmp_path / "out", max_risk="k=50", seconds=60))

    assert not (tmp_path / "out" / "release").exists()
