"""`anonset warm` says how many algorithms are ready and where their kernels are."""

import json

from anonset.algorithms import ALGORITHMS
from anonset.cli import main
from anonset.tasks import warm


def test_what_is_ready_is_told(monkeypatch, capsys):
    monkeypatch.setattr(warm, "ALGORITHMS", {"aa": ALGORITHMS["aa"]})

    assert main(["warm"]) == 0
    assert capsys.readouterr().out.startswith("1 algorithms are ready after ")
    assert main(["warm", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["algorithms"] == ["aa"]
