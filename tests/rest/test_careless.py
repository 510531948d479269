"""What a careless publisher does over REST, and so in the workbench, is refused with a way out."""

import time

import pytest

from careless_people import people, write

ROLES = {"sex": "quasi", "age": "quasi", "town": "quasi", "tags": "items"}


@pytest.fixture(scope="module")
def careless(client, tmp_path_factory):
    """A project with a table of a few columns that name people."""
    columns = ("pid", "doctor", "phone", "sex", "age", "town", "tags")
    file = write(tmp_path_factory.mktemp("rest") / "people.csv", people(300), columns)
    project = client.post("/projects", json={"name": "careless"}).json()["id"]
    sent = client.put(f"/projects/{project}/data", content=file.read_bytes(), headers={"X-File-Name": "people.csv"})
    assert sent.status_code == 200, sent.text
    return project, columns


def decide(client, project, step):
    answer = client.post(f"/projects/{project}/steps", json=step)
    assert answer.status_code == 201, answer.text


def ended(client, project, **asked):
    answer = client.post(f"/projects/{project}/runs", json=asked)
    assert answer.status_code == 202, answer.text
    address = answer.headers["location"].removeprefix("/api")
    until = time.monotonic() + 900
    while (run := client.get(address).json())["state"] in ("waiting", "running"):
        assert time.monotonic() < until
        time.sleep(0.05)
    return run


def roles(columns, **more):
    wanted = ROLES | more
    return {"kind": "set_roles", "roles": {name: wanted.get(name, "identifier") for name in columns}}


def test_items_that_name_people_are_refused_and_can_be_removed(client, careless):
    project, columns = careless
    decide(client, project, roles(columns))

    refused = ended(client, project, algorithm="rmerge-rt", parameters={"items": "pcta"})
    decide(client, project, {"kind": "set_items", "separator": "|", "drop": ["mrn:*"]})
    decide(client, project, {"kind": "accept", "loss": True})
    made = ended(client, project, algorithm="rmerge-rt", parameters={"items": "pcta"})

    assert refused["state"] == "refused"
    assert "mrn:*" in str(refused)
    assert made["holds"], made


@pytest.mark.parametrize(("column", "role"), [("phone", "quasi"), ("doctor", "sensitive"), ("town", "sensitive")])
def test_columns_that_name_people_or_single_them_out_are_refused(client, careless, column, role):
    project, columns = careless
    decide(client, project, {"kind": "set_items", "separator": "|", "drop": ["mrn:*"]})
    decide(client, project, roles(columns, **{column: role}))

    refused = ended(client, project, algorithm="rmerge-rt", parameters={"items": "pcta"})

    assert refused["state"] == "refused"
    assert column in str(refused.get("error", refused))
