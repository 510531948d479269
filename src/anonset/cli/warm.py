"""anonset warm: compile everything now, so that nobody waits for it later."""

from anonset.cli.options import OutputOptions, flags
from anonset.cli.output import print_json, progress


@flags(showing=OutputOptions)
def run(*, showing: OutputOptions) -> None:
    """Compile every kernel, which otherwise happens when it is first needed: for images, and after an installation."""
    from dataclasses import asdict

    from anonset.tasks import warm

    with progress(quiet=showing.quiet) as phases:
        done = warm.run(phases)
    if showing.json:
        print_json(asdict(done))
    else:
        print(f"{len(done.algorithms)} algorithms are ready after {done.seconds:.0f} s; compiled kernels are in {done.folder}")
