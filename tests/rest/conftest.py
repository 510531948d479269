"""The API over a workbench with the sample in it."""

import pytest
from starlette.testclient import TestClient

from anonset.rest import create_api
from anonset.workbench import Workbench


@pytest.fixture(scope="session")
def bench(tmp_path_factory):
    made = Workbench(tmp_path_factory.mktemp("store"), processes=1, largest_upload=1_000_000)
    yield made
    made.close()


@pytest.fixture(scope="session")
def client(bench):
    return TestClient(create_api(bench), raise_server_exceptions=False)


@pytest.fixture(scope="session")
def project(client):
    return client.post("/projects", json={"sample": "patients"}).json()["id"]
