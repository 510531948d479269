"""Releases as tables, whatever order they have in memory."""

import numpy as np
import pytest

from anonset.algorithms import make
from anonset.releases.frames import dataset_frame, frame_in_order, release_frame
from anonset.testing import tiny_datasets

DATA = tiny_datasets()


@pytest.mark.parametrize("structured", [False, True])
@pytest.mark.parametrize("name", DATA)
@pytest.mark.parametrize("algorithm", ["identity", "nr-k"])
def test_the_order_in_memory_does_not_show(algorithm, name, structured):
    data = DATA[name]
    release = make(algorithm, {"k": 1}).anonymize(data)
    other = release.take(np.random.default_rng(3).permutation(len(release)))

    frame = release_frame(release, data, structured=structured)

    assert frame.equals(release_frame(other, data, structured=structured))
    assert len(frame) == len(data)


def test_exact_values_are_those_of_the_original():
    data = DATA["missing values"]
    shown = frame_in_order(make("identity", {"k": 1}).anonymize(data), data)
    raw = dataset_frame(data)

    assert shown["home town"].equals(raw["home town"])
    assert shown["items"].to_list() == raw["items"].to_list()
    assert shown["age-group"].to_list() == [None if age is None else str(age) for age in raw["age-group"]]
