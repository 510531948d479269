"""anonset serve refuses what would let others in."""

import pytest

from anonset.cli import main


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--host", "0.0.0.0"], "needs --token"),
        (["--token", "short"], "16 characters"),
        (["--no-token", "--host", "192.168.1.1"], "needs --token"),
        (["--store", "mysql+nothing://x"], "store cannot be opened"),
    ],
)
def test_bad_wishes_end_with_2_and_a_line(words, complaint, capsys, tmp_path):
    assert main(["serve", *words, "--files", str(tmp_path)]) == 2
    assert complaint in capsys.readouterr().err
