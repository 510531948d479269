"""The notebooks of the documentation run from the first cell to the last and are stored without outputs."""

import os
from pathlib import Path

import pytest

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")

ROOT = Path(__file__).parents[1]
BOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))


def outputs(book):
    return [output for cell in book.cells if cell.cell_type == "code" for output in cell.outputs]


@pytest.mark.parametrize("path", BOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_stored_without_outputs(path):
    book = nbformat.read(path, as_version=4)

    assert outputs(book) == []
    assert all(cell.execution_count is None for cell in book.cells if cell.cell_type == "code")


@pytest.mark.filterwarnings("ignore")  # warnings of the Jupyter kernel
@pytest.mark.parametrize("path", BOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path, tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")]))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "jupyter"))
    book = nbformat.read(path, as_version=4)

    nbclient.NotebookClient(book, timeout=300, kernel_name="python3", resources={"metadata": {"path": tmp_path}}).execute()

    shown = [output["data"]["text/html"] for output in outputs(book) if "text/html" in output.get("data", {})]
    assert any("<svg" in page for page in shown)
    assert any("<table" in page for page in shown)
    assert not [output for output in outputs(book) if output.output_type == "error" or output.get("name") == "stderr"]


def test_there_are_four():
    assert [path.stem for path in BOOKS] == ["baskets", "patients", "recipient", "sweep"]
