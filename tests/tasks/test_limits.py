"""Sizes as people type them."""

import pytest

from anonset.errors import ParameterError
from anonset.tasks.inputs import parse_size, resources


@pytest.mark.parametrize(
    ("text", "size"), [("2GB", 2 << 30), ("500 mb", 500 << 20), ("1.5G", 3 << 29), (4096, 4096), ("1KiB", 1024)]
)
def test_a_size_is_read(text, size):
    assert parse_size(text) == size


@pytest.mark.parametrize("text", ["much", "-1GB", "0", "2XB", ""])
def test_what_is_no_size_is_said(text):
    with pytest.raises(ParameterError, match="such as 2GB"):
        parse_size(text)


def test_limits_are_kept_together():
    limits = resources("1GB", 2, "local")

    assert (limits.memory, limits.jobs, limits.scheduler) == (1 << 30, 2, "local")
    with pytest.raises(ParameterError, match="1 or more"):
        resources(jobs=0)
