"""Whatever is wrong with a server is one line without a password, on the command line too."""

import pytest

from anonset.cli import main
from hospital import fill
from postgres_server import OWNER, PASSWORD

PIECES = (PASSWORD, "s3cret", "w@rd", "%2Fw", "wrong-one")


def told(capsys, *words):
    """What a command that is refused says."""
    assert main(["profile", *words]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert not any(piece in captured.err for piece in PIECES)
    return captured.err


def test_what_is_wrong_with_a_server_is_one_line(postgres, capsys):
    url, port = postgres.url(), postgres.port

    assert "the user name or the password is wrong" in told(capsys, postgres.url(password="wrong-one"), "--table", "t")
    assert "a password is needed" in told(capsys, f"postgresql://{OWNER}@127.0.0.1:{port}/postgres", "--table", "t")
    assert "there is no such host" in told(capsys, url.replace("127.0.0.1", "nowhere.invalid"), "--table", "t")
    assert "no server answers there" in told(capsys, url.replace(str(port), "1"), "--table", "t")
    assert "there is no such database" in told(capsys, postgres.url(database="none"), "--table", "t")
    assert "there is no table 'none'" in told(capsys, url, "--table", "none")
    assert 'column "nix" does not exist' in told(capsys, url, "--query", "select nix from pg_class")
    assert "cannot be connected to" in told(
        capsys, f"postgresql://{OWNER}:{PASSWORD}@127.0.0.1:{port}/postgres", "--table", "t"
    )


def test_data_in_what_a_server_says_are_not_passed_on(postgres, capsys):
    line = told(capsys, postgres.url(), "--query", "select 'Anna Muster'::int")

    assert "Anna" not in line
    assert "SQLSTATE 22P02" in line


def test_a_query_cannot_change_anything(postgres, capsys):
    told(capsys, postgres.url(), "--query", "create table planted (a int)")

    assert "there is no table 'planted'" in told(capsys, postgres.url(), "--table", "planted")


@pytest.mark.parametrize("way", ["environment", "file", "service"])
def test_credentials_come_from_where_postgresql_looks_for_them(postgres, capsys, tmp_path, monkeypatch, way):
    dbapi = pytest.importorskip("adbc_driver_postgresql.dbapi")
    fill(dbapi, postgres.url())
    place = f"{OWNER}@127.0.0.1:{postgres.port}/postgres"
    if way == "environment":
        monkeypatch.setenv("PGPASSWORD", PASSWORD)
    elif way == "file":
        file = tmp_path / "pgpass"
        file.write_text(f"127.0.0.1:{postgres.port}:*:{OWNER}:{PASSWORD}\n")
        file.chmod(0o600)
        monkeypatch.setenv("PGPASSFILE", str(file))
    else:
        file = tmp_path / "services.conf"
        lines = [
            "[hospital]",
            "host=127.0.0.1",
            f"port={postgres.port}",
            f"user={OWNER}",
            f"password={PASSWORD}",
            "dbname=postgres",
        ]
        file.write_text("\n".join(lines) + "\n")
        monkeypatch.setenv("PGSERVICEFILE", str(file))
        monkeypatch.setenv("PGSERVICE", "hospital")
        place = ""

    assert main(["profile", f"postgresql://{place}", "--table", "visits", "--json"]) == 0
    assert PASSWORD not in "".join(capsys.readouterr())
