import pytest

from anonset.errors import InputError
from anonset.tasks import hierarchy
from anonset.tasks.hierarchy import BuildRequest, HierarchyCheckRequest


def test_built_shown_and_checked(shop, tmp_path):
    out = tmp_path / "h.csv"

    built = hierarchy.run_build(BuildRequest("balanced:2", shop, out))

    assert built.leaves == ("1", "2", "3", "4", "5", "6")
    assert hierarchy.run_show(out).labels == built.labels
    assert hierarchy.run_check(HierarchyCheckRequest(out, shop)) == []
    out.write_text("1;A;*\n2;A;*\n")
    assert any("3" in complaint for complaint in hierarchy.run_check(HierarchyCheckRequest(out, shop)))
    assert hierarchy.run_check(HierarchyCheckRequest(out)) == []


def test_a_column_instead_of_items(people, tmp_path):
    built = hierarchy.run_build(BuildRequest("ranges:2", people, tmp_path / "age.csv", column="age"))

    assert built.leaves == ("30", "40")
    assert hierarchy.run_check(HierarchyCheckRequest(tmp_path / "age.csv", people, "age")) == []


def test_what_is_there_stays_and_what_is_not_there_is_told(shop, people, tmp_path):
    (tmp_path / "h.csv").touch()
    (tmp_path / "plain.csv").write_text("age\n1\n2\n")
    table = type(people)(tmp_path / "plain.csv", {"quasi": ("age",)})

    with pytest.raises(InputError, match="exists already"):
        hierarchy.run_build(BuildRequest("balanced:2", shop, tmp_path / "h.csv"))
    with pytest.raises(InputError, match="name a column: column="):
        hierarchy.run_build(BuildRequest("balanced:2", table, tmp_path / "new.csv"))
    assert hierarchy.run_build(BuildRequest("balanced:2", shop, tmp_path / "h.csv", overwrite=True)).n_leaves == 6
