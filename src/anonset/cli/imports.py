"""Lighter starts: what libraries look for while they load, and we never use, stays unloaded in a process of ours."""

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType

# A module and the optional ones that it need not find: what measures tests, a format of settings, products of matrices of
# real numbers, the encodings of Fortran files.
NEEDLESS = {
    "numba": ("coverage", "yaml"),
    "numba.np.arraymath": ("scipy.linalg.cython_blas",),
    "numpy.f2py.crackfortran": ("charset_normalizer",),
}
SLEEP = ("OPENBLAS_THREAD_TIMEOUT", "4")  # threads for such products sleep until asked, instead of turning round for a while


def load_less() -> None:
    """From now on, load those modules without what they need not find: a sixth of the CPU time of a small run."""
    os.environ.setdefault(*SLEEP)
    sys.meta_path.insert(0, _Finder())


class _Finder(MetaPathFinder):
    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        """Where the module is, with a loader that hides the others meanwhile."""
        spec = PathFinder.find_spec(name, path) if name in NEEDLESS else None
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader, NEEDLESS[name])
        return spec


class _Loader(Loader):
    def __init__(self, loader: Loader, needless: tuple[str, ...]) -> None:
        self._loader, self._needless = loader, needless

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """As it would be without."""
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        """Load the module; to it, those that are not loaded yet are not installed."""
        hidden = [name for name in self._needless if name not in sys.modules]
        try:
            sys.modules.update(dict.fromkeys(hidden))  # type: ignore[arg-type]  # None says that there is none
            self._loader.exec_module(module)
        finally:
            for name in hidden:
                with suppress(KeyError):
                    del sys.modules[name]
