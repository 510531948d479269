"""A project survives being written and read again, and the file explains itself."""

from hypothesis import given
from hypothesis import strategies as st

from anonset.tasks.project import (
    ProjectFile,
    ProjectPromise,
    ProjectRoles,
    ProjectRun,
    project_toml,
    read_project,
    write_project,
)

TEXT = st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=8)
NAMES = st.lists(TEXT, unique=True, min_size=6, max_size=6)
VALUES = st.integers(-5, 5) | st.floats(allow_nan=False) | st.booleans() | TEXT


@st.composite
def projects(draw):
    a, b, c, d, e, f = draw(NAMES)
    return ProjectFile(
        data={"path": draw(TEXT), "delimiter": ";", "repeated": False},
        roles=ProjectRoles(
            identifier=(a,), quasi=(b,), sensitive=(c,), other=(), items=(d,), left_out=(e, f), sensitive_items=(a,)
        ),
        kinds={b: "numeric"},
        hierarchies={b: draw(TEXT), "items": "learned:5"},
        promise=ProjectPromise(k=draw(st.integers(1, 9)), m=2),
        run=(
            ProjectRun(
                output="x", algorithm=draw(TEXT), parameters=draw(st.dictionaries(TEXT, VALUES, max_size=3)), margins=True
            ),
            ProjectRun(output="y", accept_exposure=(c,), report=False),
        ),
    )


@given(project=projects())
def test_a_project_is_read_as_it_was_written(project, tmp_path_factory):
    path = tmp_path_factory.mktemp("project") / "anonset.toml"

    write_project(project, path)

    assert read_project(path) == project


def test_the_file_tells_the_promise_in_plain_words():
    project = ProjectFile(
        data={"path": "p.csv"},
        roles=ProjectRoles(quasi=("age",)),
        promise=ProjectPromise(k=4),
        run=(ProjectRun(output="release"),),
    )

    lines = project_toml(project).splitlines()

    assert "# Someone who knows age of a person finds at least 4 records that fit." in lines
    assert any(line.startswith("quasi = [") and line.endswith("until enough people look alike") for line in lines)
