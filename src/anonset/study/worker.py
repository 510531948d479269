"""The process behind a study: reads each dataset once, then answers one setting after the other."""

import os
import resource
import sys
import threading
import time
from dataclasses import replace
from multiprocessing.connection import Connection
from pathlib import Path

from anonset.io import read
from anonset.model.dataset import Dataset
from anonset.study.evaluate import evaluate
from anonset.study.plan import Plan
from anonset.study.trial import Trial

MEMORY_EXCEEDED = 77


def serve(pipe: Connection, plan: Plan, parent: int) -> None:
    """Answer (key, setting) with a trial as JSON until the pipe closes."""
    threading.Thread(target=_watch, args=(plan.memory_mb, parent), daemon=True).start()
    datasets: dict[int, Dataset] = {}
    while True:
        try:
            key, setting = pipe.recv()
        except (EOFError, KeyboardInterrupt):
            return
        forget_peak()
        try:
            if setting.data not in datasets:
                data = plan.data[setting.data]
                datasets[setting.data] = read(data.path, schema=data.schema)
            trial = evaluate(datasets[setting.data], plan, setting, key)
        except (
            Exception
        ) as error:  # an internal error ends one trial, not the study; its text may hold data: the type is enough
            name = plan.data[setting.data].name
            trial = Trial(
                key, name, setting.algorithm, dict(setting.parameters), "failed", f"internal error: {type(error).__name__}"
            )
        pipe.send(replace(trial, memory_mb=peak_mb()).to_json())


def peak_mb() -> float:
    """The most memory this process has used since the peak was last forgotten, in MB."""
    status = Path("/proc/self/status")
    if status.exists():
        for line in status.read_text().splitlines():
            if line.startswith("VmHWM"):
                return int(line.split()[1]) / 1024
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most / (1024 * 1024 if sys.platform == "darwin" else 1024)


def forget_peak() -> None:
    """Count the peak from what is in use now."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return  # not on this system: the peak is that of the whole process


def _watch(limit_mb: float, parent: int) -> None:
    """End this process when it uses too much memory, or when nobody is left to answer to."""
    while True:
        time.sleep(0.1)
        if peak_mb() > limit_mb:
            os._exit(MEMORY_EXCEEDED)
        if os.getppid() != parent:
            os._exit(1)
