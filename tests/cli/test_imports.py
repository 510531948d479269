import os
import subprocess
import sys

from anonset.cli.imports import SLEEP, load_less

LOAD = "from anonset.cli.imports import load_less; load_less(); "


def run(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


def test_what_is_hidden_from_one_module_is_there_for_others():
    code = "import numba.np.arraymath, sys; print('scipy.linalg' in sys.modules); import scipy.linalg.cython_blas as found; "
    assert run(f"{LOAD}{code}print(found.__name__)").split() == ["False", "scipy.linalg.cython_blas"]


def test_what_is_loaded_already_is_not_hidden():
    assert run(f"import yaml; {LOAD}import numba, sys; print(sys.modules['yaml'] is yaml)").strip() == "True"


def test_a_module_that_fails_to_load_hides_nothing_afterwards(tmp_path):
    (tmp_path / "numba").mkdir()
    (tmp_path / "numba" / "__init__.py").write_text("raise ValueError('broken')\n")
    code = "try:\n    import numba\nexcept ValueError:\n    print('coverage' in sys.modules)"
    assert run(f"import sys; sys.path.insert(0, {str(tmp_path)!r}); {LOAD}\n{code}").strip() == "False"


def test_threads_for_products_of_matrices_sleep_unless_told_otherwise(monkeypatch):
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    monkeypatch.delenv(SLEEP[0], raising=False)
    load_less()
    assert os.environ[SLEEP[0]] == SLEEP[1]
    monkeypatch.setenv(SLEEP[0], "9")
    load_less()
    assert os.environ[SLEEP[0]] == "9"
