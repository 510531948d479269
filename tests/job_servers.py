"""What the workers of the tests of pools do; in a module that their processes can import."""

import os
import time
from pathlib import Path

from anonset.errors import InfeasibleError, InputError
from anonset.jobs import Pool


def obedient(folder=None):
    """A server that does what a request says."""
    if folder is not None:
        (Path(folder) / str(os.getpid())).touch()
    return _obey


def broken(text, ours):
    """A server that cannot be made."""
    raise InputError(text) if ours else ValueError(text)


def _obey(request, report):  # noqa: C901 - one case a request
    match request:
        case ("echo", value):
            return value
        case ("pid",):
            return os.getpid()
        case ("shares", phase, *shares):
            for share in shares:
                report(phase)(share)
        case ("say", *values):
            for value in values:
                report.send(value)
            return len(values)
        case ("refuse", text):
            raise InfeasibleError(text)
        case ("fail", text):
            raise ValueError(text)
        case ("odd",):
            return lambda: "what cannot travel"
        case ("exit",):
            os._exit(5)
        case ("eat", mb, seconds):
            held = bytearray(mb * 1024 * 1024)
            held[::4096] = b"x" * len(held[::4096])
            time.sleep(seconds)
            return len(held)
        case ("sleep", mark):
            Path(mark).write_text(str(os.getpid()))
            time.sleep(60)
        case ("chatter", seconds):
            until = time.monotonic() + seconds
            while time.monotonic() < until:
                report("Talking")(0.5)
                time.sleep(0.01)
    return None


def hold_pool(mark):
    """Keep two workers busy until somebody kills this process."""
    with Pool(obedient, processes=2) as pool:
        for n in range(2):
            pool.submit(str(n), ("sleep", f"{mark}{n}"))
        while pool.unfinished:
            pool.poll()
