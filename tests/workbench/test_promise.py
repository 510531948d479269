"""Constraints in the workbench: looked at, made, handed in, kept as part of the promise, and whether they can be kept."""

import asyncio

import pytest

from anonset.errors import ParameterError
from anonset.workbench.files import as_stream
from anonset.workbench.journal import SetPromise


@pytest.fixture(scope="module")
def items(bench, project):
    return [name for name, _ in bench.promise.find_items(project, count=3)]


def test_lines_are_counted_as_supports_are(bench, project, items):
    found = bench.promise.describe_rules(project, [items[:2], ["no such item"]])

    assert found[0].all_of == bench.promise.supports(project, [items[:2]])[0]
    assert found[1].unknown == ("no such item",)


def test_rules_are_made_and_read_from_a_file(bench, project, items):
    made = bench.promise.make_rules(project, "pairs:0.1", "level:1")
    content = f'privacy = [["{items[0]}", "{items[1]}"]]\nutility = [["{items[2]}"]]\nsuppression = 0.25\n'
    read = asyncio.run(bench.promise.read_rules(project, "policy.toml", as_stream([content.encode()])))

    assert made.privacy
    assert made.utility
    assert (read.privacy, read.utility, read.suppression) == (((items[0], items[1]),), ((items[2],),), 0.25)
    assert not list(bench.store.project_folder(project).glob("upload-*"))
    with pytest.raises(ParameterError, match="say which"):
        bench.promise.make_rules(project)


def test_groups_need_not_name_every_item(bench, project, items):
    remarks = bench.promise.remarks(project, SetPromise(utility=((items[0], items[1]),), suppression=1.0))

    assert [remark for remark in remarks if remark.level == "error"] == []
    assert any(remark.level == "infeasible" for remark in bench.promise.remarks(project, SetPromise(k=2_001)))
