"""Databases over REST: what may be reached, and that neither addresses nor answers carry a password."""

import pytest

from hospital import fill_sqlite


@pytest.fixture
def uploaded(client, tmp_path):
    fill_sqlite(tmp_path / "clinic.db")
    project = client.post("/projects", json={"name": "From a file"}).json()["id"]
    content = (tmp_path / "clinic.db").read_bytes()
    return project, client.post(f"/projects/{project}/databases", content=content, headers={"X-File-Name": "clinic.db"}).json()


def test_a_table_of_an_uploaded_file_becomes_the_data(client, uploaded):
    project, found = uploaded
    database = {"upload": found["upload"]}

    assert client.post(f"/projects/{project}/tables", json=database).json() == found["tables"]
    answer = client.put(f"/projects/{project}/data/table", json={"database": database, "table": "visits"})
    assert (answer.status_code, answer.json()["file"]["rows"]) == (200, 40)
    assert client.post(f"/projects/{project}/tables", json=database).status_code == 404, "it is not kept"


@pytest.mark.parametrize("address", ["sqlite:////etc/passwd", "postgresql://u:s3cret@h/d", "postgresql://127.0.0.1:1/d"])
def test_what_cannot_be_reached_is_told_without_secrets(client, uploaded, address):
    asked = {"address": address, "password": "s3cret"}
    answer = client.post(f"/projects/{uploaded[0]}/tables", json=asked)

    assert answer.status_code == 422
    assert "s3cret" not in answer.text
    assert "passwd" not in answer.text


def test_the_allowed_databases_are_told(client):
    assert client.get("/databases").json() == {"postgresql": True, "addresses": []}
