"""What can be done in the workbench can be done over REST."""

import inspect
import io
import re
import time
import zipfile

import pytest

from anonset.rest import databases, hierarchies, projects, promise, releases, runs
from workbooks import workbook

SERVICES = (*("projects", "data", "journal", "hierarchies", "promise"), *("runs", "inspection", "releases", "databases"))
NO_ROUTE = {  # what only pages or other services call
    *("data.cached_profile", "data.read_draft", "data.check_roles", "data.check_items", "journal.add_check"),
    *("data.check_population", "data.check_kinds"),
    *("hierarchies.check", "promise.check", "runs.check_release"),
    *("runs.cancel_all", "runs.digest", "runs.folder", "runs.releases_of", "runs.repeat_request", "runs.require_done"),
}


def test_every_public_method_of_a_service_has_a_route(bench):
    methods = {
        f"{service}.{name}"
        for service in SERVICES
        for name, member in inspect.getmembers(type(getattr(bench, service)._service))
        if not name.startswith("_") and inspect.isfunction(member)
    }
    modules = (projects, hierarchies, runs, releases, databases, promise)

    called = {call for module in modules for call in re.findall(r"\bbench\.(\w+\.\w+)", inspect.getsource(module))}

    assert methods - called == NO_ROUTE


def ended(client, address):
    until = time.monotonic() + 900
    while (run := client.get(address).json())["state"] in ("waiting", "running"):
        assert time.monotonic() < until
        time.sleep(0.05)
    return run


def test_from_the_sample_to_a_bundle(client, project):
    asked = {"algorithm": "rmerge-r", "parameters": {"delta": 0.4, "items": "pcta", "seed": 1}}
    queued = client.post(f"/projects/{project}/runs", json=asked, headers={"Idempotency-Key": "first"})
    retried = client.post(f"/projects/{project}/runs", json=asked, headers={"Idempotency-Key": "first"})
    other = client.post(f"/projects/{project}/runs", json={}, headers={"Idempotency-Key": "first"})
    assert (queued.status_code, retried.json()["id"], other.status_code) == (202, queued.json()["id"], 422)
    run = queued.headers["location"].removeprefix("/api")

    assert ended(client, run)["holds"]
    assert client.get(f"{run}/verdict").json()["holds"]
    assert client.get(f"{run}/beside?start=1999&count=5").json()["total"] == 2000
    known = {"values": {"age": "36"}, "items": []}
    assert client.post(f"{run}/candidates", json=known).json()["after"] > 0
    assert client.get(f"/projects/{project}/points").json()[0]["run"] == queued.json()["id"]
    asked = {"condition": "age between 30 and 39"}
    counted, beside = (client.post(f"{run}/{way}", json=asked).json() for way in ("count", "count/beside"))
    assert counted["truth"] is None
    assert counted["low"] <= beside["truth"] <= counted["high"]
    assert {**beside, "truth": None} == counted
    refused = client.post(f"{run}/count", json={"condition": "agee = 3"}).json()
    assert refused["refused"] == "no column 'agee'; did you mean 'age'? at character 1 of the condition 'agee = 3'"
    step = {"kind": "choose_release", "run": queued.json()["id"]}
    assert client.post(f"/projects/{project}/steps", json=step).status_code == 201
    assert client.get(f"/projects/{project}").json()["verified"]
    bundle = zipfile.ZipFile(io.BytesIO(client.get(f"{run}/bundle").content))
    assert "published/records.csv" in bundle.namelist()
    assert client.get(f"{run}/report").headers["content-security-policy"].startswith("sandbox")
    assert "anonset anonymize patients.csv" in client.get(f"{run}/again").json()["command"]
    assert client.delete(run).status_code == 422, "the chosen run stays"


