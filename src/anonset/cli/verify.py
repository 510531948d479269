"""anonset verify: re-read what is published, next to its original, and check the promise."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from anonset.cli.options import Promising, Reading, Showing, flags
from anonset.cli.printing import print_json, print_verdict, verdict_json

if TYPE_CHECKING:
    from anonset.model.dataset import Dataset
    from anonset.model.guarantees import Guarantee
    from anonset.model.verdict import Verdict

UNALIGNED = "not asked for: it is not known which input row is behind each record"


@flags(promising=Promising, reading=Reading, showing=Showing)
def run(
    release: Annotated[Path, typer.Argument(metavar="OUT", help="A release folder, or any anonymized file.")],
    original: Annotated[Path, typer.Option("--original", metavar="DATA", help="What it was made of.")],
    aligned: Annotated[
        bool, typer.Option("--aligned", help="Row r of the file is row r of the original: check that its values are true.")
    ] = False,
    *,
    promising: Promising,
    reading: Reading,
    showing: Showing,
) -> None:
    """Check the guarantee of OUT against the ORIGINAL: exit code 0 where it holds, 3 where it does not.

    A file that another tool wrote needs --guarantee, e.g. --guarantee km-anonymity -k 5 -m 2.
    """
    if release.is_dir():
        verdict, aligned = _of_folder(release, original, promising, reading)
    else:
        verdict = _of_file(release, original, promising, reading, aligned=aligned)
    if showing.json:
        print_json(verdict_json(verdict) | {"truth_checked": aligned})
    else:
        print_verdict(verdict)
        if not aligned:
            print(f"truthful: {UNALIGNED}")
    if showing.json and not verdict.holds:
        raise typer.Exit(3)
    verdict.require()


def _of_folder(folder: Path, original: Path, promising: Promising, reading: Reading) -> tuple["Verdict", bool]:
    """The verdict on a release folder, and whether it says something about truth."""
    from anonset.api import read_original
    from anonset.releases.folder import is_aligned
    from anonset.releases.publish import verify_folder

    dataset = read_original(folder, original, reading.given())
    guarantees = None if promising.guarantee is None else [asked_guarantee(promising, dataset)]
    return verify_folder(dataset, folder, guarantees), is_aligned(folder)


def _of_file(file: Path, original: Path, promising: Promising, reading: Reading, *, aligned: bool) -> "Verdict":
    """The verdict on a file that any tool wrote."""
    from anonset.data import read_and_guess
    from anonset.errors import ParameterError
    from anonset.releases.foreign import read_published_file
    from anonset.verify import verify

    if promising.guarantee is None:
        raise ParameterError("a file needs --guarantee, with its -k, -m or -l, to be checked")
    dataset, guess = read_and_guess(original, schema=reading.given())
    release = read_published_file(file, dataset, guess.schema, aligned=aligned)
    return verify(dataset, release, [asked_guarantee(promising, dataset)], truthful=aligned)


def asked_guarantee(promising: Promising, dataset: "Dataset") -> "Guarantee":
    """The guarantee asked for; what the flags do not say comes from the dataset or the policy."""
    from dataclasses import fields

    from anonset.data import read_policies
    from anonset.errors import ParameterError
    from anonset.model.guarantees import GUARANTEES, make_guarantee
    from anonset.model.policy import Itemsets

    id = promising.guarantee or ""
    values = promising.values()
    wanted = {f.name for f in fields(GUARANTEES[id])} if id in GUARANTEES else set()
    if "sensitive" in wanted and dataset.transactions is not None and dataset.sensitive_items is not None:
        flagged = zip(dataset.transactions.domain, dataset.sensitive_items, strict=True)
        values["sensitive"] = tuple(name for name, sensitive in flagged if sensitive)
    if "column" in wanted and "column" not in values and len(dataset.with_role("sensitive")) == 1:
        values["column"] = dataset.with_role("sensitive")[0].name
    if wanted & {"itemsets", "groups"}:
        if promising.policy is None:
            raise ParameterError(f"{id} needs --policy, the file with its constraints")
        policies = read_policies(promising.policy)
        if "itemsets" in wanted and isinstance(policies.privacy, Itemsets):
            values["itemsets"] = policies.privacy.itemsets
        if "groups" in wanted and policies.utility is not None:
            values |= {"groups": policies.utility.groups, "suppression": policies.utility.suppression}
    return make_guarantee(id, values)
