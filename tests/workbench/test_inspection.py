"""Two runs side by side: settings, measures with the better one, and records before and in both."""

import pytest

from anonset.errors import ParameterError
from anonset.workbench.values import ReleaseRecords


@pytest.fixture(scope="module")
def other(bench, project, wait):
    return wait(bench, project, bench.runs.start(project, "rmerge-r", {"k": 20, "delta": 0.4, "items": "pcta", "seed": 1}).id)


def test_what_sets_two_releases_apart(bench, project, done, other):
    found = bench.inspection.compare_releases(project, done.id, other.id)
    measures = {d.name: d for d in found.measures}

    assert [(d.name, d.a, d.b) for d in found.settings if d.name == "k"] == [("k", 5, 20)]
    assert measures["risk"].better == "b"
    assert (measures["exact-values"].better == "a") == (measures["exact-values"].a > measures["exact-values"].b)
    assert {kept.name for kept in found.columns} == {"age", "sex", "town", "schooling"}
    assert all(kept.a - kept.b == kept.only_a - kept.only_b for kept in (*found.columns, *found.items))
    assert found.item_count == len(found.items)
    with pytest.raises(ParameterError, match="two different"):
        bench.inspection.compare_releases(project, done.id, done.id)


def test_records_before_and_in_both(bench, project, done, other):
    page, alone = (
        bench.inspection.compare_release_records(project, done.id, other.id, 10, 5),
        bench.inspection.compare(project, other.id, 10, 5),
    )

    assert isinstance(page, ReleaseRecords)
    assert (page.total, len(page.before)) == (2000, 5)
    assert page.b == alone.after
    assert all((page.a[r][f] != page.b[r][f]) == (f in page.changed[r]) for r in range(5) for f in page.before[r])
