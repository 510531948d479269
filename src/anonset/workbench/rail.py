"""Where a project stands: a tick and a sentence for each place of the rail."""

from collections.abc import Sequence

from anonset.workbench.journal import State
from anonset.workbench.projects import Facts, roles_of, unconfirmed
from anonset.workbench.values import Rail, Run


def rail_of(facts: Facts | None, state: State, runs: Sequence[Run]) -> tuple[Rail, ...]:
    """The six places; one is not done while something of it is open."""
    if facts is None or not facts["columns"]:
        first = "no data yet" if facts is None else "the file cannot be read"
        return (Rail("data", False, first), *(Rail(place, False, "needs data") for place in _LATER))  # type: ignore[arg-type]
    chosen = next((run for run in runs if run.id == state.release), None)
    done = [run for run in runs if run.state == "done" and run.current]
    return (
        _data(facts, state),
        _hierarchies(facts, state),
        Rail("promise", state.promised, _promise(facts, state)),
        Rail("try", bool(done), _tried(runs, done)),
        Rail("inspect", chosen is not None, "a release is chosen" if chosen else "choose a run to look into"),
        Rail("release", chosen is not None and bool(chosen.holds), _release(chosen)),
    )


_LATER = ("hierarchies", "promise", "try", "inspect", "release")


def _data(facts: Facts, state: State) -> Rail:
    open_columns = unconfirmed(facts, state)
    roles = roles_of(facts, state).values()
    known = sum(role in ("quasi", "items") for role in roles)
    if open_columns:
        return Rail("data", False, f"{facts['rows']:,} rows; {len(open_columns)} roles are only guessed")
    return Rail("data", True, f"{facts['rows']:,} rows; {known} of {len(roles)} columns could be known")


def _hierarchies(facts: Facts, state: State) -> Rail:
    roles = roles_of(facts, state)
    wanted = [name for name, role in roles.items() if role == "quasi"] + (["items"] if "items" in roles.values() else [])
    there = [name for name in wanted if name in state.hierarchies]
    left = len(wanted) - len(there)
    return Rail(
        "hierarchies",
        not left,
        f"{len(there)} of {len(wanted)} have one" + ("; the others go by ranges and sets" if left else ""),
    )


def _tried(runs: Sequence[Run], done: Sequence[Run]) -> str:
    if not runs:
        return "nothing tried yet"
    at_work = sum(run.state in ("waiting", "running") for run in runs)
    old = sum(not run.current for run in runs)
    told = [f"{len(done)} run{'s' if len(done) != 1 else ''} to choose from"]
    told += [f"{at_work} at work"] if at_work else []
    told += [f"{old} of earlier decisions"] if old else []
    return "; ".join(told)


def _promise(facts: Facts, state: State) -> str:
    promise = state.promise
    text = f"at least {promise.k} {'people' if state.items.person else 'records'} look alike"
    text += f" to someone who knows {promise.m} items" if "items" in roles_of(facts, state).values() else ""
    return text if state.promised else f"{text} (not confirmed)"


def _release(chosen: Run | None) -> str:
    if chosen is None:
        return "no run is chosen"
    return "verified; ready to hand out" if chosen.holds else "not verified"
