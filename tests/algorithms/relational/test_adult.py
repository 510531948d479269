"""The losses other tools reach on Adult (k = 5, eight quasi attributes), as bars to stay below, like with like."""

import pytest

from anonset.algorithms import make
from anonset.data import Schema, read
from anonset.measure.information_loss import ncp
from anonset.verify import verify

QUASI = ("sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation")


@pytest.fixture
def adult(real_data):
    folder = real_data / "relational"
    schema = Schema(quasi=QUASI, sensitive=("salary-class",), hierarchies=folder / "adult_arx_hierarchies")
    return read(folder / "adult_arx.csv.gz", schema=schema)


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "values", "bar"),
    [
        ("peel", {"recoding": "nodes"}, 0.0657),
        ("mondrian", {"recoding": "ranges"}, 0.0912),
        ("cluster", {"recoding": "sets", "seed": 1}, 0.0338),
        ("mondrian", {"recoding": "sets"}, 0.0338),
        ("incognito", {}, 0.66725),
        ("incognito", {"suppression": 0.02}, 0.373),
        ("bottom-up", {"suppression": 0.02}, 0.373),
    ],
)
def test_losses_stay_below_those_of_other_tools(adult, name, values, bar):
    release = make(name, {"k": 5} | values).anonymize(adult)

    assert verify(adult, release).holds
    assert ncp(adult, release) < bar
