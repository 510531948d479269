"""Where a project stands, in a sentence a step."""

from anonset.workbench.journal import State
from anonset.workbench.projects import places_of
from anonset.workbench.values import FileFacts


def facts(**roles):
    guess = {name: (role, "categorical", "") for name, role in roles.items()}
    return FileFacts("csv", "", ".csv", 5, tuple(roles), (), 0, guess, {})


def test_items_are_spoken_of_where_there_are_items():
    alone, both = (
        places_of(found, State(), ())[2].sentence for found in (facts(age="quasi"), facts(age="quasi", codes="items"))
    )

    assert alone == "at least 5 records look alike (not confirmed)"
    assert both == "at least 5 records look alike to someone who knows 2 items (not confirmed)"
