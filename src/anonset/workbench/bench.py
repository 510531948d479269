"""Everything that can be done in the workbench: pages and the REST API call this and nothing else."""

from anonset.workbench.database_part import DatabasePart


class Workbench(DatabasePart):
    """Projects in a store, and workers for what takes time. All methods wait for their answer; uploads are coroutines.

    Errors are those of `anonset.errors`, ready to be shown: they hold no values of the data.
    """
