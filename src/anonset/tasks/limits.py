"""What work on data in pieces may take, as people type it."""

import re
from dataclasses import dataclass

from anonset.engine.planning import Resources
from anonset.errors import ParameterError

UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([KMGT]?)i?B?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Pieces:
    """What work on a release in parts may take, as typed."""

    memory: str | int | None = None
    jobs: int | None = None
    scheduler: str | None = None

    def resources(self) -> Resources:
        """The same in numbers."""
        return resources(self.memory, self.jobs, self.scheduler)


def resources(memory: str | int | None = None, jobs: int | None = None, scheduler: str | None = None) -> Resources:
    """What the work may take: a size such as 2GB, a number of threads or workers, the address of a scheduler."""
    if jobs is not None and jobs < 1:
        raise ParameterError(f"jobs must be 1 or more; got {jobs}")
    return Resources(None if memory is None else parse_size(memory), jobs, scheduler)


def parse_size(given: str | int) -> int:
    """A number of bytes from 2GB, 500M or 1000000."""
    found = SIZE.fullmatch(str(given).strip())
    if found is None or float(found[1]) <= 0:
        raise ParameterError(f"memory must be a size such as 2GB or 500MB; got {given!r}")
    return int(float(found[1]) * UNITS[found[2].upper()])
