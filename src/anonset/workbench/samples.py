"""Projects to begin with: made-up data with hierarchies and roles."""

from pathlib import Path

from anonset.errors import ParameterError
from anonset.workbench.steps import SetRoles

SAMPLES = {"patients": "2,000 made-up patients with age, sex, town, schooling and diagnoses"}
ROLES = SetRoles(
    {
        "patient_id": "identifier",
        "age": "quasi",
        "sex": "quasi",
        "town": "quasi",
        "schooling": "quasi",
        "diagnoses": "items",
    }
)


def write(sample: str, folder: Path) -> tuple[Path, dict[str, Path]]:
    """Write a sample to a folder: its table, and its hierarchies by column."""
    if sample not in SAMPLES:
        raise ParameterError(f"there is no sample of this name; there are {', '.join(SAMPLES)}")
    from anonset.samples import write_sample

    table = write_sample(folder)
    return table, {name: folder / "hierarchies" / f"{name}.csv" for name in ("town", "items")}
