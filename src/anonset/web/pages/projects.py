"""The first page: all projects, and how to start one."""

from nicegui import ui

from anonset.web.elements import ask_text, button, card, confirm, element, icon_button, in_thread, page_head
from anonset.web.screen import attempt
from anonset.web.words import one_in
from anonset.workbench import Workbench
from anonset.workbench.values import Project


async def projects_page(bench: Workbench) -> None:
    """Cards to start a project with data or a sample, or to check a file of another tool; then all projects."""
    page_head(
        "Publish data about people, safely",
        "Everything stays on the computer that runs this program. A project has your data, your decisions and your releases.",
    )
    with element("div", "cards"):
        _begin(bench)
        _samples(bench)
        _check(bench)
    await _projects(bench)


def _begin(bench: Workbench) -> None:
    async def begin() -> None:
        name = await ask_text("A new project", "Its name", action="Create")
        project = await attempt(bench.projects.create, name) if name else None
        if project is not None:
            ui.navigate.to(f"/projects/{project.id}/data")

    with card("Your own data", lead="A table in a file (CSV, Excel, Parquet, JSON lines) or in a database."):
        button("New project", begin, icon="add")


def _samples(bench: Workbench) -> None:
    async def begin(sample: str) -> None:
        project = await attempt(bench.projects.create_from_sample, sample)
        if project is not None:
            ui.navigate.to(f"/projects/{project.id}/data")

    with card("A sample", lead="Made-up people: see in two minutes how it works."):
        for name, title in bench.projects.samples().items():
            element("p", "small", title)
            button(f"Try the {name}", lambda name=name: begin(name), kind="quiet")


def _check(bench: Workbench) -> None:
    async def begin() -> None:
        project = await attempt(bench.projects.create, "A file to check")
        if project is not None:
            ui.navigate.to(f"/projects/{project.id}/data")

    text = "Upload the original file and say what its columns mean; then upload the other file under Inspect."
    with card("A file another tool made", lead=text):
        button("Check a file", begin, kind="quiet", icon="fact_check")


async def _projects(bench: Workbench) -> None:
    projects = await in_thread(bench.projects.page)
    with element("section", "stack"):
        element("h2", "", "Projects" if projects else "No projects yet")
        with element("div", "cards"):
            for project in projects:
                _project(bench, project)


def _project(bench: Workbench, project: Project) -> None:
    async def delete() -> None:
        text = "Its data, its steps and its releases are deleted from this computer and cannot be brought back."
        if await confirm("Delete this project?", text, action="Delete"):
            await attempt(bench.projects.delete, project.id)
            ui.navigate.to("/")

    async def rename() -> None:
        name = await ask_text("Another name", "Name of the project", project.name, action="Rename")
        if name and await attempt(bench.projects.rename, project.id, name) is not None:
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
    parts = [f"{project.file.rows:,} records"]
    if project.found_after is not None:
        parts.append(f"re-identification risk {one_in(project.found_after)}")
    parts.append({None: "nothing released yet", True: "verified", False: "the check failed"}[project.verified])
    return ", ".join(parts)
