from random import Random

import numpy as np
import polars as pl
import pytest

import anonset
from anonset.errors import ParameterError
from anonset.recipient.completion import picked
from recipient_cases import case_of

FITS = ("aa", "lift", "pcta", "cluster", "rmerge-rt", "nr-k")


@pytest.mark.parametrize("name", FITS)
def test_a_completed_table_is_one_that_the_release_may_stand_for(name, tmp_path):
    random = Random(name)
    case = next(found for _ in range(9) if (found := case_of(random, tmp_path, name)) is not None)
    table, shown = case.published.complete(1, seed=1)[0], case.published.table()

    assert table.height == shown.height == len(case.published)
    for column in case.columns:
        exact = shown[column].is_not_null()
        assert (table[column].filter(exact) == shown[column].filter(exact)).all()
        if f"{column}.lo" in shown.columns:
            wide = shown.with_columns(drawn=table[column]).drop_nulls(f"{column}.lo")
            assert wide["drawn"].is_between(wide[f"{column}.lo"], wide[f"{column}.hi"]).all()
    if case.items:
        for drawn, known in zip(table["codes"].to_list(), shown["codes"].to_list(), strict=True):
            assert set(known) <= set(drawn)
            assert len(set(drawn)) == len(drawn)
        if "codes.any" in shown.columns:
            for labels, drawn in zip(shown["codes.any"].to_list(), table["codes"].to_list(), strict=True):
                assert all(set(label) & set(drawn) for label in labels)


def test_the_same_seed_draws_the_same_tables(tmp_path):
    people = pl.DataFrame({"age": list(range(20, 60)), "town": [f"t{n % 20}" for n in range(40)]})
    anonset.anonymize(anonset.read(people, quasi=["age", "town"]), "cluster", k=10).write(
        tmp_path / "out", report=False, accept_loss=True
    )
    opened = anonset.open_published(tmp_path / "out")

    first, again = opened.complete(2, seed=7), opened.complete(2, seed=7)

    assert all(a.equals(b) for a, b in zip(first, again, strict=True))
    assert not first[0].equals(first[1])
    with pytest.raises(ParameterError, match="n must be at least 1"):
        opened.complete(0, seed=7)


def test_combined_estimates_follow_rubins_rules():
    """By hand: three estimates 1, 2, 3 with variance 4; between is 1, so the variance is 4 + 4/3."""
    found = anonset.combine([1, 2, 3], [4, 4, 4])

    assert found.estimate == 2
    assert found.within == 4
    assert found.between == 1
    assert found.standard_error == pytest.approx(np.sqrt(4 + 4 / 3))
    assert found.degrees_of_freedom == pytest.approx(2 * (1 + 4 / (4 / 3)) ** 2)
    low, high = found.interval()
    assert high - 2 == pytest.approx(2 - low) == pytest.approx(2.0369 * found.standard_error, abs=1e-3)


def test_estimates_that_agree_have_the_normal_interval():
    low, high = anonset.combine([1, 1], [1, 1]).interval()

    assert (low, high) == pytest.approx((1 - 1.959964, 1 + 1.959964), abs=1e-4)


@pytest.mark.parametrize(("estimates", "variances"), [([1], [1]), ([1, 2], [1]), ([1, 2], [1, -1])])
def test_what_cannot_be_combined_is_refused(estimates, variances):
    with pytest.raises(ParameterError):
        anonset.combine(estimates, variances)


def test_completed_tables_keep_to_the_margins(tmp_path):
    random = Random(4)
    sets = [sorted({f"i{min(11, int(random.expovariate(0.4)))}" for _ in range(4)}) for _ in range(600)]
    data = anonset.read(pl.DataFrame({"items": sets}), items="items")
    anonset.anonymize(data, "pcta", k=50, m=2).with_margins().write(tmp_path / "out", report=False, accept_loss=True)
    opened = anonset.open_published(tmp_path / "out")

    margins = opened.about["margins"]["counts"]
    assert any(len(names) > 1 for names in opened.about["attributes"][0]["generalized"].values())
    for table in opened.complete(3, seed=1):
        for item, least in margins.items():
            count = opened.count_in(table, items=[item])
            assert least - 40 <= count <= least + 50 + 40, item  # rounded down to a multiple of k; then drawn by chance


def test_items_are_drawn_by_their_chances_and_one_at_least():
    rng = np.random.default_rng(1)
    for chance in ([0.5, 0.4, 0.3, 0.1], [0.9, 0.05, 0.1], [0.3] * 8, [1.0, 0.2], [0.6, 0.0, 0.5]):
        row, item = picked(np.tile(chance, (20_000, 1)), sum(chance), rng)

        assert len(np.unique(row)) == 20_000
        assert np.bincount(item, minlength=len(chance)) / 20_000 == pytest.approx(chance, abs=0.015)
