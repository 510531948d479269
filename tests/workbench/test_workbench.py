"""The whole way of a project through the workbench."""

import asyncio
import io
import zipfile

import pytest

from anonset.errors import InputError, ParameterError
from anonset.workbench import Workbench
from anonset.workbench.files import as_stream
from anonset.workbench.journal import (
    BuildHierarchy,
    ChooseRelease,
    EditHierarchy,
    RenameNode,
    SetItems,
    SetKinds,
    SetPopulation,
    SetPromise,
    SetRoles,
)


def test_the_sample_is_ready_to_be_tried(bench, project):
    found = bench.projects.get(project)

    assert isinstance(bench, Workbench)
    assert found.file is not None
    assert found.file.rows == 2000
    assert found.rail[0].done
    assert bench.data.rows(project, 1998, 50).rows[-1]["c0"] == "P02000"


def test_a_run_is_verified_measured_and_can_be_looked_into(bench, project, done):
    beside = bench.inspection.compare(project, done.id, 0, 3)

    assert done.state == "done", done.reason
    assert done.holds
    assert done.measures["risk"] <= 0.2
    assert beside.total == 2000
    assert beside.before[0]["c0"] == "36"
    assert beside.after[0]["c0"] != "36"
    assert "c0" in beside.changed[0]
    assert bench.inspection.story(project, done.id, 0)
    assert len(bench.inspection.worst_queries(project, done.id, 5)) == 5
    assert bench.inspection.verdict(project, done.id).holds
    found = bench.inspection.candidates(project, done.id, {"age": "36", "town": "Brenkow"})
    assert 0 < found.before < found.after
    assert done.id in [point.run for point in bench.runs.points(project)]


def test_a_release_is_chosen_and_handed_out(bench, project, done):
    bench.journal.apply(project, ChooseRelease(done.id))
    names = zipfile.ZipFile(io.BytesIO(b"".join(bench.releases.bundle(project, done.id)))).namelist()

    assert bench.projects.get(project).verified
    assert bench.projects.get(project).rail[-1].done
    assert "published/records.csv" in names
    assert not [name for name in names if not name.startswith("published/")]
    assert b"<html" in bench.releases.certificate(project, done.id)
    assert b"<html" in bench.releases.report(project, done.id)
    bench.journal.undo(project)
    assert bench.projects.get(project).verified is None


def test_steps_are_undone_and_done_again(bench, project):
    group = bench.hierarchies.tree(project, "items").rows[1]

    bench.journal.apply(project, EditHierarchy("items", (RenameNode(group.id, "heart and vessels"),)))
    bench.journal.apply(project, SetPromise(k=7))
    assert bench.hierarchies.tree(project, "items").rows[1].label == "heart and vessels"
    assert bench.journal.state(project).promise.k == 7
    bench.journal.undo(project)
    bench.journal.undo(project)
    assert bench.hierarchies.tree(project, "items").rows[1].label == group.label
    bench.journal.redo(project)
    assert [entry.undone for entry in bench.journal.entries(project)][-2:] == [False, True]
    bench.journal.undo(project)


def test_another_file_of_the_same_columns_is_read_anew(bench):
    project = bench.projects.create("twice").id
    for rows in (2, 3):
        content = "age,town\n" + "".join(f"{i},x\n" for i in range(rows))
        asyncio.run(bench.data.upload(project, "people.csv", as_stream([content.encode()])))

        assert bench.data.exposure(project).records == rows


def test_items_that_do_not_occur_cannot_be_sensitive(bench, project):
    with pytest.raises(InputError, match="do not occur"):
        bench.journal.apply(project, SetItems(separator="|", sensitive=("no such item",)))
    assert bench.journal.state(project).items.sensitive == ()


