import ast

from anonset.algorithms import ALGORITHMS
from anonset.model.parameters import parameters
from anonset.tasks.signatures import stub, stub_path


def test_every_algorithm_is_known_with_what_it_takes():
    known = {}
    for node in ast.parse(stub()).body:
        if isinstance(node, ast.FunctionDef) and node.name == "anonymize" and node.args.kwarg is None:
            known[node.args.args[1].annotation.slice.value] = {a.arg for a in node.args.kwonlyargs} - {"progress"}

    assert known == {id: {p.name for p in parameters(algorithm)} for id, algorithm in ALGORITHMS.items()}


def test_the_stub_lies_beside_the_package():
    assert stub_path().name == "__init__.pyi"
    assert (stub_path().parent / "__init__.py").exists()
