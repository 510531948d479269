"""A steward's decisions in one file: read, written, proposed, and done."""

from anonset.tasks.project.file import ProjectFile, ProjectPromise, ProjectRoles, ProjectRun, read_project
from anonset.tasks.project.proposing import Proposal, propose
from anonset.tasks.project.running import ProjectRequest, ProjectResult, RunResult, run
from anonset.tasks.project.writing import project_toml, write_project

__all__ = [
    "ProjectFile",
    "ProjectPromise",
    "ProjectRequest",
    "ProjectResult",
    "ProjectRoles",
    "ProjectRun",
    "Proposal",
    "RunResult",
    "project_toml",
    "propose",
    "read_project",
    "run",
    "write_project",
]
