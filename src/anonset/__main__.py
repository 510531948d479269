"""`python -m anonset`: the command line."""

import sys

from anonset.cli import main

if __name__ == "__main__":
    sys.exit(main())
