"""What one `anonymize` walks through: functions of ours, modules, edges between modules, and the order they are reached in.

Run: python bench/walk.py [--order] [--functions]. Each run is the command line in a process of its own, on the sample, with an
algorithm named and the defaults for all else, without the report and with it. Functions are distinct code objects (Python 3.12
has none for most comprehensions); what importing a module runs is left out.
"""

import argparse
import inspect
import os
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import anonset
from anonset.cli import main as anonset_main
from anonset.samples import write_sample

INSIDE = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>", "<lambda>")
ITEMS = ("--items", "diagnoses", "--hierarchies", "hierarchies", "-k", "5", "-m", "2")
AA = ("--identifier", "patient_id,age,sex,town,schooling", *ITEMS, "-a", "aa")
RT = ("--identifier", "patient_id", "--quasi", "age,sex,town,schooling", *ITEMS, "-a", "rmerge-rt", "--accept-loss")
RUNS = {"aa": (*AA, "--no-report"), "rmerge-rt": (*RT, "--no-report"), "aa-report": AA, "rmerge-rt-report": RT}


class Walk:
    """Calls seen between functions of a package, without those made while a module is imported."""

    def __init__(self, package):
        self.root = str(package) + os.sep
        self.functions, self.modules, self.edges, self.importing = {}, {}, {}, 0

    def __call__(self, frame, event, _):
        code = frame.f_code
        if code.co_name == "<module>" and event in ("call", "return"):
            self.importing += 1 if event == "call" else -1
        if event == "call" and not self.importing and self.ours(code) and code.co_flags & inspect.CO_OPTIMIZED:
            module = self.module(code)
            self.functions.setdefault(code, None)
            self.modules.setdefault(module, None)
            caller = frame.f_back
            while caller is not None and not self.ours(caller.f_code):
                caller = caller.f_back
            if caller is not None and self.module(caller.f_code) != module:
                self.edges.setdefault((self.module(caller.f_code), module), None)

    def ours(self, code):
        return code.co_filename.startswith(self.root)

    def module(self, code):
        return code.co_filename.removeprefix(self.root).removesuffix(".py").removesuffix("/__init__").replace(os.sep, ".")

    def named(self):
        return [code for code in self.functions if code.co_name not in INSIDE]


def walked(argv):
    walk = Walk(Path(anonset.__file__).parent)
    sys.argv = ["anonset", *argv]
    threading.setprofile(walk)  # a command runs in a thread of its own
    sys.setprofile(walk)
    code = anonset_main()
    sys.setprofile(None)
    threading.setprofile(None)
    assert code == 0, f"exit code {code}"
    return walk


def show(name, walk, *, order, functions):
    named = len(walk.named())
    print(
        f"{name}: {len(walk.functions)} functions ({named} without comprehensions, generators and lambdas), "
        f"{len(walk.modules)} modules, {len(walk.edges)} edges"
    )
    if order:
        print(*(f"  {module}" for module in walk.modules), sep="\n")
    if functions:
        print(*(f"  {walk.module(code)}:{code.co_firstlineno} {code.co_qualname}" for code in walk.functions), sep="\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--order", action="store_true", help="the modules, in the order they are reached")
    parser.add_argument("--functions", action="store_true", help="the functions, in the order they are called first")
    parser.add_argument("--run", choices=RUNS, help="only this one, in this process")
    args = parser.parse_args()
    if args.run is None:
        for run in RUNS:
            subprocess.run([sys.executable, __file__, *sys.argv[1:], "--run", run], check=True)
        return
    with tempfile.TemporaryDirectory() as place:
        os.chdir(place)
        people = write_sample(place)
        walk = walked(["anonymize", people.name, *RUNS[args.run], "-o", "out"])
        os.chdir("/")
    show(args.run, walk, order=args.order, functions=args.functions)


if __name__ == "__main__":
    main()
