"""Every command that the README and the documentation show is run as it stands, and nothing of an identifier gets out."""

import re
import shlex
from pathlib import Path

import numpy as np
import pytest

from anonset.cli import main
from anonset.samples import write_sample

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
SHORT = {"--seconds": "6", "--attackers": "40", "-n": "20"}  # what makes a line quick and changes nothing else about it
ELSEWHERE = (  # take minutes, or need what the page tells of: they have tests of their own
    "anonset reproduce",
    "anonset serve",
    "anonset accounts",
    "anonset audit",
    "anonset count published",
    "anonset anonymize patients-2026.csv",
    "anonset attack 2026",
    "anonset verify 2026",
    "anonset attack out --original patients.csv --knows-algorithm",
    "cd release",
    "sha256sum",
    "make ",
)
GOODS = ("bread", "butter", "beer", "milk", "eggs", "salt", "soap", "tea")


def commands(page):
    """The commands of a page, each as one line."""
    text = page.read_text(encoding="utf-8").replace("\\\n", " ")
    lines = re.findall(r"^\$ (.*)$", text, re.MULTILINE)
    return [line for line in lines if not line.startswith(ELSEWHERE)]


def write_named_files(page):
    """The files that a page shows, those whose first line is a comment with their name."""
    for name, body in re.findall(r"```toml\n# (\S+\.toml)\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL):
        Path(name).write_text(body, encoding="utf-8")


@pytest.fixture
def desk(tmp_path, monkeypatch):
    """A folder with what the pages take for granted: patients with a schema, baskets with a hierarchy, a plan, releases."""
    monkeypatch.chdir(tmp_path)
    write_sample(tmp_path / "sample", 300, 5)
    (tmp_path / "patients.csv").write_bytes((tmp_path / "sample" / "patients.csv").read_bytes())
    (tmp_path / "hierarchies").symlink_to(tmp_path / "sample" / "hierarchies")
    write_named_files(ROOT / "docs" / "tutorial.md")
    rng = np.random.default_rng(1)
    rows = [np.flatnonzero(rng.random(40) < 0.12) for _ in range(200)]
    (tmp_path / "baskets.dat").write_text("".join(" ".join(map(str, row)) + "\n" for row in rows if len(row)))
    (tmp_path / "groceries.csv").write_text("".join(f"{i};group {i // 8};*\n" for i in range(40)))
    goods = ["|".join(name for name in GOODS if rng.random() < 0.4) for _ in range(60)]
    (tmp_path / "goods.csv").write_text("goods\n" + "".join(f"{row or 'bread'}\n" for row in goods))
    everybody = [f"I{n * 7 % 12}|E{n * 5 % 9}\n" for n in range(4000)]
    (tmp_path / "everybody.csv").write_text("diagnoses\n" + "".join(everybody))
    (tmp_path / "sample.csv").write_text("diagnoses\n" + "".join(everybody[::20]))
    leaves = [f"I{n};I;*\n" for n in range(12)] + [f"E{n};E;*\n" for n in range(9)]
    (tmp_path / "diagnoses.tree.csv").write_text("".join(leaves))
    return tmp_path


PREPARED = {
    "attack.md": ["anonymize patients.csv --schema schema.toml -k 5 -o out --no-report"],
    "compare.md": [
        "anonymize baskets.dat --algorithm aa -k 5 --hierarchy balanced:5 -o out --no-report",
        "workload patients.csv --schema schema.toml -n 20 -o queries.json",
    ],
    "workloads.md": ["anonymize patients.csv --schema schema.toml -k 5 -o out --no-report"],
    "signing.md": ["anonymize goods.csv --items goods --algorithm aa -k 3 --hierarchy balanced:2 -o release --no-report"],
    "release.md": ["anonymize goods.csv --items goods --algorithm nr-k -k 3 -o published --no-report"],
}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_commands_of_a_page_run_and_publish_no_identifier(page, desk, capsys):
    write_named_files(page)
    for line in PREPARED.get(page.name, []):
        assert main(shlex.split(line)) == 0, capsys.readouterr().err
    if page.name == "compare.md":
        plan = re.search(r"```toml\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL).group(1)
        (desk / "plan.toml").write_text(plan.replace("[2, 5, 10, 25]", "[2, 5]").replace("[1, 2, 3]", "[1]"))
    failed = []
    for line in commands(page):
        words = shlex.split(line, comments=True)
        assert words[0] == "anonset", line
        words = [SHORT.get(before, word) for before, word in zip(["", *words], words, strict=False)]
        if words[1] == "recommend" and "--seconds" not in words:
            words += ["--seconds", SHORT["--seconds"]]
        if page.name == "compare.md" and words[1] == "recommend":
            words[words.index("-o") + 1] = "recommended"
        if main(words[1:]) != 0:
            failed.append(f"{line}: {capsys.readouterr().err.splitlines()[-1]}")

    assert failed == []
    identifiers = [row.split(",")[0].encode() for row in (desk / "patients.csv").read_text().splitlines()[1:]]
    for path in (path for path in desk.rglob("published/*") if path.is_file()):
        content = path.read_bytes()
        assert not [name for name in identifiers if name in content], path
