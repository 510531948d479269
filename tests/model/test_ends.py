"""Rounded ends of ranges, against their slow twin, and what they do to a release."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonset.algorithms import make
from anonset.data.formats.tokens import range_text
from anonset.errors import ParameterError
from anonset.measure import measure
from anonset.measure.information_loss import ncp
from anonset.measure.workload import label_shares
from anonset.model.dataset import Column, Dataset
from anonset.model.ends import check_ends, outward, rounded_columns, with_ends
from anonset.model.labels import PublishedColumn, Ranges
from anonset.model.release import Provenance, Release
from anonset.releases.gates import lost_shares
from anonset.verify import verify
from oracles.ends import outward as slow_outward

WHOLE = st.integers(-(10**12), 10**12).map(float)
DECIMAL = st.decimals(-(10**6), 10**6, places=3).map(float)
TENTHS = st.integers(-1000, 1000).map(lambda n: n * 0.1)  # with the noise of floats
HUGE = st.floats(1e15, 1e300)
ANY = st.floats(allow_nan=False, allow_infinity=False, min_value=-1e200, max_value=1e200).filter(
    lambda x: x == 0 or abs(x) > 1e-200
)


def pairs(numbers):
    return st.tuples(numbers, numbers).map(sorted)


RANGES = st.one_of(pairs(WHOLE), pairs(DECIMAL), pairs(TENTHS), pairs(st.integers(0, 3000).map(float)))


def rounded(low, high):
    a, b = outward(np.array([low]), np.array([high]))
    return float(a[0]), float(b[0])


@given(st.lists(st.one_of(RANGES, pairs(HUGE), pairs(ANY)), min_size=1))
def test_rounded_ranges_cover_the_old_ones_and_widen_them_by_a_hundredth_at_most(ranges):
    low, high = np.array(ranges, np.float64).T
    a, b = outward(low, high)
    assert (a <= low).all()
    assert (high <= b).all()
    assert (((low - a) + (b - high)) <= 0.01 * (high - low) * (1 + 1e-12)).all()
    assert (a[low == high] == low[low == high]).all()
    assert (b[low == high] == high[low == high]).all()


@given(RANGES)
def test_the_step_is_the_coarsest_that_fits(ends):
    assert rounded(*ends) == slow_outward(*ends)


@given(pairs(WHOLE))
def test_whole_numbers_stay_whole(ends):
    a, b = rounded(*ends)
    assert a == int(a)
    assert b == int(b)


@given(pairs(TENTHS))
def test_ends_are_short_decimals(ends):
    low, high = ends
    if high - low < 1:
        return
    for end in rounded(low, high):
        assert len(repr(end).split(".")[1]) <= 3, (low, high, end)


@given(RANGES)
def test_rounding_again_widens_by_no_more_than_another_hundredth_and_stays_as_coarse(ends):
    once = rounded(*ends)
    twice = rounded(*once)
    assert twice[0] <= once[0]
    assert once[1] <= twice[1]
    assert twice[1] - twice[0] <= 1.0101 * (once[1] - once[0]) + 1e-9
    assert rounded(*once) == twice


@pytest.mark.parametrize(
    ("ends", "text"),
    [
        ((20412, 38777), "[20400:38800]"),
        ((1003, 1998), "[1000:2000]"),
        ((-523, 1210), "[-530:1210]"),
        ((5551234567, 5559876543), "[5551200000:5559900000]"),
        ((1234, 1280), "[1234:1280]"),  # a hundredth of 46 is less than 1
        ((0.1, 0.30000000000000004), "[0.1:0.302]"),
        ((-0.3, -0.0004), "[-0.3:0]"),
        ((12.345, 99.117), "[12:99.5]"),
        ((0, 2**63 - 1024), "[0:9223372036854774784]"),  # the next round number is no whole one of 64 bits
        ((1e22, 3.21987e23), "[1e+22:3.25e+23]"),
        ((-1e308, 1e308), "[-1e+308:1e+308]"),  # its width is no float
        ((7, 7), "7"),
    ],
)
def test_examples(ends, text):
    assert range_text(*rounded(*map(float, ends))) == text


def test_no_ranges_are_no_work():
    a, b = outward(np.zeros(0), np.zeros(0))
    assert len(a) == len(b) == 0


def column(name, values, codes, role="quasi"):
    numbers = np.array(values, np.float64)
    return Column(name, role, "numeric", np.array(codes, np.int32), tuple(f"{v:g}" for v in values), numbers)


def test_auto_rounds_numbers_of_four_digits_and_more():
    pay = column("pay", [-1000.0, 20.0], [0, 1])
    age, fee = column("age", [18.0, 999.0], [0, 1]), column("fee", [2000.0, 9000.0], [0, 1], "sensitive")
    data = Dataset((pay, age, fee))
    assert rounded_columns(data, "auto") == ("pay",)
    assert rounded_columns(data, "rounded") == ("pay", "age")
    assert rounded_columns(data, "exact") == ()


def test_ranges_that_become_the_same_become_one_label():
    pay = column("pay", [1001, 1002, 2998, 2999], [0, 1, 2, 3])
    labels = Ranges(np.array([1001.0, 1002, 2999]), np.array([2999.0, 2998, 2999]), ("[1001:2999]", "[1002:2998]", "2999"))
    shown = PublishedColumn("pay", "quasi", np.array([0, 1, 1, -1], np.int32), labels)
    release = with_ends(Dataset((pay,)), Release((shown,), None, (), Provenance("any"), np.arange(4)), "auto")
    found = release.columns[0]
    assert found.labels.texts == ("[1000:3000]", "2999")
    assert found.codes.tolist() == [0, 0, 0, -1]
    assert release.provenance.ends == "auto"


def test_other_words_are_refused():
    assert check_ends("rounded") == "rounded"
    with pytest.raises(ParameterError, match="ends must be one of auto, rounded, exact; got 'round'"):
        check_ends("round")


def people(n=600, seed=3):
    """Incomes of five and six digits, ages, sexes and a few items."""
    rng = np.random.default_rng(seed)
    income = np.sort(np.unique(np.round(np.exp(rng.normal(10.6, 0.5, n)))))
    codes = rng.integers(0, len(income), n)
    ages = column("age", np.arange(18, 90), rng.integers(0, 72, n))
    return Dataset(
        (Column("income", "quasi", "numeric", codes.astype(np.int32), tuple(f"{v:.0f}" for v in income), income), ages)
    )


def ends_that_are_values(original, release, name):
    """How many ends of shown ranges are a value of the data, and how many there are."""
    shown = next(c for c in release.columns if c.name == name)
    used = np.unique(shown.codes[shown.codes >= 0])
    low, high = shown.labels.low[used], shown.labels.high[used]
    ends = np.concatenate([low[low < high], high[low < high]])
    return int(np.isin(ends, original.column(name).values).sum()), len(ends)


def test_a_release_with_rounded_ends_holds_and_loses_a_hundredth_at_most():
    data = people()
    exact = make("mondrian", {"k": 5}).anonymize(data)
    release = with_ends(data, exact, "auto")
    assert verify(data, release).holds
    assert ncp(data, exact) <= ncp(data, release) <= 1.01 * ncp(data, exact)
    (before, all_ends), (after, _) = (ends_that_are_values(data, r, "income") for r in (exact, release))
    assert before == all_ends
    assert after < before / 10
    assert release.columns[1].labels.texts == exact.columns[1].labels.texts  # ages have two digits


def test_ends_may_lie_outside_of_what_there_is():
    data = people()
    low, high = data.column("income").span
    everything = Ranges(np.array([low]), np.array([high]), (f"[{low:.0f}:{high:.0f}]",))
    shown = PublishedColumn("income", "quasi", np.zeros(len(data), np.int32), everything)
    plain = Release((shown,), None, (), Provenance("any"), np.arange(len(data)))
    release = with_ends(data, plain, "auto")
    labels = release.columns[0].labels
    assert labels.low[0] < low
    assert high < labels.high[0]
    assert ncp(data, release) == ncp(data, plain) == 1.0
    assert measure(data, release, ["lost-values", "exact-values"]) == {"lost-values": 1.0, "exact-values": 0.0}
    assert lost_shares(data, release) == {"income": 1.0}
    wanted = (float(labels.low[0]), float(labels.high[0]))
    assert label_shares(data.column("income"), labels, wanted).tolist() == [1.0]
    assert re.fullmatch(r"\[\d+00:\d+00\]", labels.texts[0])


def test_ranges_of_records_left_out_do_not_come_back():
    values = [1003.0, 1500.0, 1998.0, 2003.0, 9000.0]
    data = Dataset((column("pay", values, [0, 1, 2, 3, 4]),))

    def shown(low, high):
        labels = Ranges(np.array([low]), np.array([high]), (f"[{low:g}:{high:g}]",))
        pay = PublishedColumn("pay", "quasi", np.zeros(3, np.int32), labels)
        return Release((pay,), None, (), Provenance("any"), np.arange(3))

    assert verify(data, with_ends(data, shown(1003.0, 1998.0), "auto"), []).holds
    for low, high in (
        (1003.0, 2003.0),
        (1003.0, 9000.0),
        (1000.0, 2003.0),
        (1000.0, 9000.0),
        (900.0, 2000.0),
        (1000.0, 1999.0),
    ):
        assert not verify(data, shown(low, high), []).holds, (low, high)
