"""What makes elements cheap: told signatures must be what NiceGUI would find."""

import inspect

import pytest

nicegui = pytest.importorskip("nicegui", reason="the workbench is an extra")


def test_the_told_signatures_are_right():
    from anonset.web.elements import declare_signatures

    kinds = (nicegui.classes.Classes, nicegui.props.Props, nicegui.style.Style)
    for kind in kinds:
        vars(kind._update).pop("__signature__", None)
    found = [list(inspect.signature(kind._update).parameters) for kind in kinds]
    declare_signatures()

    assert found == [list(inspect.signature(kind._update).parameters) for kind in kinds] == [["self"]] * 3
