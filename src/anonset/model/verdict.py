"""What a check found."""

from dataclasses import asdict, dataclass
from typing import Any

from anonset.errors import GuaranteeViolated
from anonset.model.cards import card, table


@dataclass(frozen=True, slots=True)
class Finding:
    """The answer to one question: does this guarantee hold, and what is the worst place?

    `support` is that of the worst group or itemset found; `checked` is false where the check would have been too large,
    which counts as not holding.
    """

    guarantee: str
    holds: bool
    violations: int = 0
    worst: str = ""
    support: int | None = None
    witnesses: tuple[str, ...] = ()
    checked: bool = True

    @property
    def state(self) -> str:
        """In words: holds, DOES NOT HOLD or not checked."""
        return "not checked" if not self.checked else "holds" if self.holds else "DOES NOT HOLD"


@dataclass(frozen=True, slots=True)
class Verdict:
    """All findings about one release."""

    findings: tuple[Finding, ...]

    @property
    def holds(self) -> bool:
        """Whether something was checked and everything holds."""
        return bool(self.findings) and all(finding.holds and finding.checked for finding in self.findings)

    @property
    def violations(self) -> int:
        """The number of violations over all findings."""
        return sum(finding.violations for finding in self.findings)

    def __repr__(self) -> str:
        parts = (f"{finding.guarantee} {finding.state}" for finding in self.findings)
        return f"<Verdict: {', '.join(parts) or 'nothing was checked'}>"

    def _repr_html_(self) -> str:
        rows = [(f.guarantee, f.state, f.violations, "; ".join(f.witnesses[:1]) or f.worst) for f in self.findings]
        title = "Verdict: everything holds" if self.holds else "Verdict: NOT everything holds"
        return card(title, table(("promise", "found", "violations", "the worst place"), rows))

    def as_json(self) -> dict[str, Any]:
        """The verdict as plain data."""
        findings = [asdict(finding) for finding in self.findings]
        return {"holds": self.holds, "violations": self.violations, "findings": findings}

    def require(self) -> None:
        """Raise unless everything holds."""
        for finding in self.findings:
            if not finding.checked:
                raise GuaranteeViolated(f"{finding.guarantee} was not checked: {finding.worst}")
            if not finding.holds:
                witness = finding.witnesses[0] if finding.witnesses else finding.worst
                count = f"{finding.violations} violation{'s' if finding.violations != 1 else ''}"
                raise GuaranteeViolated(f"{finding.guarantee} does not hold ({count}): {witness}")
        if not self.findings:
            raise GuaranteeViolated("nothing was promised, so nothing was checked")
