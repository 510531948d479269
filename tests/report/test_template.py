import pytest

pytest.importorskip("jinja2")

from anonset.report.template import figure


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (0.12346, "0.1235"),
        (1234.5, "1234"),
        (12345.6, "12,346"),
        (1e-5, "1e-05"),
        (-20000, "-20,000"),
        (2e12, "2e+12"),
    ],
)
def test_numbers_are_written_as_a_person_reads_them(value, text):
    assert figure(value) == text
