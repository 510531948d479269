"""A made-up table of people with everything that a careless publisher could leave in it."""

import csv
import datetime
import random
import re
from pathlib import Path

FIRST_TEXT = "Anna Ben Clara David Emma Felix Greta Hugo Ida Jonas Karin Leo Maria Nina Oskar Paula Robert Sara Thomas Ute"
LAST_TEXT = """
Meyer Schulz Weber Fischer Wagner Becker Koch Bauer Richter Klein Wolf Neumann Braun Zimmer Krause Hofer Lange Vogt Busch Kuhn
Sauer Arnold Pohl Horn Thiele Berg Ernst Frank Haas Roth Winter Simon
"""
FIRST, LAST = FIRST_TEXT.split(), LAST_TEXT.split()
TOWNS = ("Ahlen", "Borken", "Coesfeld", "Dorsten", "Emsdetten", "Gronau")
DIAGNOSES = ("E11.9", "I10", "J45", "M54.5", "F32.1", "K21", "N39.0", "L20", "G43", "H52")
REMARKS = ("came late", "called back", "was rude", "no show", "needs help", "speaks Polish")
COLUMNS = (
    *("pid", "ref", "name", "doctor", "email", "phone", "mobile", "ip", "url", "gps", "lat", "lon", "plate", "badge", "iban"),
    *("note", "remark", "seen", "birth", "zip", "age", "sex", "town", "income", "disease", "outcome", "tags", "diag"),
)
RAW = ("pid", "ref", "name", "email", "phone", "mobile", "ip", "url", "gps", "plate", "badge", "iban", "note", "seen")
"""The columns of which no value may be found in what is published."""


def account(number: int) -> str:
    """A bank account number whose check digits are right."""
    rest = f"37040044{number:010}"
    return f"DE{98 - int(rest + '131400') % 97:02}{rest}"


def row(rng: random.Random, i: int) -> dict[str, str]:
    """One person."""
    first, last = rng.choice(FIRST), rng.choice(LAST)
    sex, age = rng.choice("mf"), rng.randint(20, 79)
    codes = rng.sample(DIAGNOSES, rng.randint(1, 3))
    born = datetime.date(2024 - age - rng.randrange(3), rng.randint(1, 12), rng.randint(1, 28))
    number, hour, minute = rng.randrange(10**6), rng.randint(8, 17), rng.randint(0, 59)
    return {
        "pid": str(100_000 + 37 * i + rng.randrange(37)),
        "ref": f"{rng.getrandbits(64):016x}",
        "name": f"{first} {last}",
        "doctor": f"Dr. {LAST[i % 12]}",
        "email": f"{first}.{last}{i}@example.org".lower(),
        "phone": str(30_000_000 + rng.randrange(60_000_000)),
        "mobile": f"+49 171 {rng.randrange(10**6, 10**7)}",
        "ip": f"10.{rng.randrange(256)}.{rng.randrange(256)}.{1 + rng.randrange(250)}",
        "url": f"https://portal.example.org/p/{number:06}-{i}",
        "gps": f"{51.5 + rng.random():.5f},{7 + rng.random():.5f}",
        "lat": f"{51.5 + rng.random():.6f}",
        "lon": f"{7 + rng.random():.6f}",
        "plate": f"{rng.choice(('MS', 'BOR', 'COE'))}-{rng.choice('ABCDEFGH')}{rng.choice('KLMNOP')} {rng.randint(100, 9999)}",
        "badge": f"B{rng.randrange(10_000, 99_999)}",
        "iban": account(number),
        "note": f"{first} {last} was seen with her {rng.choice(('son', 'mother', 'lawyer'))} on day {rng.randint(1, 400)}",
        "remark": f"{rng.choice(REMARKS).split()[0]} {rng.choice(LAST)}",
        "seen": f"2024-{rng.randint(1, 12):02}-{rng.randint(1, 28):02} {hour:02}:{minute:02}:{i % 60:02}",
        "birth": born.isoformat(),
        "zip": f"{48_000 + 10 * rng.randint(1, 60)}",
        "age": str(age),
        "sex": sex,
        "town": rng.choice(TOWNS),
        "income": str(round(rng.lognormvariate(10.3, 0.5))),
        "disease": rng.choice(("flu", "asthma", "gout", "none")),
        "outcome": rng.choice(("well", "ill")),
        "tags": "|".join([f"mrn:{700_000 + i}", rng.choice(("urgent", "routine")), *(["recall"] if i % 3 else [])]),
        "diag": "|".join(sorted(codes)),
    }


def people(n: int = 600, seed: int = 29) -> list[dict[str, str]]:
    """So many people."""
    rng = random.Random(seed)
    return [row(rng, i) for i in range(n)]


def write(path: Path, rows: list[dict[str, str]], columns: tuple[str, ...] = COLUMNS) -> Path:
    """The rows as a CSV file of some columns."""
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, columns, extrasaction="ignore")
        writer.writeheader()
        writer.writerows(rows)
    return path


def identifiers(rows: list[dict[str, str]]) -> set[str]:
    """All values that belong to one person, those hidden in tags among them."""
    found = {person[column] for person in rows for column in RAW}
    return found | {tag for person in rows for tag in person["tags"].split("|") if ":" in tag}


def leaked(published: Path, values: set[str]) -> list[str]:
    """The values that stand somewhere in what is published, as words of their own."""
    texts = [path.read_text(errors="replace") for path in sorted(published.rglob("*")) if path.is_file()]
    words = {word for text in texts for word in re.split(r'[\s,;|"<>()\[\]{}&]+', text)} | set(
        re.split(r'["\n]', "\n".join(texts))
    )
    return sorted(value for value in values if value in words or (" " in value and any(value in text for text in texts)))
