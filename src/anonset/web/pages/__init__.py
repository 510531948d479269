"""One file a place of the workbench: ask the workbench, show the answer."""
