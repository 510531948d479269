"""The time of an algorithm on parts, told from trials: a clock that a made-up algorithm moves itself."""

from dataclasses import dataclass, field

import numpy as np
import pytest

from anonset.engine.strategies import seconds_on_parts
from anonset.errors import InfeasibleError
from anonset.model.dataset import Dataset
from anonset.samples import zipf_baskets

DATA = Dataset(transactions=zipf_baskets(10_000, d=5, mean=1.0, longest=3, seed=0))


@dataclass
class Slow:
    """Takes a time that grows with the records."""

    power: float
    unit: float = 1e-4
    now: float = 0.0
    tried: list = field(default_factory=list)

    def anonymize(self, data):
        self.tried.append(len(data))
        self.now += self.unit * len(data) ** self.power

    def forecast(self, part, records):
        return seconds_on_parts(self, DATA, part, records, clock=lambda: self.now)


@pytest.mark.parametrize("power", [1.0, 1.3, 2.0])
@pytest.mark.parametrize("part", [4_000, 20_000])
def test_the_forecast_is_what_all_parts_take(power, part):
    slow = Slow(power, 1e-7)

    assert slow.forecast(part, 1_000_000) == pytest.approx(1e-7 * part**power * 1_000_000 / part, rel=0.01)


def test_trials_are_few_where_time_or_records_are_short():
    quick, long, small = Slow(1.0, 1e-9), Slow(1.0, 1e-2), Slow(1.0)
    for slow, records in ((quick, 1_000_000), (long, 1_000_000), (small, 40_000)):
        slow.forecast(20_000, records)

    assert max(quick.tried) == len(DATA)
    assert long.tried == [500, 500]
    assert max(small.tried) == 0.03 * 40_000
    assert Slow(1.0).forecast(20_000, 1_000) == 0.0


def test_what_few_records_do_not_allow_is_no_reason_to_refuse():
    class Demanding(Slow):
        def anonymize(self, data):
            raise InfeasibleError("too few")

    assert Demanding(1.0).forecast(20_000, 1_000_000) == 0.0
    assert np.isfinite(Slow(0.0, 0.0).forecast(20_000, 1_000_000))
