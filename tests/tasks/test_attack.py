import json

import pytest

from anonset.cli import main
from anonset.errors import InputError, ParameterError
from anonset.model.serialization import to_builtins
from anonset.tasks import attack
from anonset.tasks.attack import AttackRequest
from anonset.tasks.inputs import Limits


def test_attackers_are_played_on_a_folder(people, made, phases):
    folder = made(people, "identity", k=4).output

    found = attack.run(AttackRequest(folder, people, attackers=20, seed=1), phases)

    assert found.worst <= 1 / 4
    assert found.linkages
    assert {inference.secret for inference in found.inferences} == {"illness"}
    plain = json.loads(json.dumps(to_builtins(found)))
    assert plain.keys() >= {"singling_out", "linkability", "inference", "worst"}
    assert phases.heard[-1] == ("Attacking", 1.0)


def test_the_same_seed_finds_the_same(shop, made):
    request = AttackRequest(made(shop, "pcta", k=2).output, shop, m=1, attackers=10, seed=3)

    assert attack.run(request) == attack.run(request)


def test_a_file_of_another_tool_needs_the_word_that_rows_are_aligned(shop, tmp_path):
    theirs = tmp_path / "theirs.dat"
    theirs.write_text("*\n" * 10)

    with pytest.raises(InputError, match="no row mapping"):
        attack.run(AttackRequest(theirs, shop, attackers=10))
    found = attack.run(AttackRequest(theirs, shop, attackers=10, seed=1, aligned=True))

    assert found.worst == pytest.approx(1 / 10)


def test_earlier_releases_and_the_algorithm_are_played_on_a_folder(shop, made, capsys):
    before, now = made(shop, "pcta", "before", k=2).output, made(shop, "lift", "now", k=3).output

    found = attack.run(AttackRequest(now, shop, attackers=5, seed=1, earlier=(before,), knows_algorithm=True))

    assert found.earlier[0].known
    assert found.earlier[0].people == 5
    assert found.inversion.people <= 5
    plain = json.loads(json.dumps(to_builtins(found)))
    assert plain["earlier"][0]["earlier"] == "before"
    assert plain["inversion"]["left"]["least"] >= 1
    flags = ["--original", str(shop.data), "--earlier", str(before)]
    main(["attack", str(now), *flags, "--knows-algorithm", "--attackers", "5", "--seed", "1"])
    printed = capsys.readouterr().out
    assert "with before" in printed
    assert "Who knows the algorithm" in printed
    assert main(["verify", str(now), *flags]) in (0, 3)
    assert "with before" in capsys.readouterr().out


def test_releases_in_parts_are_not_compared(shop, tmp_path):
    (tmp_path / "private" / "rows.parquet").mkdir(parents=True)
    (tmp_path / "published").mkdir()
    (tmp_path / "published" / "about.json").write_text("{}")
    for extra in ({"earlier": (tmp_path,)}, {"knows_algorithm": True}):
        with pytest.raises(ParameterError, match="in parts"):
            attack.run(AttackRequest(tmp_path, shop, limits=Limits("1GB"), **extra))