def test_hierarchies_by_their_field(client, project):
    rows = client.post(f"/projects/{project}/hierarchies/items/rows", json={}).json()["rows"]
    town = next(c["field"] for c in client.get(f"/projects/{project}/columns").json() if c["name"] == "town")

    assert rows[0]["label"] == "*"
    assert b"Aldstadt" in client.get(f"/projects/{project}/hierarchies/{town}").content
    content = b"Aldstadt;north;*\n"
    preview = client.post(f"/projects/{project}/hierarchies/{town}/uploads", content=content).json()
    assert preview["missing_count"] > 0
    step = {"kind": "use_hierarchy", "column": "town", "upload": preview["upload"]}
    assert "what was there stays" in client.post(f"/projects/{project}/steps", json=step).json()["detail"]
    assert client.get(f"/projects/{project}/hierarchies/c99").status_code == 404


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("GET", "/projects/0123456789abcdef", None, 404),
        ("GET", "/projects/..%2f..%2fetc", None, 404),
        ("GET", "/projects/zzz", None, 422),
        ("GET", "/nothing", None, 404),
        ("PUT", "/projects", None, 405),
        ("POST", "/projects", {"name": ""}, 422),
        ("POST", "/projects", {"nome": "x"}, 422),
        ("POST", "/projects/{project}/steps", {"kind": "set_roles", "roles": {"MARKER": "quasi"}}, 422),
        ("POST", "/projects/{project}/steps", {"kind": "MARKER"}, 422),
        ("POST", "/projects/{project}/steps", {"kind": "build_hierarchy", "column": "items", "how": "/etc/passwd"}, 422),
        ("POST", "/projects/{project}/runs", {"algorithm": "coat", "parameters": {"privacy": "/etc/passwd"}}, 422),
        ("POST", "/projects/{project}/runs", {"algorithm": "MARKER"}, 422),
        ("POST", "/projects/{project}/runs", {"like": "MARKER"}, 422),
        ("POST", "/projects/{project}/runs", {"earlier": ["0000000000000000"]}, 404),
        ("POST", "/projects/{project}/items/supports", {"itemsets": [["MARKER"]]}, 422),
        ("GET", "/projects/{project}/data/rows?count=201", None, 422),
    ],
)
def test_errors_are_problems_without_anything_raw(client, project, method, path, body, status):
    answer = client.request(method, path.format(project=project), json=body)

    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["status"] == status
    assert "MARKER" not in answer.text
    assert "passwd" not in answer.text


def test_lists_come_in_pages(client, project):
    first = client.get("/projects?start=0&count=1").json()

    assert len(first["entries"]) == 1
    assert first["total"] >= 1
    assert client.get(f"/projects/{project}/steps?start=1&count=1").json()["entries"][0]["number"] == 2


def test_another_sheet_of_a_workbook(client):
    project = client.post("/projects", json={"name": "sheets"}).json()["id"]
    sent = client.put(f"/projects/{project}/data", content=workbook(), headers={"X-File-Name": "people.xlsx"}).json()
    taken = client.put(f"/projects/{project}/data/sheet", json={"sheet": "later"}).json()
    refused = client.put(f"/projects/{project}/data/sheet", json={"sheet": "none"})

    assert (sent["file"]["sheets"], sent["file"]["sheet"], sent["file"]["rows"]) == (["first", "later"], "first", 1)
    assert (taken["file"]["sheet"], taken["file"]["rows"], taken["file"]["columns"]) == ("later", 2, ["town", "age"])
    assert client.get(f"/projects/{project}/data/rows").json()["rows"][1] == {"c0": "Ulm", "c1": "31"}
    assert client.get(f"/projects/{project}/profile").json()["exposure"]["records"] == 2
    assert (refused.status_code, refused.json()["detail"]) == (422, "the file has no such sheet")


def test_rows_are_found_by_fields_of_ours(client, project):
    page = client.get(f"/projects/{project}/data/rows?start=1999&count=200").json()

    assert (page["total"], len(page["rows"]), page["rows"][0]["c0"]) == (2000, 1, "P02000")


def test_people_with_several_rows_are_refused_gathered_or_insisted_on(client):
    people = [(f"{n * 2654435761 % 2**32:08x}", 20 + n % 30, "mf"[n % 2], f"t{n % 4}") for n in range(30)]
    rows = "".join(",".join(map(str, people[i % 30])) + "\n" for i in range(120))
    project = client.post("/projects", json={"name": "visits"}).json()["id"]
    sent = {"content": f"ref,age,sex,town\n{rows}".encode(), "headers": {"X-File-Name": "visits.csv"}}
    assert client.put(f"/projects/{project}/data", **sent).status_code == 200
    facts = client.get(f"/projects/{project}/profile").json()["columns"]
    assert [column["name"] for column in facts if column["ties"]] == ["ref"]
    roles = {"ref": "identifier", "age": "quasi", "sex": "quasi", "town": "quasi"}
    assert client.post(f"/projects/{project}/steps", json={"kind": "set_roles", "roles": roles}).status_code == 201

    def made():
        asked = {"algorithm": "mondrian", "parameters": {"k": 3}, "pages": False}
        queued = client.post(f"/projects/{project}/runs", json=asked)
        return ended(client, queued.headers["location"].removeprefix("/api"))

    refused = made()
    assert refused["state"] == "refused"
    assert "gather one record a person under Data" in refused["reason"]
    client.post(f"/projects/{project}/steps", json={"kind": "accept", "repeats": True})
    assert made()["holds"]
    client.post(f"/projects/{project}/undo")
    client.post(f"/projects/{project}/steps", json={"kind": "set_items", "person": "ref"})
    gathered = made()
    assert (gathered["holds"], gathered["records"]) == (True, 30)
