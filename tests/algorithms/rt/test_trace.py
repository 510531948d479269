import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonset.algorithms.rt.merge import RFirst, RmergeR, RmergeT, TmergeR, chord_knee
from anonset.algorithms.rt.trace import explain
from anonset.errors import InfeasibleError, ParameterError
from anonset.testing.tiny import dataset
from oracles.rt import groups_of
from strategies import rt_datasets


def final_cluster(trace, row):
    """Follow the rows of the trace by hand."""
    here = next(t["cluster"] for t in trace if t["action"] == "formed" and row in t["rows"])
    for t in trace:
        if (t["action"] in ("joined", "merged") and here in t["from"]) or (t["action"] == "moved" and t["row"] == row):
            here = t["cluster"]
    return here


@settings(max_examples=25)
@given(rt_datasets(min_records=3), st.sampled_from([RFirst, RmergeR, RmergeT, TmergeR]), st.booleans())
def test_the_trace_leads_from_first_to_last_clusters(data, cls, refine):
    try:
        release = cls(k=2, seed=1, **({} if cls is RFirst else {"refine": refine})).anonymize(data)
    except InfeasibleError:
        return

    found = [final_cluster(release.trace, row) for row in range(len(data))]
    sizes = {row["cluster"]: row["records"] for row in release.trace if row["action"] == "generalized"}
    assert {c: found.count(c) for c in set(found)} == sizes
    for group in groups_of(release):  # clusters that publish the same are one group
        assert {found[r] for r in group}.isdisjoint({found[r] for r in range(len(data)) if r not in group})
    assert json.loads(json.dumps(release.trace)) == list(release.trace)


def test_a_records_way_in_words():
    data = dataset(["ab", "cd", "ab", "cd", "ac", "bd", "ab", "cd"])

    lines = explain(RmergeR(k=2, delta=1.0, seed=1).anonymize(data).trace, 3)

    assert lines[0].startswith("Row 3 starts in cluster")
    assert any("merges with cluster" in line for line in lines)
    assert "is published with" in lines[-1]
    with pytest.raises(ParameterError, match=r"no cluster holds row 8; .* the last in a cluster is 7"):
        explain(RmergeR(k=2, delta=1.0, seed=1).anonymize(data).trace, 8)


def test_a_record_without_company_in_words():
    data = dataset(["", "ab", "", "ab", "cd", "abcd"])

    trace = RFirst(k=2, seed=3).anonymize(data).trace

    joined = [row for row in trace if row["action"] == "joined"]
    assert joined
    row = next(t["rows"][0] for t in trace if t["action"] == "formed" and t["cluster"] in joined[0]["from"])
    assert any("could not be protected alone" in line for line in explain(trace, row))


@pytest.mark.parametrize(
    ("points", "best"),
    [
        ([(0.0, 1.0), (0.1, 0.2), (0.5, 0.1), (1.0, 0.0)], 1),
        ([(0.3, 1.0)], 0),
        ([(0.0, 1.0), (1.0, 0.0)], 0),
        ([(0.2, 5.0), (0.3, 5.0), (0.4, 1.0)], 0),
    ],
)
def test_the_knee_gives_up_least_of_both(points, best):
    assert chord_knee(points) == best


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1))
def test_nothing_beats_the_knee_in_both(points):
    x, y = points[chord_knee(points)]

    assert not any(a < x - 1e-6 and b < y - 1e-6 for a, b in points)
    assert np.isfinite(x)
