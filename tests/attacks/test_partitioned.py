"""Attackers on a release in parts find what they find in memory, where everybody is attacked."""

import pytest

import anonset
from anonset.attacks import attack
from anonset.tasks import attack as attacking
from anonset.tasks.attack import AttackRequest
from anonset.tasks.inputs import Input, Limits, load
from engine_data import write_baskets, write_people

PEOPLE = {"quasi": ["age", "income", "region"], "sensitive": ["illness"], "parameters": {"delta": 0.5}, "seed": 0, "m": 2}
CASES = {
    "secret items": (write_baskets, "aa", {"m": 2, "sensitive_items": ("i1", "i7")}),
    "people": (write_people, "rmerge-r", PEOPLE),
}


@pytest.mark.parametrize("case", CASES)
def test_all_persons_attacked_in_batches_are_exposed_as_in_memory(case, tmp_path, monkeypatch):
    monkeypatch.setattr("anonset.engine.planning.LARGEST", 70)
    monkeypatch.setattr("anonset.engine.planning.SMALLEST", 50)
    write, algorithm, asked = CASES[case]
    folder = write(tmp_path / "big", 150, files=1)
    anonset.anonymize_files(folder, tmp_path / "out", algorithm, k=4, item_hierarchy="balanced:3", accept_loss=True, **asked)
    loaded = load(tmp_path / "out", Input(folder / "0.parquet"))

    whole = attack(loaded.original, loaded.release, attackers=500, seed=1)
    batches = attacking.run(AttackRequest(tmp_path / "out", Input(folder), attackers=500, seed=1, limits=Limits("1GB")))

    known = {str(linkage.knowledge): linkage for linkage in whole.linkages}
    assert [str(linkage.knowledge) for linkage in batches.linkages] == list(known)
    for found in batches.linkages:
        assert found.attackers == known[str(found.knowledge)].attackers
        if found.knowledge.choice != "uniform" or not found.knowledge.items:
            same = known[str(found.knowledge)]
            for side, other in ((found.before, same.before), (found.after, same.after)):
                assert side.singled_out == other.singled_out
                assert side.marketer == pytest.approx(other.marketer)
                assert (side.prosecutor, side.journalist) == (other.prosecutor, other.journalist)
    assert [(i.secret, str(i.knowledge), i.attackers) for i in batches.inferences] == [
        (i.secret, str(i.knowledge), i.attackers) for i in whole.inferences
    ]
    quasi = [i for i in range(len(whole.inferences)) if not whole.inferences[i].knowledge.items]
    for i in quasi:
        assert batches.inferences[i] == whole.inferences[i]
    assert quasi or case != "people"
