"""The peak of memory, as the system tells it."""

import sys

import pytest

from anonset import jobs
from anonset.jobs import peak_mb, reset_peak


def test_the_peak_grows_with_what_is_held_and_can_be_forgotten():
    before = peak_mb()
    held = bytearray(150 * 1024 * 1024)
    held[::4096] = b"x" * len(held[::4096])
    with_it = peak_mb()
    del held

    assert before > 1
    assert with_it >= 150
    if sys.platform == "linux":
        reset_peak()
        assert peak_mb() < with_it


def test_elsewhere_the_system_is_asked_and_forgetting_does_nothing(monkeypatch, tmp_path):
    monkeypatch.setattr(jobs, "Path", lambda path: tmp_path / "none" / path.lstrip("/"))

    reset_peak()

    assert peak_mb() > 1


def test_where_nobody_tells_it_is_nothing(monkeypatch, tmp_path):
    monkeypatch.setattr(jobs, "Path", lambda path: tmp_path / "none" / path.lstrip("/"))
    monkeypatch.setitem(sys.modules, "resource", None)

    assert peak_mb() == pytest.approx(0.0)
