"""anonset sample: a made-up dataset to try things on."""

from pathlib import Path
from typing import Annotated

import typer


def run(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="Where patients.csv, schema.toml, hierarchies/ and sensitive.txt go.")
    ] = Path("sample"),
    records: Annotated[int, typer.Option("--records", min=1, help="How many patients.")] = 2000,
    seed: Annotated[int, typer.Option("--seed", help="Another seed, other patients.")] = 2026,
) -> None:
    """Write made-up patients with demographics and diagnoses, and the taxonomies over them."""
    from anonset.errors import InputError
    from anonset.samples import write_sample

    try:
        path = write_sample(folder, records, seed)
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror}", file=folder) from None
    print(path)
