"""The page Release: the bundle, the report, the certificate, and how to make the release again."""

from typing import Any

from nicegui import ui

from anonset.errors import AnonsetError
from anonset.model.cover import COVER_FIELDS
from anonset.web.counting import CountingPanel
from anonset.web.elements import button, card, copyable, element, in_thread, link, note, page_head, table, term
from anonset.web.headline import draw_headline, headline_of
from anonset.web.pages.data import IntoDatabase
from anonset.web.screen import Screen, attempt
from anonset.web.words import COVER, TERMS, sentence
from anonset.workbench.journal import ChooseRelease, SetCover
from anonset.workbench.values import Run

INSTRUCTIONS = {
    "command": "Command line",
    "python": "Python",
    "notebook": "Notebook",
    "rest": "REST",
    "project_file": "anonset.toml",
}


async def release_page(screen: Screen, asked: str | None) -> None:
    """The release and its files; or, for a run that is asked for, the question whether it is to be released."""
    page_head("Release", "What you hand out was checked as it was written; the private half stays here.")
    body = ui.refreshable(lambda: _body(screen, asked))
    await body()
    screen.on_change(body.refresh)


async def _body(screen: Screen, asked: str | None) -> None:
    runs = {run.id: run for run in await in_thread(screen.bench.runs.all, screen.id)}
    if asked in runs and asked != screen.release:
        await _question(screen, runs[asked])
    elif screen.release in runs:
        await _release(screen, runs[screen.release])
    else:
        _choice(screen, [run for run in runs.values() if run.current and run.holds])


def _choice(screen: Screen, runs: list[Run]) -> None:
    """Let the user choose the run to release; none is chosen by itself."""
    base = f"/projects/{screen.id}"
    if not runs:
        note("There is no verified run to release yet. Make one under Try.", "warn")
        link("Go to Try", f"{base}/try")
        return
    with card("Which run do you want to release?", lead="Nothing is released before you confirm it on the next page."):
        head = ("run", *(TERMS[figure.term].words for figure in headline_of(runs[0].measures)))
        rows = [
            (
                lambda r=r: element("a", "", r.label, href=f"{base}/release?run={r.id}"),
                *(f.short for f in headline_of(r.measures)),
            )
            for r in runs
        ]
        table(head, rows, "Verified runs", right=range(1, len(head)))


async def _question(screen: Screen, run: Run) -> None:
    """Show which run would be released, with its promise, its losses and its limits, and ask once."""
    base = f"/projects/{screen.id}"
    try:
        await in_thread(screen.bench.runs.check_release, screen.id, ChooseRelease(run.id))
    except AnonsetError as error:
        note(f"{run.label} cannot be released: {error}.", "bad")
        link("Choose another run", f"{base}/try")
        return
    if screen.release is not None:
        note(f"Another run is the release now: {await _label(screen, screen.release)}. This one would take its place.", "warn")
    with card("Release this run?"):
        element("p", "figure-name", run.label)
        await _facts(screen, run)

        async def release() -> None:
            if await screen.take(ChooseRelease(run.id)):  # which draws the release in place of the question
                screen.show_address("release")
                await screen.look_at(None)

        with element("div", "line"):
            button("Release it", release, icon="inventory_2")
            link("Look into it first", f"{base}/inspect?run={run.id}", icon="search")
            link("Choose another run", f"{base}/try?run={run.id}", kind="bare")
    await _cover(screen)


async def _cover(screen: Screen) -> None:
    """The fields of report and certificate; they change no record and no choice."""
    texts = (await in_thread(screen.bench.journal.state, screen.id)).cover.texts
    fields: dict[str, Any] = {}

    async def save() -> None:
        given = {name: str(field.value or "").strip() for name, field in fields.items()}
        usual = {one.name: one.default for one in COVER_FIELDS}
        if await screen.take(SetCover({name: text for name, text in given.items() if text != usual[name]})):
            screen.say("Saved. Report and certificate say so when you open them.")

    with card("What report and certificate say", lead="Who releases what to whom. The texts are published with the release."):
        with element("div", "two"):
            for one in COVER_FIELDS:
                label, value = COVER.get(one.name, sentence(one.name.replace("_", " "))), texts.get(one.name, one.default)
                made: Any = (
                    ui.select(list(one.choices), value=value, label=label) if one.choices else ui.input(label, value=value)
                )
                fields[one.name] = made.props("outlined dense").classes("full-width")
                with made:
                    ui.tooltip(sentence(one.help))
        button("Save these texts", save, kind="quiet", icon="check")


async def _label(screen: Screen, run: str) -> str:
    return (await in_thread(screen.bench.runs.get, screen.id, run)).label


async def _facts(screen: Screen, run: Run) -> None:
    """The promise of a run, its headline, and what is not covered."""
    found = await attempt(screen.bench.releases.promise, screen.id, run.id)
    element("h3", "", "The promise")
    with element("ul", "plain-list"):
        for words in found.promises if found else ():
            element("li", "", words)
    element("h3", "", "What it costs")
    draw_headline(run)
    with element("p", "soft"):
        element("span", "", f"{run.records:,} ")
        term("records")
    element("h3", "", "What the promise does not cover")
    with element("ul", "plain-list"):
        for words in found.limits if found else ():
            element("li", "", words)


async def _release(screen: Screen, chosen: Run) -> None:
    note(
        "Verified: the written files keep the promise." if chosen.holds else "The check failed: do not hand this out.",
        "good" if chosen.holds else "bad",
    )
    with card(chosen.label):
        await _facts(screen, chosen)
    await _cover(screen)
    await _downloads(screen, chosen.id)
    await CountingPanel(screen, chosen.id).draw()
    await _instructions(screen, chosen.id)


async def _downloads(screen: Screen, run_id: str) -> None:
    base = f"/api/projects/{screen.id}/runs/{run_id}"
    with element("div", "cards"):
        with card("Bundle", lead="For the recipient: the published records with all that is needed to read them, as one zip."):
            link("Download the bundle", f"{base}/bundle", kind="main", icon="download", download="release.zip")
            link(
                "Download all, for your archive",
                f"{base}/bundle?private=true",
                kind="bare",
                download="private.zip",
            )
        with card("Report", lead="For you: what changed, what is lost, what attackers find. Do not hand it out."):
            link("Read the report", f"{base}/report", icon="description", target="_blank")
        with card("Certificate", lead="For the recipient: the promise, how it was checked, how to read the values."):
            link("Read the certificate", f"{base}/certificate", icon="verified", target="_blank")
    with card("Database", lead="The same records as a new table, read back and verified. Existing tables are not changed."):
        await IntoDatabase(screen, run_id).draw()
        link("Download as a SQLite file", f"{base}/sqlite", icon="download", download="release.db")


async def _instructions(screen: Screen, run_id: str) -> None:
    instructions = await attempt(screen.bench.releases.instructions, screen.id, run_id)
    if instructions is None:
        return
    with card("Make the same release again", lead="From the same data, elsewhere or later."):
        kit = f"/api/projects/{screen.id}/runs/{run_id}/kit"
        link("Download the files that these lines need", kit, icon="folder_zip", download="again.zip")
        with ui.tabs() as tabs:
            for name, title in INSTRUCTIONS.items():
                ui.tab(name, label=title)
        with ui.tab_panels(tabs, value="command").classes("full-width"):
            for name, title in INSTRUCTIONS.items():
                with ui.tab_panel(name):
                    copyable(getattr(instructions, name), title)
