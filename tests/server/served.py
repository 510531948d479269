"""A server process for tests and measurements, and a client that has its token."""

import os
import socket
import subprocess
import sys
import time
from random import Random

import httpx
import psutil

TOKEN = "a token that is long enough"
LONG = {"algorithm": "rt-search", "parameters": {"seconds": 600}, "pages": False}  # takes long on the table below
LONG_ROLES = {"age": "quasi", "town": "quasi", "codes": "items"}


def long_table():
    """People without any pattern, of whom a search has much to try."""
    random = Random(1)
    codes = ("|".join(str(int(400 * random.random() ** 2)) for _ in range(5)) for _ in range(20_000))
    return "age,town,codes\n" + "".join(f"{random.randint(20, 90)},{random.randint(1, 200)},{own}\n" for own in codes)


class Served:
    """A server process, and a client that has its token."""

    def __init__(self, folder, *, processes=1):
        self.folder, self.log, self.processes = folder, folder / "server.log", str(processes)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.start()

    def start(self):
        words = ["serve", "--port", str(self.port), "--store", str(self.folder / "store"), "--processes", self.processes]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "anonset", *words], stdout=log, stderr=log, env=os.environ | {"ANONSET_TOKEN": TOKEN}
            )
        self.client = httpx.Client(
            base_url=f"http://127.0.0.1:{self.port}", headers={"Authorization": f"Bearer {TOKEN}"}, timeout=900
        )
        self.wait(self.answers, 300)

    def answers(self):
        try:
            return self.client.get("/api/samples").status_code == 200
        except httpx.TransportError:
            return False

    def workers(self):
        """The processes below the server but the one that keeps count of resources."""
        below = psutil.Process(self.process.pid).children(recursive=True)
        return [process for process in below if "spawn_main" in " ".join(process.cmdline())]

    def wait(self, what, seconds):
        until = time.monotonic() + seconds
        while not what():
            assert time.monotonic() < until, "it takes too long"
            time.sleep(0.05)

    def state(self, run):
        return self.client.get(run).json()["state"]

    def long_run(self):
        """A run that is at work and would be for long."""
        project = self.client.post("/api/projects", json={"name": "long"}).json()["id"]
        self.client.put(f"/api/projects/{project}/data", content=long_table().encode())
        self.client.post(f"/api/projects/{project}/steps", json={"kind": "set_roles", "roles": LONG_ROLES})
        run = self.client.post(f"/api/projects/{project}/runs", json=LONG).headers["location"]
        self.wait(lambda: self.client.get(run).json()["phase"] == "Anonymizing", 600)
        return project, run

    def stop(self):
        self.process.terminate()
        self.process.wait(timeout=60)
