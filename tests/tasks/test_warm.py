"""Warming runs every algorithm and leaves nothing behind."""

import tempfile

from anonset.algorithms import ALGORITHMS
from anonset.runtime.kernel_cache import cache_folder
from anonset.tasks import warm


def test_every_algorithm_runs(monkeypatch, tmp_path, phases):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    few = {id: ALGORITHMS[id] for id in ("aa", "peel", "nr-l", "pcta")}
    monkeypatch.setattr(warm, "ALGORITHMS", few)

    done = warm.run(phases)

    assert done.algorithms == tuple(few)
    assert done.folder == cache_folder()
    assert phases.heard == [("Compiling", share) for share in (0.25, 0.5, 0.75, 1.0)]
    assert list(tmp_path.iterdir()) == []
