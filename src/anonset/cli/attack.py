"""anonset attack: play the attacker on a release and on its original."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from anonset.cli.options import Larger, OutputOptions, Reading, flags
from anonset.cli.output import note, print_json, print_table, progress
from anonset.cli.verify import Aligned

if TYPE_CHECKING:
    from collections.abc import Sequence

    from anonset.attacks import Inference, Linkage, MarginAttack
    from anonset.attacks.linkage import Rate


@flags(larger=Larger, reading=Reading, showing=OutputOptions)
def run(
    release: Annotated[Path, typer.Argument(metavar="OUT", help="A release folder, or any anonymized file.")],
    original: Annotated[str, typer.Option("--original", metavar="DATA", help="What it was made of.")],
    m: Annotated[int, typer.Option("-m", min=1, help="Items an attacker knows, at most.")] = 2,
    attackers: Annotated[int, typer.Option("--attackers", min=1, help="Sampled attackers of each kind.")] = 1000,
    seed: Annotated[int | None, typer.Option("--seed", help="Makes the sample repeatable.")] = None,
    aligned: Aligned = False,
    *,
    larger: Larger,
    reading: Reading,
    showing: OutputOptions,
) -> None:
    """Let sampled attackers, who know some items and the quasi values of a person, look for that person: before and after."""
    from anonset.tasks.attack import AttackRequest
    from anonset.tasks.attack import run as run_task

    with progress(quiet=showing.quiet) as phases:
        request = AttackRequest(release, reading.of(original), m, attackers, seed, aligned, larger.pieces())
        result = run_task(request, phases)
    if showing.json:
        print_json(result.to_json())
        return
    _print_linkages(result.linkages)
    if result.inferences:
        _print_inferences(result.inferences)
    if result.margins:
        _print_margins(result.margins)
    note("intervals are 95%; the control takes the person's own record away", quiet=showing.quiet)


def _print_linkages(linkages: "Sequence[Linkage]") -> None:
    print("Singling out: exactly one record fits, and it is the person's")
    print_table(
        [
            [f"  {x.knowledge}", str(x.attackers), _interval(x.before.singled_out), _interval(x.after.singled_out)]
            for x in linkages
        ],
        ["  attacker knows", "attackers", "raw", "release"],
    )
    print("\nLinkability: the chance to pick the person's record, on average (marketer) and for the worst person,")
    print("who is known to be in the release (prosecutor) or only in the original (journalist)")
    print_table(
        [
            [
                f"  {x.knowledge}",
                *(_interval(side.marketer) for side in (x.before, x.after)),
                *(f"{side.prosecutor:.1%}" for side in (x.before, x.after)),
                *(f"{side.journalist:.1%}" for side in (x.before, x.after)),
            ]
            for x in linkages
        ],
        ["  attacker knows", "marketer: raw", "release", "prosecutor: raw", "release", "journalist: raw", "release"],
    )


def _print_inferences(inferences: "Sequence[Inference]") -> None:
    print("\nInference: a secret guessed right; without the person's own record (control); what the record adds (leak);")
    print("and how sure an attacker may be at most: the share of the fitting records with the secret")
    print_table(
        [
            [
                f"  {x.secret}",
                str(x.knowledge),
                str(x.attackers),
                *(_interval(rate) for rate in (x.before, x.after, x.control)),
                f"{x.leak:.1%}",
                f"{x.surest_before:.1%}",
                f"{x.surest_after:.1%}",
            ]
            for x in inferences
        ],
        ["  secret", "attacker knows", "attackers", "raw", "release", "control", "leak", "surest: raw", "release"],
    )


def _print_margins(margins: "Sequence[MarginAttack]") -> None:
    print("\nMargins: attackers who weigh the fitting records, without the published counts and with them")
    print_table(
        [
            [
                f"  {x.knowledge}",
                str(x.attackers),
                *(_interval(side.right) for side in (x.without, x.with_margins)),
                str(x.with_margins.fewest),
            ]
            for x in margins
        ],
        ["  attacker knows", "attackers", "right: without", "with", "fewest fitting"],
    )


def _interval(rate: "Rate") -> str:
    return f"{rate.value:.1%} ({rate.low:.1%}-{rate.high:.1%})"
