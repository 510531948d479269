"""The state and the use of tasks behind the workbench: what pages and the REST API both stand on."""

from anonset.workbench.workbench import Workbench

__all__ = ["Workbench"]
