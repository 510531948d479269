"""Where the real datasets are, how the property-based tests run, and chance that is the same in every run of the tests."""

import itertools
import os
import zlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

from postgres_server import binaries, running

settings.register_profile("default", deadline=None, max_examples=40, derandomize=True, suppress_health_check=list(HealthCheck))
settings.register_profile("thorough", deadline=None, max_examples=1000, suppress_health_check=list(HealthCheck))
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))

DATA = Path(os.environ.get("ANONSET_DATA", Path(__file__).parents[2] / "shared" / "data"))


@pytest.fixture(autouse=True)
def same_chance(request, monkeypatch):
    """What draws without a seed draws the same in every run of this test: none passes or fails by luck."""
    drawn, draws = np.random.default_rng, itertools.count()
    name = zlib.crc32(request.node.nodeid.encode())
    monkeypatch.setattr(np.random, "default_rng", lambda seed=None: drawn((name, next(draws)) if seed is None else seed))


@pytest.fixture
def real_data():
    """The folder of real datasets; the test is skipped where it is not there."""
    if not DATA.is_dir():
        pytest.skip(f"the real datasets are not at {DATA}; set ANONSET_DATA to where they are")
    return DATA


@pytest.fixture(scope="session")
def postgres():
    """A PostgreSQL server; the test is skipped where this system has none."""
    bin = binaries()
    if bin is None:
        pytest.skip("there is no PostgreSQL on this system: neither pg_config nor /usr/lib/postgresql/*/bin")
    pytest.importorskip("adbc_driver_postgresql", reason="the extra db is not installed")
    with running(bin) as server:
        yield server