def test_a_release_keeps_what_the_project_promises(bench, wait):
    project = bench.projects.create("baskets").id
    lines = "".join(f"{r % 3} {3 + r % 4} {7 + r % 2}\n" for r in range(60))
    asyncio.run(bench.data.upload(project, "baskets.dat", as_stream([lines.encode()])))
    bench.journal.apply(project, SetPromise(k=3, m=3))
    weak, strong = (wait(bench, project, bench.runs.start(project, None, {"k": k}, pages=False).id) for k in (2, 3))

    assert (strong.algorithm, strong.parameters) == ("lift", {"k": 3, "m": 3})
    with pytest.raises(InputError, match="k = 2, the promise says 3"):
        bench.journal.apply(project, ChooseRelease(weak.id))
    assert bench.journal.apply(project, ChooseRelease(strong.id)).release == strong.id


def test_rows_of_one_person_become_one_record(bench):
    project = bench.projects.create("rows").id
    rows = "customer_id,town,day,item\n" + "".join(f"{i % 4},x,{i},{'ab'[i % 2]}\n" for i in range(12))
    asyncio.run(bench.data.upload(project, "rows.csv", as_stream([rows.encode()])))
    bench.journal.apply(project, SetRoles({"town": "quasi", "day": "identifier", "item": "items"}))
    assert any("customer_id repeat" in remark.text for remark in bench.promise.remarks(project))

    bench.journal.apply(project, SetItems(person="customer_id"))

    assert bench.data.exposure(project).records == 4
    assert not any("repeat" in remark.text for remark in bench.promise.remarks(project))


def test_the_people_of_a_population_are_counted_or_estimated(bench, wait):
    project = bench.projects.create("sample").id
    people = ["a b", "a b", "a c", "a c", "b c", "b c", "b", "c"] * 3
    whole, records = ("codes\n" + "\n".join(lines) + "\n" for lines in (people, people[:9]))
    asyncio.run(bench.data.upload(project, "sample.csv", as_stream([records.encode()])))
    bench.journal.apply(project, SetRoles({"codes": "items"}))
    bench.journal.apply(project, BuildHierarchy("items", "balanced:2"))
    other = asyncio.run(bench.data.upload_population(project, "other.csv", as_stream([b"codes\na b\nb\nb\n"])))
    kept = asyncio.run(bench.data.upload_population(project, "all.csv", as_stream([whole.encode()])))

    with pytest.raises(InputError, match="the population must contain every record"):
        bench.journal.apply(project, SetPopulation(upload=other.upload))
    bench.journal.apply(project, SetPopulation(upload=kept.upload))
    run = wait(bench, project, bench.runs.start(project, "lift", {"k": 6, "m": 2}).id)
    assert run.state == "done", run.reason
    assert bench.inspection.verdict(project, run.id).findings[0].guarantee == "km-map"
    with zipfile.ZipFile(io.BytesIO(bench.releases.kit(project, run.id))) as kit:
        assert b'population = "population.csv"' in kit.read("schema.toml")
    assert bench.journal.entries(project)[-1].text == "counted: people of a population"

    bench.journal.apply(project, SetPopulation(sampling=0.5))
    run = wait(bench, project, bench.runs.start(project, "lift", {"k": 3, "m": 1}).id)
    assert "estimated, not counted" in bench.inspection.verdict(project, run.id).findings[0].worst


def test_the_kind_of_a_column_is_chosen(bench):
    project = bench.projects.create("kinds").id
    rows = "band,type_id,town\n" + "".join(f"{('<18', '18-40', '65+')[i % 3]},{i % 5},{'xyz'[i % 3]}\n" for i in range(30))
    asyncio.run(bench.data.upload(project, "kinds.csv", as_stream([rows.encode()])))
    bench.journal.apply(project, SetRoles({"band": "quasi", "type_id": "quasi", "town": "quasi"}))
    assert [column.kind for column in bench.data.columns(project)] == ["ordered", "categorical", "categorical"]

    bench.journal.apply(project, SetKinds({"type_id": "numeric", "band": "categorical"}))

    assert [column.kind for column in bench.data.columns(project)] == ["categorical", "numeric", "categorical"]
    with pytest.raises(InputError, match="a finite number is expected"):
        bench.journal.apply(project, SetKinds({"band": "numeric"}))
    with pytest.raises(ParameterError, match="does not have"):
        bench.journal.apply(project, SetKinds({"street": "ordered"}))
