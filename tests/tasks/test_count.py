from anonset.tasks import count
from anonset.tasks.count import CountRequest


def test_a_condition_is_counted_with_bounds(shop, made):
    folder = made(shop, "nr-k", k=2, seed=1).output

    found = count.run(CountRequest(folder, "items contains 1 and not items contains 4"))

    (counted,) = found.counts
    assert counted["low"] <= 3 <= counted["high"]
    assert counted["low"] <= counted["estimate"] <= counted["high"]
    assert found.records == 10


def test_counts_by_a_column_have_a_row_for_each_value(shop, made):
    folder = made(shop, "nr-k", k=2, seed=1).output

    found = count.run(CountRequest(folder, by="items"))

    assert [set(row) for row in found.counts] == [{"items", "low", "high", "estimate", "standard_error"}] * len(found.counts)
    assert len(found.counts) > 3
