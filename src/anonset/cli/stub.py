"""The stub src/anonset/__init__.pyi, generated: `python -m anonset.cli.stub > src/anonset/__init__.pyi`."""

from anonset.tasks.signatures import stub

if __name__ == "__main__":
    print(stub(), end="")
