"""Makes the calls of some libraries in a separate process, since environment variables of a library
apply to a whole process.

    PYTHONPATH=.:test python -m libraries.run "scipy, with SCIPY_ARRAY_API=1" numba

One line of JSON for each call: its number among those of the library, and its problem.
"""
from __future__ import annotations

import json
import os
import sys

from libraries import tables


def main(names: list[str]) -> None:
    """Runs the calls of the libraries with these names in the table."""
    for name in names:
        library = tables.BY_NAME[name]
        os.environ.update(library.environment)
        from libraries.case import problem
        for number, case in enumerate(library.cases()):
            print(json.dumps([name, number, problem(case)]), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
