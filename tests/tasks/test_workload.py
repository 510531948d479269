import pytest

from anonset.errors import InputError, ParameterError
from anonset.measure.workload import Workload
from anonset.tasks import workload
from anonset.tasks.workload import WorkloadRequest


def test_queries_are_drawn_and_written(people, tmp_path):
    drawn = workload.run(WorkloadRequest(people, tmp_path / "w.json", settings={"n": 4, "seed": 1}))

    assert len(drawn) == 4
    assert Workload.from_json((tmp_path / "w.json").read_text(), file="w.json") == drawn
    with pytest.raises(InputError, match="exists already"):
        workload.run(WorkloadRequest(people, tmp_path / "w.json"))


def test_generalized_queries_come_from_a_release(shop, made, tmp_path):
    folder = made(shop, "pcta", k=3).output

    drawn = workload.run(WorkloadRequest(shop, tmp_path / "w.json", "generalized", {"n": 3}, folder))

    assert len(drawn) == 3


@pytest.mark.parametrize(("kind", "message"), [("odd", "must be one of random"), ("generalized", "drawn from a release")])
def test_what_cannot_be_drawn_is_told(kind, message, shop, tmp_path):
    with pytest.raises(ParameterError, match=message):
        workload.run(WorkloadRequest(shop, tmp_path / "w.json", kind))

    assert not (tmp_path / "w.json").exists()
