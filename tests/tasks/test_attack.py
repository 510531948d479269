import json

import pytest

from anonset.errors import InputError
from anonset.model.serialization import to_builtins
from anonset.tasks import attack
from anonset.tasks.attack import AttackRequest


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
