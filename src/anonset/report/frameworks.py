"""The figures of the report under the headings that a regulator or a standard asks for.

The headings name what a document asks; whether it is met is for a person to judge, and no page says so.
"""

from dataclasses import dataclass
from typing import Literal, get_args

FrameworkName = Literal["opinion-05-2014", "iso-27559", "hipaa", "ema", "sp-800-188"]
FRAMEWORK_NAMES: tuple[FrameworkName, ...] = get_args(FrameworkName)
Block = Literal[
    "attacker", "promise", "check", "limits", "not_covered", "columns", "uses", "accepted", "outside", "context",
    "residual", "singling", "linking", "inferring", "people", "data", "repeat", "identifiers", "person",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class FrameworkSection:
    """A heading of a document, and what the page shows below it; `person` is a line that a person fills in."""

    heading: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Framework:
    """A document that asks for evidence, with its headings in their order."""

    title: str
    source: str
    sections: tuple[FrameworkSection, ...]


IDENTIFIERS = (  # 45 CFR 164.514(b)(2)(i), in our words
    ("A", "Names"),
    (
        "B",
        "Places smaller than a state; the first three digits of a ZIP code where more than 20,000 people share them may stay",
    ),
    ("C", "Dates about the person, except the year; ages over 89, except as one group of 90 or older"),
    ("D", "Telephone numbers"),
    ("E", "Fax numbers"),
    ("F", "E-mail addresses"),
    ("G", "Social security numbers"),
    ("H", "Medical record numbers"),
    ("I", "Health plan beneficiary numbers"),
    ("J", "Account numbers"),
    ("K", "Certificate and license numbers"),
    ("L", "Vehicle identifiers and serial numbers, license plates"),
    ("M", "Device identifiers and serial numbers"),
    ("N", "Web addresses (URLs)"),
    ("O", "Internet protocol (IP) addresses"),
    ("P", "Biometric identifiers, such as finger and voice prints"),
    ("Q", "Photographs of the full face, and images like them"),
    ("R", "Any other unique identifying number, characteristic or code"),
)

FRAMEWORKS: dict[FrameworkName, Framework] = {
    "opinion-05-2014": Framework(
        "Opinion 05/2014 on Anonymisation Techniques",
        "Article 29 Data Protection Working Party, WP 216, 10 April 2014",
        (
            FrameworkSection("Means reasonably likely to be used", ("attacker", "context")),
            FrameworkSection("Technique and what it promises", ("promise", "check", "columns")),
            FrameworkSection("Singling out", ("singling",)),
            FrameworkSection("Linkability", ("linking",)),
            FrameworkSection("Inference", ("inferring",)),
            FrameworkSection("Residual risk of identification", ("limits", "not_covered", "accepted", "outside", "residual")),
            FrameworkSection("Usefulness", ("uses",)),
        ),
    ),
    "iso-27559": Framework(
        "Privacy enhancing data de-identification framework",
        "ISO/IEC 27559:2022, clauses 6 to 9",
        (
            FrameworkSection("6 Context assessment: threat modelling", ("attacker", "context")),
            FrameworkSection("6 Context assessment: transparency and impact", ("people", "person")),
            FrameworkSection("7 Data assessment: data features", ("data", "columns")),
            FrameworkSection("7 Data assessment: attack modelling, maximum or average risk", ("limits",)),
            FrameworkSection("8 Identifiability: quantifying", ("promise", "check")),
            FrameworkSection("8 Identifiability: adversarial testing", ("singling", "linking", "inferring")),
            FrameworkSection("8 Mitigation: transforming the data", ("uses", "outside", "not_covered")),
            FrameworkSection("9 Governance: before data are made available", ("accepted", "residual")),
            FrameworkSection("9 Governance: after data are made available", ("repeat", "person")),
        ),
    ),
    "hipaa": Framework(
        "De-identification of protected health information",
        "HIPAA Privacy Rule, 45 CFR 164.514(b), United States",
        (
            FrameworkSection("(b)(1) Expert determination: the anticipated recipient", ("people", "attacker", "context")),
            FrameworkSection("(b)(1) Expert determination: methods", ("promise", "check", "columns")),
            FrameworkSection(
                "(b)(1) Expert determination: results of the analysis",
                ("limits", "singling", "linking", "inferring", "not_covered", "accepted", "outside"),
            ),
            FrameworkSection("(b)(1) Expert determination: whether the risk is very small", ("residual", "person")),
            FrameworkSection("(b)(2) Safe harbor: checklist of the eighteen identifiers", ("identifiers",)),
            FrameworkSection("(b)(2) Safe harbor: actual knowledge that somebody could be identified", ("person",)),
        ),
    ),
    "ema": Framework(
        "Anonymisation report",
        "European Medicines Agency, external guidance on the implementation of policy 0070, chapter 3",
        (
            FrameworkSection("Direct identifiers and quasi identifiers", ("data", "columns")),
            FrameworkSection("Possible adversaries and plausible attacks", ("attacker", "context")),
            FrameworkSection("Data utility", ("uses",)),
            FrameworkSection("Risk threshold and actual risk of re-identification", ("limits", "not_covered")),
            FrameworkSection("The three criteria: singling out", ("singling",)),
            FrameworkSection("The three criteria: linkability", ("linking",)),
            FrameworkSection("The three criteria: inference", ("inferring",)),
            FrameworkSection("Anonymisation methodology", ("promise", "check", "accepted", "outside", "repeat")),
            FrameworkSection("Conclusion", ("residual", "person")),
        ),
    ),
    "sp-800-188": Framework(
        "De-Identifying Government Datasets: Techniques and Governance",
        "NIST Special Publication 800-188, September 2023",
        (
            FrameworkSection("Goals and intended uses, data-sharing model", ("people", "context")),
            FrameworkSection("Survey of the data: identifiers and quasi-identifiers", ("data", "columns")),
            FrameworkSection("Risks that the release creates", ("attacker", "limits", "not_covered")),
            FrameworkSection("De-identification standard with measurable performance", ("promise", "check", "uses")),
            FrameworkSection("Re-identification study", ("singling", "linking", "inferring")),
            FrameworkSection("Disclosure review: what was decided", ("accepted", "outside", "residual", "person")),
            FrameworkSection("After the release", ("repeat", "person")),
        ),
    ),
}
