import ast

from anonset.algorithms import ALGORITHMS, BUILT_IN
from anonset.model.parameters import parameters
from anonset.tasks.signatures import LIMITS, OUTPUT, stub


def test_every_algorithm_is_known_with_what_it_takes():
    known = {}
    for node in ast.parse(stub()).body:
        if isinstance(node, ast.FunctionDef) and node.name == "anonymize":
            if ast.unparse(node.args.args[0].annotation) == "str | Path":  # settings for reading, too
                assert {*OUTPUT, *LIMITS} == {a.arg for a in node.args.kwonlyargs}
                continue
            assert node.args.kwarg is None, "a name that nothing takes would not be told"
            which = node.args.args[1].annotation
            id = which.slice.value if isinstance(which, ast.Subscript) else None
            known[id] = {a.arg for a in node.args.kwonlyargs} - OUTPUT.keys()

    assert known.pop(None) == set().union(*known.values())
    assert known == {id: {p.name for p in parameters(algorithm)} for id, algorithm in ((id, ALGORITHMS[id]) for id in BUILT_IN)}
