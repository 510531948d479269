"""Experiments made up for tests; in a module of its own, so that other processes can import it."""

import os
import time

from anonset.errors import InputError
from anonset_papers.claims import Check, Claim, Experiment, Judgement


def numbers(materials):
    for n in materials.pick((1, 2, 3), (1,)):
        yield {"n": n, "outcome": "done"}


def broken(materials):
    yield {"n": 1}
    raise InputError("there is no such thing")


def surprised(materials):
    raise ZeroDivisionError(f"a text that may quote data, {materials}")
    yield {}


def dying(materials):
    yield {"n": 1}
    os._exit(3)


def endless(materials):
    while True:
        yield {"n": 0}
        time.sleep(0.05)


def judge_sum(*experiments):
    total = sum(row["n"] for rows in experiments for row in rows)
    return Judgement((Check("the sum is 6", "equals 6", str(total), total == 6),), note=f"{len(experiments)} experiments")


NUMBERS = Experiment("numbers", ("WV1",), numbers)
BROKEN = Experiment("broken", ("WV1",), broken)
SURPRISED = Experiment("surprised", (), surprised)
DYING = Experiment("dying", (), dying)
ENDLESS = Experiment("endless", (), endless)


def claim(id, *experiments):
    return Claim(id, "the sum of some numbers is 6", "numbers", experiments, judge_sum)
