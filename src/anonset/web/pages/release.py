"""The page Release: the bundle, the report, the certificate, and how to make the release again."""

from nicegui import ui

from anonset.web.elements import card, copyable, element, figure, in_thread, link, note, page_head
from anonset.web.pages.data import IntoDatabase
from anonset.web.screen import Screen, attempt
from anonset.web.words import one_in, percent

INSTRUCTIONS = {
    "command": "Command line",
    "python": "Python",
    "notebook": "Notebook",
    "rest": "REST",
    "project_file": "anonset.toml",
}


async def release_page(screen: Screen) -> None:
    """The chosen release and its files."""
    page_head("Release", "What is handed out is checked once more as written; the private half stays here.")
    body = ui.refreshable(lambda: _body(screen))
    await body()
    screen.on_change(body.refresh)


async def _body(screen: Screen) -> None:
    project = screen.project
    state = await in_thread(screen.bench.journal.state, screen.id)
    if state.release is None:
        note("No run is chosen yet. Under Try, choose the run that is to be released.", "warn")
        link("Go to Try", f"/projects/{screen.id}/try")
        return
    chosen = await in_thread(screen.bench.runs.get, screen.id, state.release)
    note(
        "Verified: the written files keep the promise." if chosen.holds else "The check failed: do not hand this out.",
        "good" if chosen.holds else "bad",
    )
    with card(chosen.label), element("div", "figures"):
        figure(one_in(project.found_after), "after")
        figure(percent(project.lost), "lost")
        figure(f"{chosen.records:,}", "records")
    await _downloads(screen, chosen.id)
    await _instructions(screen, chosen.id)


async def _downloads(screen: Screen, run_id: str) -> None:
    base = f"/api/projects/{screen.id}/runs/{run_id}"
    with element("div", "cards"):
        with card("Bundle", lead="The published records with all that is needed to read them, as one zip."):
            link("Get the bundle", f"{base}/bundle", kind="main", icon="download", download="release.zip")
            link("With the private half, for your archive", f"{base}/bundle?private=true", kind="bare", download="private.zip")
        with card("Report", lead="For you: what changed, what is lost, who was looked for. Not to be handed out."):
            link("Read the report", f"{base}/report", icon="description", target="_blank")
        with card("Certificate", lead="For the receiver: the promise, how it was checked, how to read the values."):
            link("Read the certificate", f"{base}/certificate", icon="verified", target="_blank")
    with card("Database", lead="The same records as a new table, read back and verified. No table that is there is changed."):
        await IntoDatabase(screen, run_id).draw()
        link("Get a SQLite file", f"{base}/sqlite", icon="download", download="release.db")


async def _instructions(screen: Screen, run_id: str) -> None:
    instructions = await attempt(screen.bench.releases.instructions, screen.id, run_id)
    if instructions is None:
        return
    with card("Do it again", lead="The same release from the same data, elsewhere or next month."):
        kit = f"/api/projects/{screen.id}/runs/{run_id}/kit"
        link("Get the files that the lines below need", kit, icon="folder_zip", download="again.zip")
        with ui.tabs() as tabs:
            for name, title in INSTRUCTIONS.items():
                ui.tab(name, label=title)
        with ui.tab_panels(tabs, value="command").classes("full-width"):
            for name, title in INSTRUCTIONS.items():
                with ui.tab_panel(name):
                    copyable(getattr(instructions, name), title)
