"""Plausible mistakes in Python are answered in one line with the way out."""

import numpy as np
import pandas as pd
import pytest

import anonset
from anonset.errors import AnonsetError

FRAME = pd.DataFrame({"age": [20, 20, 30, 30], "town": ["a", "a", "b", "b"]})
DATA = anonset.read(FRAME, quasi=["age", "town"])


@pytest.mark.parametrize(
    ("mistake", "answer"),
    [
        (lambda: anonset.recommend("people.csv"), "a dataset is expected; got str"),
        (lambda: anonset.workload(FRAME), "a dataset is expected; got DataFrame"),
        (lambda: anonset.attack(DATA), "a release is expected; got Dataset: anonset.anonymize makes one"),
        (lambda: anonset.anonymize(DATA, 2), "parameters go by their names: k=2"),
        (
            lambda: anonset.compare(DATA, ["mondrian"]),
            'a table of algorithms and their values: {"mondrian": {"k": [2, 5, 10]}}',
        ),
        (lambda: anonset.compare(DATA, {"mondrian": 2}), "a table of algorithms and their values"),
        (lambda: anonset.anonymize(DATA, "mondrain", k=2), "did you mean 'mondrian'?"),
        (lambda: anonset.anonymize(DATA, "mondrian", kk=2), "no parameter 'kk'"),
        (lambda: anonset.read(FRAME, quazi=["age"]), "did you mean 'quasi'?"),
        (lambda: anonset.read(FRAME, quasi=["Age"]), "did you mean 'age'?"),
        (lambda: anonset.anonymize(DATA, "peel", k=2).measure("rsik"), "did you mean 'risk'?"),
        (lambda: anonset.anonymize(DATA, "peel", k=2).explain(9), "row must be from 0 to 3"),
    ],
)
def test_a_mistake_is_answered_with_the_way_out(mistake, answer):
    with pytest.raises(AnonsetError) as caught:
        mistake()

    assert answer in str(caught.value)


def test_numbers_of_numpy_are_numbers():
    release = anonset.anonymize(DATA, "peel", k=np.int64(2))

    assert release.provenance.parameters["k"] == 2
    assert type(release.provenance.parameters["k"]) is int
