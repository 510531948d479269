"""anonset profile: what is in a file, how it would be read, and how identifying it is as it stands."""

from typing import TYPE_CHECKING, Annotated

import typer

from anonset.cli.errors import with_flags
from anonset.cli.options import DATA, OutputOptions, Reading, flags
from anonset.cli.output import print_json, print_table, progress
from anonset.model.passwords import without_password

if TYPE_CHECKING:
    from anonset.tasks.profile import Profile


FACTS = ("role", "kind", "values", "missing")


@flags(reading=Reading, showing=OutputOptions)
def run(
    data: Annotated[str, typer.Argument(help=DATA)],
    *,
    reading: Reading,
    showing: OutputOptions,
) -> None:
    """Show the columns of DATA with their roles, what is odd about them, and how many people are unique as they stand."""
    from anonset.tasks import profile

    with progress(quiet=showing.quiet) as phases:
        found = profile.run(reading.of(data), phases)
    if showing.json:
        print_json(found.as_json())
    else:
        _print(data, found)


def _print(data: str, found: "Profile") -> None:
    from anonset.tasks.profile import commonest_line, items_line, rate_text, spread

    print(f"{without_password(data)}: {found.records} records")
    if found.gathered:
        print(found.gathered)
    if found.columns:
        rows = [[str(c.get(name, "")) for name in ("name", *FACTS, "reason")] for c in found.columns]
        print()
        print_table(rows, ("column", *FACTS, "why"))
        seen = [[c["name"], str(found.identifying.get(c["name"], "")), *spread(c)] for c in found.columns if "values" in c]
        if seen:
            print()
            print_table(seen, ("column", "unique because of it", "looks like", "spread"))
    if found.items is not None:
        print(f"\n{items_line(found.items)}")
        print(f"commonest: {commonest_line(found.items['commonest'])}")
    print("\nRecords that are unique to somebody who knows")
    print_table([[f"  {text}", rate_text(rate)] for text, rate in found.unique_to()])
    if found.unique.sampled is not None:
        print(f"  (items: of {found.unique.sampled} records drawn at random, with 95 % intervals)")
    for title, lines in (("To look at", found.suspicions), ("Advice", found.advice)):
        if lines:
            print(f"\n{title}")
            print_table([[f"  {with_flags(text)}"] for text in lines])
