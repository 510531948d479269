"""Whether data fit into memory: what is free, and what reading and anonymizing them at once would take."""

import os
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any

from anonset.data.databases import connected, is_database, main_query
from anonset.data.files import MAGIC, PartFiles, located, remote_size
from anonset.data.files import chunks as unpacked_chunks
from anonset.data.formats import format_of
from anonset.data.formats.parquet import DAMAGED, feather_values, parquet_values
from anonset.errors import AnonsetError, InfeasibleError
from anonset.model.schema import Schema

MB = 1 << 20
SMALL = 16 * MB  # bytes of a packed file that is taken for a text
UNPACKED = 8 * MB  # bytes that are unpacked of a larger one to see how much it becomes
BASE = 300 * MB  # of the process without data
# Bytes at the peak of a run in memory for each byte of text, each value of a columnar file, each byte of an unpacked sheet:
# measured on click-streams and people by `aa`, `lift` and `mondrian`, and rounded up (docs/scale.md).
TEXT, VALUE, SHEET = 16, 70, 6
REMOTE = 5  # bytes of text behind a byte of a remote file that is packed or columnar
FULL = 0.8  # share of the free memory that a run may take
UNKNOWN = 4096 * MB  # free memory where the system does not tell


@dataclass(frozen=True, slots=True)
class Capacity:
    """The bytes that data would take in memory, and those that are free."""

    needed: int
    free: int

    @property
    def fits(self) -> bool:
        """Return whether the data can be read and anonymized at once."""
        return self.needed <= FULL * self.free

    def __str__(self) -> str:
        return f"in memory these data would take some {_size(self.needed)}, and {_size(self.free)} are free"


def capacity_of(data: Any, schema: Schema) -> Capacity:
    """Return what data would take in memory; nothing for what is there already, or cannot be told beforehand."""
    try:
        needed = _needed(data, schema)
    except (AnonsetError, OSError, zipfile.BadZipFile, *DAMAGED):  # said when the data are read
        needed = 0
    return Capacity(BASE + needed if needed else 0, free_memory())


def require_capacity(data: Any, schema: Schema) -> None:
    """Raise if data cannot be read into memory."""
    found = capacity_of(data, schema)
    if found.needed > found.free:
        raise InfeasibleError(f"{found}; take a sample, or a machine with more memory")


def free_memory() -> int:
    """Return the bytes that this process may still take: of the machine, of its control groups, of its own limit."""
    return max(0, min([*_of_machine(), *_of_groups(), *_of_process()], default=UNKNOWN))


def _size(n: int) -> str:
    return f"{n / 1e9:.1f} GB" if n >= 1e9 else f"{n // 1_000_000} MB"


def _needed(data: Any, schema: Schema) -> int:
    """Return the bytes that data take at the peak."""
    if is_database(data):
        return TEXT * _bytes_of_table(data, schema)
    if not isinstance(data, str | Path) or str(data) == "-":
        return 0
    more = _needed(schema.long, Schema()) if schema.long is not None else 0
    if isinstance(data, str) and "://" in data:
        packed = data.lower().endswith((*MAGIC, ".parquet", ".pq", ".feather", ".xlsx"))
        return remote_size(data) * TEXT * (REMOTE if packed else 1) + more
    if Path(data).is_fifo() or Path(data).is_char_device():
        return 0
    found = located(data)
    files = [part.file for part in found.parts] if isinstance(found, PartFiles) else [found]
    format = schema.format or format_of(found)
    return sum(_of_file(file, format) for file in files if isinstance(file, Path)) + more


def _of_file(path: Path, format: str) -> int:
    """Return the bytes that a file takes at the peak."""
    size = path.stat().st_size
    packed = path.name.lower().endswith(tuple(MAGIC))
    if not packed and format in ("parquet", "feather") and size:
        with path.open("rb") as raw, mmap(raw.fileno(), 0, access=ACCESS_READ) as data:
            return VALUE * (parquet_values(data) if format == "parquet" else feather_values(data))
    if not packed and format == "xlsx":
        with zipfile.ZipFile(path) as book:
            return SHEET * sum(info.file_size for info in book.infolist())
    if not packed or size < SMALL:
        return TEXT * size
    done = 0.0

    def progress(share: float) -> None:
        nonlocal done
        done = share

    unpacked = 0
    for chunk in unpacked_chunks(path, progress, MB):
        unpacked += len(chunk)
        if unpacked >= UNPACKED:
            break
    return int(TEXT * unpacked / max(done, unpacked / (250.0 * size)))


def _bytes_of_table(address: str, schema: Schema) -> int:
    """Return the bytes of text in a table or query: of a thousand rows, times how many rows there are."""
    with connected(address) as database:
        query = main_query(database, schema)
        (rows,) = (int(batch.item(0, 0)) for batch in database.batches(f"select count(*) as n from ({query}) as counted"))
        few = list(database.batches(f"select * from ({query}) as some limit 1000"))
        seen = sum(batch.height for batch in few)
        return int(rows * sum(batch.estimated_size() for batch in few) / seen) if seen else 0


def _of_machine() -> Iterator[int]:
    memory = _numbers("/proc/meminfo")
    if "MemAvailable" in memory:
        yield memory["MemAvailable"] << 10
        return
    with suppress(ValueError, OSError, AttributeError):
        yield os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def _of_groups() -> Iterator[int]:
    """Yield what is left of the limits of each control group that this process is in."""
    with suppress(OSError):
        for line in Path("/proc/self/cgroup").read_text().splitlines():
            _, kinds, name = line.split(":", 2)
            if kinds not in ("", "memory") and "memory" not in kinds.split(","):
                continue
            root = Path("/sys/fs/cgroup/memory" if kinds else "/sys/fs/cgroup")
            files = ("memory.limit_in_bytes", "memory.usage_in_bytes") if kinds else ("memory.max", "memory.current")
            folder = root / name.lstrip("/")
            for group in (folder, *(parent for parent in folder.parents if parent == root or root in parent.parents)):
                with suppress(OSError, ValueError):
                    limit, used = (int((group / file).read_text()) for file in files)
                    cached = _numbers(group / "memory.stat").get("inactive_file", 0)  # given back when memory is short
                    yield limit - used + cached


def _of_process() -> Iterator[int]:
    with suppress(ImportError):
        import resource

        soft, _ = resource.getrlimit(resource.RLIMIT_AS)
        if soft != resource.RLIM_INFINITY:
            yield soft - (_numbers("/proc/self/status").get("VmSize", 0) << 10)


def _numbers(path: str | Path) -> dict[str, int]:
    """Return the first number of each line of a file of the system by its name."""
    found = {}
    with suppress(OSError):
        for line in Path(path).read_text().splitlines():
            words = line.replace(":", " ").split()
            if len(words) > 1 and words[1].isdigit():
                found[words[0]] = int(words[1])
    return found
