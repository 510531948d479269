"""A PostgreSQL server of the tests' own, from the system's binaries, in a folder of its own."""

import os
import shutil
import socket
import subprocess
import tempfile
from contextlib import contextmanager, suppress
from glob import glob
from pathlib import Path
from typing import NamedTuple

OWNER, PASSWORD = "owner", "s3cret/w@rd"  # what an address must spell as s3cret%2Fw%40rd
NOT_ROOT = ("postgres", "nobody")  # PostgreSQL refuses to run as root


class Server(NamedTuple):
    port: int

    def url(self, password=PASSWORD, database="postgres"):
        spelled = password.replace("/", "%2F").replace("@", "%40")
        return f"postgresql://{OWNER}:{spelled}@127.0.0.1:{self.port}/{database}"


def binaries():
    """The folder with initdb and pg_ctl, or None."""
    with suppress(OSError, subprocess.CalledProcessError):
        found = Path(subprocess.run(["pg_config", "--bindir"], check=True, capture_output=True, text=True).stdout.strip())
        if (found / "initdb").is_file():
            return found
    return max((Path(path).parent for path in glob("/usr/lib/postgresql/*/bin/initdb")), default=None)


@contextmanager
def running(bin):
    """A server that listens on this machine alone and asks for a password."""
    folder = Path(tempfile.mkdtemp(prefix="anonset-pg-"))
    as_user = []
    if os.geteuid() == 0:
        import pwd

        user = next(name for name in NOT_ROOT if any(name == entry.pw_name for entry in pwd.getpwall()))
        shutil.chown(folder, user)
        as_user = ["runuser", "-u", user, "--"]

    def call(*words):
        subprocess.run([*as_user, *map(str, words)], check=True, cwd="/", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    secret = folder / "password"
    secret.write_text(PASSWORD)
    secret.chmod(0o644)
    how = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={folder} -c fsync=off"
    try:
        call(bin / "initdb", "-D", folder / "db", "-A", "scram-sha-256", "-U", OWNER, f"--pwfile={secret}", "-N", "-E", "UTF8")
        call(bin / "pg_ctl", "-D", folder / "db", "-w", "-l", folder / "log", "-o", how, "start")
        yield Server(port)
    finally:
        with suppress(subprocess.CalledProcessError):
            call(bin / "pg_ctl", "-D", folder / "db", "-m", "immediate", "stop")
        shutil.rmtree(folder, ignore_errors=True)
