"""A JSON array of objects, one a record; lists are item sets."""

from typing import Any

from anonset.data.formats.json_lines import parsed, table_of
from anonset.data.sources import File, text_bytes
from anonset.data.table import Table
from anonset.errors import InputError
from anonset.model.progress import Progress, silent


def read_json_array(path: File, progress: Progress = silent) -> Table:
    """The table in a file with an array of objects; a field that an object does not have is missing there."""
    records: Any = parsed(text_bytes(path, progress), path)
    if not isinstance(records, list):
        raise InputError("an array of objects is expected; for one object a line the format is jsonl", file=str(path))
    if not records:
        raise InputError("has no records", file=str(path))
    odd = next((n for n, record in enumerate(records, 1) if not isinstance(record, dict)), None)
    if odd is not None:
        raise InputError(f"record {odd}: a JSON object is expected", file=str(path))
    return table_of(enumerate(records, 1), path, has_lines=False)
