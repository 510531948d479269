"""anonset attack: play the attacker on a release and on its original."""

from pathlib import Path
from typing import Annotated

import typer

from anonset.cli.options import Reading, Showing, flags
from anonset.cli.printing import note, print_json, print_table


@flags(reading=Reading, showing=Showing)
def run(
    release: Annotated[Path, typer.Argument(metavar="OUT", help="A release folder.")],
    original: Annotated[Path, typer.Option("--original", metavar="DATA", help="What it was made of.")],
    m: Annotated[int, typer.Option("-m", min=1, help="Items an attacker knows, at most.")] = 2,
    attackers: Annotated[int, typer.Option("--attackers", min=1, help="Sampled attackers of each kind.")] = 1000,
    seed: Annotated[int | None, typer.Option("--seed", help="Makes the sample repeatable.")] = None,
    *,
    reading: Reading,
    showing: Showing,
) -> None:
    """Let sampled attackers, who know some items and the quasi values of a person, look for that person: before and after."""
    from anonset.api import load
    from anonset.attack import attack

    found = load(release, original, reading.given())
    result = attack(found.original, found, m=m, attackers=attackers, seed=seed)
    if showing.json:
        print_json(result.to_json())
        return
    header = ["attacker knows", "singled out: raw", "release", "found on average: raw", "release", "at worst: raw", "release"]
    rows = []
    for linkage in result.linkages:
        before, after = linkage.before, linkage.after
        shares = (before.singled_out, after.singled_out, before.marketer, after.marketer)
        texts = [f"{rate.value:.1%} ({rate.low:.1%}-{rate.high:.1%})" for rate in shares]
        rows.append([str(linkage.knowledge), *texts, f"{before.prosecutor:.1%}", f"{after.prosecutor:.1%}"])
    print_table(rows, header)
    for inference in result.inferences:
        print(
            f"{inference.secret} guessed by {inference.knowledge}: raw {inference.before.value:.1%}, release "
            f"{inference.after.value:.1%}, without the person {inference.control.value:.1%}, leak {inference.leak:.1%}"
        )
    note("intervals are 95%; the control takes the person's own record away", quiet=showing.quiet)
