import pytest

from anonset.data import read
from anonset.errors import ParameterError
from anonset.model.guarantees import KmAnonymity
from anonset.tasks import anonymize, verify
from anonset.tasks.verify import Promise, VerifyRequest


def test_a_folder_is_checked_for_what_it_promises_and_for_more(shop, made, phases):
    folder = made(shop, "pcta", k=2).output

    own = verify.run(VerifyRequest(folder, shop), phases)
    more = verify.run(VerifyRequest(folder, shop, Promise("km-anonymity", {"k": 4, "m": 1})))

    assert own.verdict.holds
    assert own.truth_checked
    assert [f.guarantee for f in own.verdict.findings] == ["km-anonymity", "truthful", "unchanged since published"]
    assert phases.heard[-1] == ("Checking", 1.0)
    assert more.as_json()["holds"] is False
    assert more.as_json()["truth_checked"] is True


def test_what_was_handed_out_is_checked_without_truth(shop, made, tmp_path):
    (made(shop, "pcta", k=2).output / "published").rename(tmp_path / "handed_out")

    found = verify.run(VerifyRequest(tmp_path / "handed_out", shop))

    assert (found.verdict.holds, found.truth_checked) == (True, False)


@pytest.mark.parametrize(("aligned", "holds"), [(False, True), (True, False)])
def test_a_file_of_another_tool_is_true_only_row_by_row(shop, tmp_path, aligned, holds):
    theirs = tmp_path / "theirs.dat"
    theirs.write_text("3|4\n" * 3 + "1|2\n" * 3 + "5|6\n" * 4)
    asked = VerifyRequest(theirs, shop, Promise("km-anonymity", {"k": 2, "m": 1}), aligned)

    found = verify.run(asked)

    assert (found.verdict.holds, found.truth_checked) == (holds, aligned)
    with pytest.raises(ParameterError, match="a file has no guarantee of its own; pass guarantee="):
        verify.run(VerifyRequest(theirs, shop))


def test_what_a_promise_leaves_open_comes_from_the_data_and_the_policies(people, shop, tmp_path):
    policy = tmp_path / "policy.toml"
    policy.write_text('privacy = [["1", "2"]]\nutility = [["1", "2"]]\n')

    diverse = verify.promised(Promise("l-diversity", {"l": 2}), people.read())
    constraints = verify.promised(Promise("constraints", {"k": 2}, policy), shop.read())

    assert diverse.column == "illness"
    assert constraints.itemsets == (("1", "2"),)
    with pytest.raises(ParameterError, match="pass policy="):
        verify.promised(Promise("constraints", {"k": 2}), shop.read())


def test_a_release_in_memory(shop):
    data = read(shop.data)
    release = anonymize.of_dataset(data, "pcta", {"k": 2})

    assert verify.of_release(data, release).holds
    assert not verify.of_release(data, release, [KmAnonymity(4, 1)]).holds
