"""Commands that check a release: verify its guarantee, attack it, explain why it is as it is."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from anonset.cli.app import command
from anonset.cli.options import PATH, SOURCE, GuaranteeOptions, InputOptions, LargeDataOptions, OutputOptions, option
from anonset.cli.output import note, print_json, print_table, print_verdict, progress

if TYPE_CHECKING:
    from collections.abc import Sequence

    from anonset.attacks import Inference, Linkage, MarginAttack
    from anonset.attacks.linkage import Rate

UNALIGNED = "not checked: the input row of each record is not known (see --aligned)"
release_argument = click.argument("release", metavar="OUT", type=PATH, help="A release folder, or any anonymized file.")
original_option = option("--original", required=True, type=SOURCE, metavar="DATA", help="The data it was made of.")
aligned_option = option("--aligned", is_flag=True, help="Row r of another tool's file is row r of the original.")


@command(
    "Check the guarantee of a release against the original.",
    guarantee=GuaranteeOptions,
    inputs=InputOptions,
    large=LargeDataOptions,
    show=OutputOptions,
)
@release_argument
@original_option
@aligned_option
@option("--accept-repeats", is_flag=True, help="Count records although several belong to one person.")
def verify(
    release: Path,
    original: str,
    aligned: bool,
    accept_repeats: bool,
    guarantee: GuaranteeOptions,
    inputs: InputOptions,
    large: LargeDataOptions,
    show: OutputOptions,
) -> None:
    """Check the guarantee of OUT against the ORIGINAL: exit code 0 where it holds, 3 where it does not.

    A file that another tool wrote needs --guarantee, e.g. --guarantee km-anonymity -k 5 -m 2; with --aligned it is also
    checked whether its values are true.
    """
    from anonset.errors import GuaranteeViolated
    from anonset.tasks.verify import VerifyRequest
    from anonset.tasks.verify import run as run_task

    with progress(quiet=show.quiet) as phases:
        what = (release, inputs.of(original), guarantee.promise())
        result = run_task(VerifyRequest(*what, aligned, large.pieces(), accept_repeats), phases)
    if show.json:
        print_json(result)
        if not result.verdict.holds:
            raise click.exceptions.Exit(GuaranteeViolated.exit_code)
        return
    print_verdict(result.verdict)
    if not result.truth_checked:
        print(f"truthful: {UNALIGNED}")
    result.verdict.require()


@command("Explain why items and records were generalized.", show=OutputOptions)
@click.argument("release", metavar="OUT", type=PATH, help="A release folder with its private/ part.")
@option("--row", type=click.IntRange(min=0), help="Explain one input row, counted from 0.")
@option("--most", type=click.IntRange(min=1), default=50, help="The largest number of lines to print.")
def explain(release: Path, row: int | None, most: int, show: OutputOptions) -> None:
    """Print what forced each generalized item, what each cluster lost, or what happened to a record. Private: do not share."""
    from anonset.tasks.explain import ExplainRequest
    from anonset.tasks.explain import run as run_task

    lines = run_task(ExplainRequest(release, row))
    if show.json:
        print_json({"lines": lines})
        return
    for line in lines[:most]:
        print(line)
    if len(lines) > most:
        print(f"... and {len(lines) - most} more (--most)")


@command(
    "Attack a release and its original, and compare the success.",
    inputs=InputOptions,
    large=LargeDataOptions,
    show=OutputOptions,
)
@release_argument
@original_option
@option("-m", type=click.IntRange(min=1), default=2, help="Items an attacker knows, at most.")
@option("--attackers", type=click.IntRange(min=1), default=1000, help="Sampled attackers of each kind.")
@option("--seed", type=int, help="Makes the sample repeatable.")
@aligned_option
def attack(
    release: Path,
    original: str,
    m: int,
    attackers: int,
    seed: int | None,
    aligned: bool,
    inputs: InputOptions,
    large: LargeDataOptions,
    show: OutputOptions,
) -> None:
    """Let sampled attackers, who know some items and the quasi values of a person, look for that person: before and after."""
    from anonset.tasks.attack import AttackRequest
    from anonset.tasks.attack import run as run_task

    with progress(quiet=show.quiet) as phases:
        request = AttackRequest(release, inputs.of(original), m, attackers, seed, aligned, large.pieces())
        result = run_task(request, phases)
    if show.json:
        print_json(result)
        return
    _print_linkages(result.linkages)
    if result.inferences:
        _print_inferences(result.inferences)
    if result.margins:
        _print_margins(result.margins)
    note("intervals are 95 %; the control leaves the person's own record out", quiet=show.quiet)


def _print_linkages(linkages: "Sequence[Linkage]") -> None:
    print("Singling out: exactly one record matches, and it is the person's")
    print_table(
        [
            [f"  {x.knowledge}", str(x.attackers), _interval(x.before.singled_out), _interval(x.after.singled_out)]
            for x in linkages
        ],
        ["  attacker knows", "attackers", "raw", "release"],
    )
    print("\nLinkability: the chance to pick the person's record, on average (marketer) and for the worst person,")
    print("known to be in the release (prosecutor) or only in the original (journalist)")
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
    print("\nInference: how often a secret is guessed, also without the person's own record (control); the difference (leak);")
    print("and the highest certainty of an attacker: the share of the matching records with the secret")
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
    print("\nMargins: attackers who weigh the matching records, without the published counts and with them")
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
        ["  attacker knows", "attackers", "right: without", "with", "fewest matches"],
    )


def _interval(rate: "Rate") -> str:
    return f"{rate.value:.1%} ({rate.low:.1%}-{rate.high:.1%})"
