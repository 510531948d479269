"""The few parts of a page that are scripts of ours; what users wrote reaches them as values, never as keys or markup."""

from anonset.web.components.data_grid import DataGrid, GridColumn
from anonset.web.components.drop_zone import DropZone
from anonset.web.components.rail import Meter, Meters, ProjectRail, RailStep
from anonset.web.components.ru_map import RuMap
from anonset.web.components.tree_view import TreeView

__all__ = ["DataGrid", "DropZone", "GridColumn", "Meter", "Meters", "ProjectRail", "RailStep", "RuMap", "TreeView"]
