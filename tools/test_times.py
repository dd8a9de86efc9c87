"""Measures the parts of `make test`, in minutes, in build/test_times.json.

    python tools/test_times.py begin               # forgets earlier runs
    python tools/test_times.py run PART COMMAND... # runs the command and stores its minutes; exits with its status
    python tools/test_times.py table [--write]     # prints the table; --write puts it into docs/testing.md

Needs nothing but Python.
"""
from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FILE = ROOT / "build" / "test_times.json"
PAGE = ROOT / "docs" / "testing.md"
BEGIN, END = "<!-- make test-times -->\n", "<!-- end -->\n"


def parts() -> dict[str, float]:
    """Minutes of each successful part, in the order of the run."""
    return json.loads(FILE.read_text()) if FILE.exists() else {}


def note(part: str, minutes: float) -> None:
    FILE.parent.mkdir(exist_ok=True)
    FILE.write_text(json.dumps({**parts(), part: minutes}, indent=1) + "\n")


def run(part: str, command: list[str]) -> int:
    began = time.monotonic()
    status = subprocess.run(command).returncode
    if status == 0:
        note(part, (time.monotonic() - began) / 60)
    return status if status >= 0 else 128 - status


def processor() -> str:
    text = Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else ""
    found = re.search(r"^model name\s*: (.*)$", text, re.MULTILINE)
    return f"{os.cpu_count()} cores of {found[1] if found else 'an unknown processor'}"


def table(minutes: dict[str, float]) -> str:
    rows = [f"| `{part}` | {value:.1f} |\n" for part, value in minutes.items()]
    return f"| part | minutes on {processor()} |\n|---|---|\n{''.join(rows)}| together | {sum(minutes.values()):.1f} |\n"


def written(page: str, new: str) -> str:
    before, rest = page.split(BEGIN)
    return before + BEGIN + new + END + rest.split(END, 1)[1]


def main(arguments: list[str]) -> int:
    match arguments:
        case ["begin"]:
            FILE.unlink(missing_ok=True)
        case ["run", part, *command] if command:
            return run(part, command)
        case ["table"]:
            print(table(parts()), end="")
        case ["table", "--write"]:
            PAGE.write_text(written(PAGE.read_text(), table(parts())))
        case _:
            print(__doc__, file=sys.stderr)
            return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
