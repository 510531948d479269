"""The Python interface: read, look, anonymize, ask, hand out."""

from anonset.api.anonymizing import anonymize, anonymize_frame, compare, recommend
from anonset.api.asking import attack, explain, query, workload
from anonset.api.large import anonymize_files, load_files
from anonset.api.projects import run_project
from anonset.api.reading import build_hierarchy, load, profile, read
from anonset.api.release import Release

__all__ = [
    "Release",
    "anonymize",
    "anonymize_files",
    "anonymize_frame",
    "attack",
    "build_hierarchy",
    "compare",
    "explain",
    "load",
    "load_files",
    "profile",
    "query",
    "read",
    "recommend",
    "run_project",
    "workload",
]
