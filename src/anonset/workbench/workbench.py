"""The workbench: the services that pages and the REST API call, and nothing else."""

import os
from pathlib import Path

from anonset.workbench.data import LARGEST_UPLOAD, ProjectData
from anonset.workbench.databases import Allowed, Databases
from anonset.workbench.files import ProjectFiles
from anonset.workbench.hierarchies import Hierarchies
from anonset.workbench.inspection import Inspection
from anonset.workbench.journal import (
    BuildHierarchy,
    ChooseRelease,
    EditHierarchy,
    Journal,
    SetItems,
    SetPromise,
    SetRoles,
    UseHierarchy,
)
from anonset.workbench.projects import Projects
from anonset.workbench.promise import Promises
from anonset.workbench.releases import Releases
from anonset.workbench.runs import Runs
from anonset.workbench.store import Store
from anonset.workbench.workers import Workers


class Workbench:
    """Projects in a store, and worker processes for everything that takes time.

    Each attribute is a service. Their methods wait for their result; uploads are coroutines. Errors are those of
    `anonset.errors`, with texts that can be shown: they quote no values of the data.

    Parameters
    ----------
    store
        A folder, or the address of a PostgreSQL database.
    files
        The private folder of files where the store is a database.
    processes
        The number of runs that are made at once, each in its own process.
    memory_mb
        The most memory that a process may use.
    largest_upload
        The largest file that is accepted, in bytes.
    databases
        The databases that tables may be read from and written to.
    """

    def __init__(
        self,
        store: Path | str,
        *,
        files: Path | None = None,
        processes: int = max(1, (os.cpu_count() or 2) - 1),
        memory_mb: float = float("inf"),
        largest_upload: int = LARGEST_UPLOAD,
        databases: Allowed = Allowed(),  # noqa: B008 - it is frozen
    ) -> None:
        self.store = Store(store, files)
        self.workers = Workers(processes, memory_mb)
        self.journal = Journal(self.store)
        project_files = ProjectFiles(self.store, self.journal)
        self.data = ProjectData(project_files, self.workers, largest_upload)
        self.promise = Promises(project_files, self.workers)
        self.runs = Runs(project_files, self.workers)
        self.hierarchies = Hierarchies(project_files, self.runs, self.workers)
        self.inspection = Inspection(project_files, self.runs, self.workers, largest_upload)
        self.releases = Releases(project_files, self.runs, self.workers)
        self.databases = Databases(project_files, self.data, self.runs, self.workers, databases)
        self.projects = Projects(self.store, project_files, self.data, self.runs, self.workers)
        self._add_checks()

    def _add_checks(self) -> None:
        """Let the service that a step concerns decide whether it is possible."""
        self.journal.add_check(self.data.check_roles, SetRoles)
        self.journal.add_check(self.data.check_items, SetItems)
        self.journal.add_check(self.hierarchies.check, BuildHierarchy, UseHierarchy, EditHierarchy)
        self.journal.add_check(self.promise.check, SetPromise)
        self.journal.add_check(self.runs.check_release, ChooseRelease)

    @property
    def version(self) -> int:
        """A number that changes whenever a page has something new to show: a change in the store, or measures of a run."""
        return self.store.changes + self.runs.measurements

    def close(self) -> None:
        """End all workers and close the store; runs at work count as interrupted."""
        self.workers.close()
        self.store.close()
