import gzip

import numpy as np
import pytest

from anonset.errors import InputError, ParameterError
from anonset.model.dataset import Dataset, Transactions
from anonset_papers.lookalikes import like_bms_webview_1, like_bms_webview_2, like_pumsb
from anonset_papers.materials import QUICK_RECORDS, SOURCES, Materials, check_folder, default_folder, nested
from anonset_papers.papers import PAPERS, claims_of


def baskets(n):
    return "".join(f"{1 + r % 7} {10 + r % 3}\n" for r in range(n))


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "transactions").mkdir()
    with gzip.open(tmp_path / "transactions" / "bms_webview_1.dat.gz", "wt") as file:
        file.write(baskets(2_000))
    return tmp_path


def test_data_at_hand_are_read_and_others_have_a_stand_in(folder):
    materials = Materials(folder)

    assert len(materials.data("WV1")) == 2_000
    assert materials.said("WV1") == "BMS-WebView-1: bms_webview_1.dat.gz"
    assert "a stand-in" in materials.said("WV2")
    assert "a stand-in" in Materials(None).said("WV1")
    assert materials.data("WV1") is materials.data("WV1")


def test_a_quick_run_takes_the_first_records_and_says_so(folder):
    materials = Materials(folder, quick=True)

    assert len(materials.data("WV1")) == QUICK_RECORDS
    assert f"{QUICK_RECORDS:,} records" in materials.said("WV1")
    assert (materials.pick("all", "some"), Materials(folder).pick("all", "some")) == ("some", "all")


def test_a_folder_without_any_of_the_data_is_an_error(folder, tmp_path_factory):
    check_folder(folder)
    with pytest.raises(InputError, match="look-alikes"):
        check_folder(tmp_path_factory.mktemp("empty"))


def test_the_default_folder_is_where_the_environment_points(folder, monkeypatch, tmp_path):
    monkeypatch.setenv("ANONSET_DATA", str(folder))
    assert default_folder() == folder
    monkeypatch.setenv("ANONSET_DATA", str(tmp_path / "nowhere"))
    assert default_folder() is None


def test_smaller_subsets_are_inside_larger_ones():
    data = Dataset(transactions=Transactions.from_records([[str(r)] for r in range(50)]))

    small, large = ({next(iter(r)) for r in nested(data, n).transactions.records()} for n in (10, 30))

    assert len(small) == 10
    assert small < large
    assert nested(data, 50) is data


def test_stand_ins_have_the_shape_of_what_they_stand_for_and_repeat_themselves():
    one, two = like_bms_webview_1(3_000), like_bms_webview_2(3_000)

    assert (len(one.domain), len(two.domain)) == (497, 3_340)
    assert one.lengths.mean() == pytest.approx(2.5, abs=0.3)
    assert two.lengths.mean() == pytest.approx(4.6, abs=0.3)
    assert (like_pumsb(200).lengths == 74).all()
    np.testing.assert_array_equal(one.items, like_bms_webview_1(3_000).items)


def test_every_experiment_has_a_name_of_its_own_and_data_that_there_are():
    experiments = {id(e): e for claim in claims_of() for e in claim.experiments}.values()

    assert len({e.name for e in experiments}) == len(experiments)
    assert {name for e in experiments for name in e.data} <= set(SOURCES)


def test_papers_are_chosen_by_number():
    assert {claim.paper for claim in claims_of(("002",))} == {"002"}
    assert [claim.id for claim in claims_of(("001",))] == ["001-1", "001-2", "001-3"]
    assert len(PAPERS["002"].claims) == 8
    assert [claim.id for claim in claims_of(("003",))] == [f"003-{n}" for n in range(1, 15)]
    with pytest.raises(ParameterError, match="no paper '999'"):
        claims_of(("999",))
