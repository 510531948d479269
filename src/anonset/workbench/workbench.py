"""The workbench: the services that pages and the REST API call, and nothing else."""

import os
from pathlib import Path

from anonset.workbench.accounts import Accounts
from anonset.workbench.audit import AuditLog
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
    SetCover,
    SetItems,
    SetKinds,
    SetPopulation,
    SetPromise,
    SetRoles,
    UseHierarchy,
)
from anonset.workbench.permissions import Gatekeeper
from anonset.workbench.projects import Projects
from anonset.workbench.promise import Promises
from anonset.workbench.releases import Releases, check_cover
from anonset.workbench.runs import Runs
from anonset.workbench.store import Store
from anonset.workbench.workers import Workers


class Workbench:
    """Projects in a store, and worker processes for everything that takes time.

    Each attribute is a service, which asks first whether the person of the present request may do this. Methods wait for
    their result; uploads are coroutines. Errors are those of `anonset.errors`, with texts that can be shown: they quote no
    values of the data.

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
        self.accounts = Accounts(self.store)
        journal, audit = Journal(self.store), AuditLog(self.store)
        self.gatekeeper = Gatekeeper(self.accounts, audit, journal)
        guarded = self.gatekeeper.guarded
        project_files = ProjectFiles(self.store, journal)
        data = ProjectData(project_files, self.workers, largest_upload)
        promise = Promises(project_files, self.workers)
        self._runs = runs = Runs(project_files, self.workers)
        hierarchies = Hierarchies(project_files, runs, self.workers)
        journal.add_check(data.check_roles, SetRoles)
        journal.add_check(data.check_kinds, SetKinds)
        journal.add_check(data.check_items, SetItems)
        journal.add_check(data.check_population, SetPopulation)
        journal.add_check(hierarchies.check, BuildHierarchy, UseHierarchy, EditHierarchy)
        journal.add_check(promise.check, SetPromise)
        journal.add_check(runs.check_release, ChooseRelease)
        journal.add_check(check_cover, SetCover)
        self.audit, self.journal, self.data = guarded("audit", audit), guarded("journal", journal), guarded("data", data)
        self.promise, self.runs = guarded("promise", promise), guarded("runs", runs)
        self.hierarchies = guarded("hierarchies", hierarchies)
        self.inspection = guarded("inspection", Inspection(project_files, runs, self.workers, largest_upload))
        self.releases = guarded("releases", Releases(project_files, runs, self.workers))
        self.databases = guarded("databases", Databases(project_files, data, runs, self.workers, databases))
        self.projects = guarded("projects", Projects(self.store, project_files, data, runs, self.workers))

    @property
    def version(self) -> int:
        """A number that changes whenever a page has something new to show: a change in the store, or measures of a run."""
        return self.store.changes + self._runs.measurements

    def close(self) -> None:
        """End all workers and close the store; runs at work count as interrupted."""
        self.workers.close()
        self.store.close()
