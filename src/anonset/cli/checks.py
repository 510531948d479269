"""Commands that check a release: verify its guarantee, attack it, explain why it is as it is."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from anonset.cli.app import command
from anonset.cli.options import PATH, SOURCE, GuaranteeOptions, InputOptions, LargeDataOptions, OutputOptions, option
from anonset.cli.output import note, print_json, print_table, print_verdict, progress

if TYPE_CHECKING:
    from collections.abc import Sequence

    from anonset.attacks import Inference, Intersection, InversionAttack, Linkage, MarginAttack
    from anonset.attacks.audit import Audit
    from anonset.attacks.linkage import Rate

UNALIGNED = "not checked: the input row of each record is not known (see --aligned)"
release_argument = click.argument("release", metavar="OUT", type=PATH, help="A release folder, or any anonymized file.")
original_option = option("--original", required=True, type=SOURCE, metavar="DATA", help="The data it was made of.")
aligned_option = option("--aligned", is_flag=True, help="Row r of another tool's file is row r of the original.")

earlier_option = option(
    "--earlier",
    multiple=True,
    type=PATH,
    metavar="OUT",
    help="An earlier release of the same people, with its private/ half, that an attacker holds too. May be repeated.",
)


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
@earlier_option
@option("--accept-repeats", is_flag=True, help="Count records although several belong to one person.")
def verify(
    release: Path,
    original: str,
    aligned: bool,
    earlier: tuple[Path, ...],
    accept_repeats: bool,
    guarantee: GuaranteeOptions,
    inputs: InputOptions,
    large: LargeDataOptions,
    show: OutputOptions,
) -> None:
    """Check the guarantee of OUT against the ORIGINAL: exit code 0 where it holds, 3 where it does not.

    A file that another tool wrote needs --guarantee, e.g. --guarantee km-anonymity -k 5 -m 2; with --aligned it is also
    checked whether its values are true. With --earlier, who holds an earlier release too must be left with k candidates.
    """
    from anonset.errors import GuaranteeViolated
    from anonset.tasks.verify import VerifyRequest
    from anonset.tasks.verify import run as run_task

    with progress(quiet=show.quiet) as phases:
        what = (release, inputs.of(original), guarantee.promise())
        result = run_task(VerifyRequest(*what, aligned, large.limits(), accept_repeats, earlier), phases)
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


@command("Write the hashes of what is published, to be signed.", show=OutputOptions)
@click.argument("release", metavar="OUT", type=PATH, help="A release folder with its private/ part.")
def sums(release: Path, show: OutputOptions) -> None:
    """Write published/SHA256SUMS, which `sha256sum -c` checks and minisign, ssh-keygen or gpg sign."""
    from anonset.tasks.sums import run as run_task

    path = run_task(release)
    if show.json:
        print_json({"output": path})
    else:
        print(path)


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
@earlier_option
@option(
    "--knows-algorithm",
    is_flag=True,
    help="Also run the algorithm again with other people in the place of a person, for at most 20 people.",
)
@aligned_option
def attack(
    release: Path,
    original: str,
    m: int,
    attackers: int,
    seed: int | None,
    earlier: tuple[Path, ...],
    knows_algorithm: bool,
    aligned: bool,
    inputs: InputOptions,
    large: LargeDataOptions,
    show: OutputOptions,
) -> None:
    """Let sampled attackers, who know some items and the quasi values of a person, look for that person: before and after."""
    from anonset.tasks.attack import AttackRequest
    from anonset.tasks.attack import run as run_task

    with progress(quiet=show.quiet) as phases:
        request = AttackRequest(
            release, inputs.of(original), m, attackers, seed, aligned, large.limits(), earlier, knows_algorithm
        )
        result = run_task(request, phases)
    if show.json:
        print_json(result)
        return
    _print_linkages(result.linkages)
    if result.inferences:
        _print_inferences(result.inferences)
    if result.margins:
        _print_margins(result.margins)
    if result.earlier:
        _print_earlier(result.earlier)
    if result.inversion is not None:
        _print_inversion(result.inversion)
    note("intervals are 95 %; the control leaves the person's own record out", quiet=show.quiet)


@command("Judge any released or synthetic file by attacks on people.", inputs=InputOptions, show=OutputOptions)
@release_argument
@original_option
@option("--control", type=SOURCE, metavar="DATA", help="Data of the same form about people who were never used.")
@option("--attackers", type=click.IntRange(min=1), default=2000, help="Sampled attackers of each kind.")
@option("--seed", type=int, help="Makes the sample repeatable.")
def audit(
    release: Path,
    original: str,
    control: str | None,
    attackers: int,
    seed: int | None,
    inputs: InputOptions,
    show: OutputOptions,
) -> None:
    """Judge OUT, a release folder or any file, synthetic data too: exit code 3 if it tells more of its people than of others.

    Its rows need not be those of the ORIGINAL. Attackers single people out, link two halves of a person, guess values and
    items, and look for copies; with a --control they also tell who was used, and what holds for everybody is no risk.
    """
    from anonset.errors import GuaranteeViolated
    from anonset.tasks.audit import AuditRequest
    from anonset.tasks.audit import run as run_task

    with progress(quiet=show.quiet) as phases:
        result = run_task(AuditRequest(release, inputs.of(original), control, attackers, seed), phases)
    if show.json:
        print_json(result)
    else:
        _print_audit(result)
        for remark in result.remarks:
            note(remark, quiet=show.quiet)
    if result.leaks:
        raise click.exceptions.Exit(GuaranteeViolated.exit_code)


@command("Check whether tables may be handed out as they are.", inputs=InputOptions, show=OutputOptions)
@click.argument("files", metavar="DATA...", type=SOURCE, nargs=-1, required=True, help="Tables in any format of input.")
@option("-k", type=click.IntRange(min=2), default=5, help="People that a record must have in common with others, at least.")
@option("-m", type=click.IntRange(min=1), default=2, help="Items an attacker knows, at most.")
def check(files: tuple[str, ...], k: int, m: int, inputs: InputOptions, show: OutputOptions) -> None:
    """Check DATA before anybody commits or sends them: exit code 3 if a table names people or they could be found in it.

    Roles of columns are guessed unless they are given. Nothing is written, and no value of the data is printed.
    """
    from anonset.errors import GuaranteeViolated
    from anonset.tasks.check import run as run_task

    with progress(quiet=show.quiet) as phases:
        results = [run_task(inputs.of(file), k=k, m=m, phases=phases) for file in files]
    if show.json:
        print_json({"holds": all(result.holds for result in results), "tables": results})
    else:
        for result in results:
            print(f"{result.file}: {'; '.join(result.reasons) or 'nobody can be found in it'}")
    if not all(result.holds for result in results):
        raise click.exceptions.Exit(GuaranteeViolated.exit_code)


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


def _print_audit(audit: "Audit") -> None:
    rows = [
        [
            f"  {found.kind}",
            found.knowledge,
            str(found.attackers),
            f"{found.people.value:.1%}",
            "-" if found.control is None else f"{found.control.value:.1%}",
            f"{found.chance.value:.1%}",
            _interval(found.risk),
            "leaks" if found.leaks else "",
        ]
        for found in audit.attacks
    ]
    print("How often attackers succeed on people of the original, on the control and by chance, and the risk in between (95 %)")
    print_table(rows, ["  attack", "attacker knows", "attackers", "people", "control", "chance", "risk", ""])
    if audit.membership is not None:
        right = _interval(audit.membership.right)
        judged = "leaks" if audit.membership.leaks else "no better than a coin"
        print(f"\nOf two people, one used and one not, attackers pick the used one in {right}: {judged}")
    told = "The file tells more of its people than of others" if audit.leaks else "Nothing here tells its people from others"
    print(f"\n{told}")


def _print_earlier(found: "Sequence[Intersection]") -> None:
    print("\nEarlier releases: the fewest candidates of each person, in the release alone and for who holds both")
    rows = []
    for one in found:
        for name, side in (("alone", one.alone), (f"with {one.earlier}", one.both)):
            rows.append([f"  {name}", str(side.people), str(side.least), *map(str, side.percentiles.values()), str(side.below)])
    print_table(rows, ["  attacker holds it", "people", "least", "1 %", "5 %", "half", "below k"])
    for one in found:
        for column, (alone, both) in one.learnt.items():
            print(f"  {column} is certain for {alone:.1%} of the attackers alone, for {both:.1%} with {one.earlier}")
        general, single = one.labels
        print(f"  {general:,} labels for several items, of which {one.earlier} leaves {single:,} with one")
        if not one.known:
            print(f"  who is in both is not known ({one.earlier}): everybody counts whose records go together; --key tells")


def _print_inversion(found: "InversionAttack") -> None:
    print("\nWho knows the algorithm: candidates for whom it publishes the same when they are the person")
    print(f"  {found.people} people, {found.m} items known, up to {found.tried} candidates tried, {found.runs} runs")
    rows = [
        ["  show the labels", str(found.before), str(found.before_median)],
        ["  cannot be excluded by anybody", str(found.left), str(found.left_median)],
    ]
    print_table(rows, ["  candidates", "least", "half have at least"])
    print(f"  {found.below} people have fewer than {found.k} left against somebody who knows all other records")


def _interval(rate: "Rate") -> str:
    return f"{rate.value:.1%} ({rate.low:.1%}-{rate.high:.1%})"
