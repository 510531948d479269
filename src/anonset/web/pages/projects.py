"""The first page: what there is, and the ways to begin."""

from nicegui import ui

from anonset.web.elements import answered, asked, button, card, confirmed, element, icon_button, page_head
from anonset.web.screen import attempted
from anonset.web.words import one_in
from anonset.workbench import Workbench
from anonset.workbench.values import Project


async def projects_page(bench: Workbench) -> None:
    """Projects as cards; a new one from a file or a sample; a file of another tool to be checked."""
    page_head(
        "Publish data about people, safely",
        "Everything stays on this computer. A project keeps your data, every step you took and every release.",
    )
    with element("div", "cards"):
        _begin(bench)
        _samples(bench)
        _check(bench)
    await _projects(bench)


def _begin(bench: Workbench) -> None:
    async def begin() -> None:
        name = await asked("A new project", "Its name", action="Create")
        project = await attempted(bench.projects.create, name) if name else None
        if project is not None:
            ui.navigate.to(f"/projects/{project.id}/data")

    with card("Your own data", lead="A table in a file (CSV, Excel, Parquet, JSON lines) or in a database."):
        button("New project", begin, icon="add")


def _samples(bench: Workbench) -> None:
    async def begin(sample: str) -> None:
        project = await attempted(bench.projects.create_from_sample, sample)
        if project is not None:
            ui.navigate.to(f"/projects/{project.id}/data")

    with card("A sample", lead="Nobody real: see in two minutes how it goes."):
        for name, title in bench.projects.samples().items():
            element("p", "small", title)
            button(f"Try the {name}", lambda name=name: begin(name), kind="quiet")


def _check(bench: Workbench) -> None:
    async def begin() -> None:
        project = await attempted(bench.projects.create, "A file to check")
        if project is not None:
            ui.navigate.to(f"/projects/{project.id}/data")

    text = "Hand in the original here and say what its columns mean; then the other file under Inspect."
    with card("A file another tool made", lead=text):
        button("Check a file", begin, kind="quiet", icon="fact_check")


async def _projects(bench: Workbench) -> None:
    projects = await answered(bench.projects.page)
    with element("section", "stack"):
        element("h2", "", "Projects" if projects else "No projects yet")
        with element("div", "cards"):
            for project in projects:
                _project(bench, project)


def _project(bench: Workbench, project: Project) -> None:
    async def delete() -> None:
        text = "Its data, its steps and its releases are deleted from this computer and cannot be brought back."
        if await confirmed("Delete this project?", text, action="Delete"):
            await attempted(bench.projects.delete, project.id)
            ui.navigate.to("/")

    async def rename() -> None:
        name = await asked("Another name", "Name of the project", project.name, action="Rename")
        if name and await attempted(bench.projects.rename, project.id, name) is not None:
            ui.navigate.to("/")

    done = [rail for rail in project.rail if rail.done]
    next_place = next((rail.place for rail in project.rail if not rail.done), "release")
    with element("article", "card project-card"):
        with element("div", "line between"):
            with element("h3", ""):
                element("a", "", project.name, href=f"/projects/{project.id}/{next_place}")
            with element("div", "line"):
                icon_button("edit", f"Rename {project.name}", rename)
                icon_button("delete_outline", f"Delete {project.name}", delete)
        with element("div", "pips", role="img", aria_label=f"{len(done)} of {len(project.rail)} steps done"):
            for rail in project.rail:
                element("span", f"pip {'on' if rail.done else ''}")
        element("p", "soft small", _state(project))


def _state(project: Project) -> str:
    if project.file is None:
        return "no data yet"
    told = [f"{project.file.rows:,} records"]
    if project.found_after is not None:
        told.append(f"found after: {one_in(project.found_after)}")
    told.append({None: "nothing released yet", True: "verified", False: "the check failed"}[project.verified])
    return ", ".join(told)
