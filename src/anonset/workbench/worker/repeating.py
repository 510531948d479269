"""Everything that makes a release again, in a worker."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from anonset.tasks import hierarchy
from anonset.tasks.project import ProjectFile, ProjectPromise, ProjectRoles, ProjectRun, project_toml
from anonset.workbench.again import POLICY, PROJECT, SCHEMA, hierarchy_files, schema_toml, script, settings_of
from anonset.workbench.orders import Order
from anonset.workbench.worker.reading import WorkerCaches
from anonset.workbench.worker.running import write_policy

ROLES = ("identifier", "quasi", "sensitive", "other", "items")


def kit(desk: WorkerCaches, report: Any, *, order: Order, name: str) -> dict[str, str]:
    """The files of a kit, by name: the project file, the schema, scripts, constraints and hierarchies. No data are in it."""
    files = {PROJECT: project_file(order, name), SCHEMA: schema_toml(order), **script(order, name)}
    with TemporaryDirectory() as folder:
        if (policy := write_policy(order, desk.data(order.reading), Path(folder) / POLICY)) is not None:
            files[POLICY] = policy.read_text(encoding="utf-8")
        for column, name in hierarchy_files(order).items():
            file = Path(folder) / "tree.csv"
            hierarchy.write(desk.tree(order.reading, column).hierarchy(derived=False), file)
            files[name] = file.read_text(encoding="utf-8")
    return files


def project_file(order: Order, name: str) -> str:
    """The decisions as the file that `anonset run` does."""
    settings = settings_of(order)
    roles = {role: settings.pop(role) for role in ROLES if role in settings}
    trees = settings.pop("hierarchies", {})
    sensitive = settings.pop("sensitive_items", ())
    made = ProjectFile(
        data={"path": name, **settings},
        roles=ProjectRoles(**roles, sensitive_items=sensitive),
        hierarchies=trees,
        promise=_promised(order, roles),
        run=(
            ProjectRun(
                output="release",
                algorithm=order.algorithm,
                parameters={n: v for n, v in order.parameters.items() if n not in ("k", "m")},
                policy=POLICY if order.promise.privacy or order.promise.utility else None,
                format=order.format,
                margins=order.margins,
                ends=order.ends,
                accept_exposure=order.exposure,
                accept_loss=order.loss,
                accept_repeats=order.repeats,
            ),
        ),
    )
    return project_toml(made)


def _promised(order: Order, roles: dict[str, Any]) -> ProjectPromise:
    given = dict(order.parameters)
    k, m = given.get("k", order.promise.k), given.get("m", order.promise.m)
    return ProjectPromise(k=int(k), m=int(m) if roles.get("items") else None)
