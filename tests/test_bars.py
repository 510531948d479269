import sys
from types import SimpleNamespace

import pytest

from anonset.api import bar_html, in_notebook, listening
from anonset.model.progress import silent


def test_a_function_hears_itself_and_nobody_hears_nothing():
    heard = []

    with listening(heard.append, "Reading") as listener:
        listener(0.5)
    with listening(False, "Reading") as listener:
        assert listener is silent
    assert heard == [0.5]


@pytest.mark.parametrize("terminal", [True, False])
def test_a_bar_is_drawn_on_a_terminal_alone(terminal, capsys, monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal)

    with listening("bar", "Reading") as listener:
        listener(1.0)

    assert ("Reading" in capsys.readouterr().err) == terminal


def test_a_notebook_shows_html_and_clears_it(monkeypatch):
    shown = []
    shell = type("ZMQInteractiveShell", (), {})()
    display = SimpleNamespace(
        HTML=lambda text: text, display=lambda html, display_id: SimpleNamespace(update=shown.append, first=shown.append(html))
    )
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    monkeypatch.setitem(sys.modules, "IPython.display", display)

    assert in_notebook()
    with listening(True, "<x>") as listener:
        for done in (0.001, 0.4, 0.401):
            listener(done)

    assert shown == [bar_html("<x>", 0), bar_html("<x>", 40), ""]
    assert "&lt;x&gt;" in shown[0]
