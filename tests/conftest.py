"""Where the real datasets are, and how the property-based tests run."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("default", deadline=None, max_examples=40, derandomize=True, suppress_health_check=list(HealthCheck))
settings.register_profile("thorough", deadline=None, max_examples=1000, suppress_health_check=list(HealthCheck))
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))

DATA = Path(os.environ.get("ANONSET_DATA", Path(__file__).parents[2] / "shared" / "data"))


@pytest.fixture
def real_data():
    """The folder of real datasets; the test is skipped where it is not there."""
    if not DATA.is_dir():
        pytest.skip(f"the real datasets are not at {DATA}; set ANONSET_DATA to where they are")
    return DATA
