"""Hierarchies for several columns at once: files or a zip, each for the column that its name says."""

import asyncio
import io
import zipfile

import pytest

from anonset.errors import InputError
from anonset.workbench.files import as_stream
from anonset.workbench.journal import SetRoles, UseHierarchy

TOWNS = "Ulm;south;*\nBonn;west;*\n"


@pytest.fixture
def project(bench):
    made = bench.projects.create("towns").id
    table = "age,town\n" + "".join(f"{20 + r % 5},{('Ulm', 'Bonn')[r % 2]}\n" for r in range(20))
    asyncio.run(bench.data.upload(made, "t.csv", as_stream([table.encode()])))
    bench.journal.apply(made, SetRoles({"age": "quasi", "town": "quasi"}))
    return made


def packed(**files):
    text = io.BytesIO()
    with zipfile.ZipFile(text, "w") as archive:
        for name, content in files.items():
            archive.writestr(f"trees/{name}.csv", content)
    return text.getvalue()


def uploaded(bench, project, name, content):
    return asyncio.run(bench.hierarchies.upload_several(project, name, as_stream([content])))


def test_files_of_a_zip_go_to_the_columns_of_their_names(bench, project):
    found = uploaded(bench, project, "trees.zip", packed(Town=TOWNS, age="20;*\n21;*\n", height="1;*\n"))

    assert [(one.file, one.column) for one in found] == [("Town.csv", "town"), ("age.csv", "age"), ("height.csv", None)]
    assert (found[0].preview.usable, found[1].preview.missing_count) == (True, 3)
    bench.journal.apply(project, UseHierarchy("town", found[0].preview.upload))
    assert bench.hierarchies.whole_tree(project, "town").leaves == 2
    left = [path.name for path in bench.store.project_folder(project).glob("upload-*")]
    assert left == []


def test_a_single_file_and_a_zip_that_cannot_be_read(bench, project):
    (found,) = uploaded(bench, project, "town.csv", TOWNS.encode())
    assert found.column == "town"
    damaged = bytearray(packed(town=TOWNS))
    damaged[40] ^= 0xFF
    with pytest.raises(InputError, match="this zip cannot be read"):
        uploaded(bench, project, "trees.zip", bytes(damaged))
