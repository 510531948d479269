"""The driver of a run: it sends questions to an engine and stores each answer, so that an interrupted run can be resumed."""

import hashlib
import os
import shutil
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from anonset.engine.domains import Answer
from anonset.engine.executors import Engine
from anonset.engine.questions import Context, Question
from anonset.errors import InputError
from anonset.model.progress import Phases, unheard


@dataclass(eq=False)
class Driver:
    """Sends questions to an engine; the journal stores each answer under the hash of this and all earlier questions."""

    engine: Engine
    context: Context
    phases: Phases = unheard
    digest: str = ""
    asked: list[str] = field(default_factory=list)  # questions whose answers were not in the journal
    seconds: dict[str, float] = field(default_factory=dict)

    def ask(self, question: Question, units: Sequence[Any], *about: object, into: Sequence[str] = ()) -> Answer:
        """Return the answer, from the journal if it is there; `about` distinguishes questions of the same name.

        `into` names the folders that the question writes to; they are emptied first: an interrupted run may have left files.
        """
        text = repr((self.digest, question.name, about, len(units)))
        self.digest = hashlib.sha256(text.encode()).hexdigest()
        path = self.context.work / "journal" / f"{self.digest}.npz"
        if path.exists():
            with np.load(path, allow_pickle=False) as found:
                return dict(found)
        self.asked.append(question.name)
        for folder in into:
            clear_work(self.context.work / folder)
        start = time.perf_counter()
        answer = self.engine.reduce(question, units, self.context, self.phases(question.name.capitalize()))
        self.seconds[question.name] = round(self.seconds.get(question.name, 0.0) + time.perf_counter() - start, 3)
        path.parent.mkdir(exist_ok=True)
        half = path.with_suffix(".half")
        with half.open("wb") as file:
            np.savez(file, **answer)  # type: ignore[arg-type]
        half.rename(path)
        return answer


def work_folder(out: Path) -> Path:
    """Return the private folder, next to the output folder, where a run stores intermediate files."""
    return out.absolute().with_name(f".{out.name}.anonset.work")


def open_work(out: Path) -> Path:
    """Create the work folder or reuse that of an interrupted run, readable by its owner only; refuse another user's folder."""
    work = work_folder(out)
    try:
        work.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot be made: {error.strerror or error}", file=work) from None
    if hasattr(os, "getuid") and (work.is_symlink() or work.stat().st_uid != os.getuid()):
        raise InputError("belongs to somebody else; remove it", file=work)
    work.chmod(0o700)
    return work


def clear_work(work: Path) -> None:
    """Remove a work folder."""
    with suppress(OSError):
        shutil.rmtree(work)
