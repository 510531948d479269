"""A verdict with its witnesses."""

from anonset.web.parts import card, element, hinted, note, table
from anonset.web.words import CHECKS
from anonset.workbench.values import Verdict


def draw_verdict(verdict: Verdict) -> None:
    """Whether the promise holds, what was checked, and who speaks against it."""
    if verdict.holds:
        note("The promise holds. The files were read by the verifier, which shares no code with the algorithms.", "good")
    else:
        note("The promise does not hold: this must not be handed out.", "bad")
    with card("What was checked"):
        rows = [
            (lambda f=f: _name(f.what), "✓\u00a0holds" if f.holds else "✕ does not hold", f.text, f"{f.violations:,}")
            for f in verdict.findings
        ]
        table(("promise", "verdict", "closest call", "violations"), rows, "What was checked", right=(3,))
        for finding in verdict.findings:
            for witness in finding.witnesses:
                note(witness, "bad")


def _name(what: str) -> None:
    hinted(CHECKS[what], what) if what in CHECKS else element("span", "", what)
