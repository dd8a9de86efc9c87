"""Runs a build command and shows its progress instead of its output.

    python tools/build_progress.py --log FILE TITLE -- COMMAND...

It parses ninja's `[k/n]`. On a terminal it updates one line; otherwise it prints a line per five
percent. FILE receives the complete output. If the command fails, its output from the first failure
on is printed, and the exit status is the command's. Needs nothing but Python.
"""
from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import IO

STEP = re.compile(r"\[(\d+)/(\d+)\] ")
FAILURE = re.compile(r"^(FAILED:|ninja: error:|CMake Error)")
TAIL = 60  # maximum number of lines shown after a failure
FEW = 10  # steps before a bar is shown: fewer only happen before the build proper (globs, CMake again)


def duration(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"


class Progress:
    """Converts the lines of a build to progress lines; `now` returns seconds."""

    def __init__(self, title: str, output: IO[str], now=time.monotonic) -> None:
        self.title, self.output, self.now = title, output, now
        self.began = now()
        self.shown = -1  # progress that was shown last, in twentieths
        self.first: tuple[int, float] | None = None
        self.warnings = 0
        self.open_line = False

    def line(self, text: str) -> None:
        self.warnings += " warning: " in text
        step = STEP.match(text)
        if not step:
            return
        done, total = int(step[1]), int(step[2])
        if total < FEW:
            return
        if self.first is None or done < self.first[0]:
            self.first = (done, self.now())
        self.show(done, total)

    def left(self, done: int, total: int) -> str:
        """An estimate of the remaining time at the current speed; empty until the speed is
        known."""
        assert self.first is not None
        steps, seconds = done - self.first[0], self.now() - self.first[1]
        return f", about {duration(seconds / steps * (total - done))} left" if steps >= FEW and seconds >= 2 and done < total else ""

    def show(self, done: int, total: int) -> None:
        text = f"{self.title}: {100 * done // total} % ({done} of {total}){self.left(done, total)}"
        if self.output.isatty():
            self.output.write(f"\r{text}\033[K")
            self.open_line = True
        elif 20 * done // total > self.shown:
            self.output.write(text + "\n")
        self.shown = 20 * done // total
        self.output.flush()

    def end(self, status: int, log: Path) -> None:
        if self.open_line:
            self.output.write("\n")
        took = duration(self.now() - self.began)
        if status:
            self.output.write(f"{self.title}: failed after {took}. The end of {log}:\n{end_of(log)}")
        else:
            warned = f"; warnings: {self.warnings}, in {log}" if self.warnings else ""
            self.output.write(f"{self.title}: done in {took}{warned}\n")
        self.output.flush()


def end_of(log: Path) -> str:
    """The last lines of the log; if a step failed, the first lines of its output."""
    lines = log.read_text(errors="replace").splitlines(keepends=True)
    begin = next((i for i, line in enumerate(lines) if FAILURE.match(line)), max(0, len(lines) - TAIL))
    return "".join(lines[begin:][:TAIL])


def run(title: str, log: Path, command: list[str], output: IO[str]) -> int:
    log.parent.mkdir(parents=True, exist_ok=True)
    progress = Progress(title, output)
    environment = os.environ | {"NINJA_STATUS": "[%f/%t] "}
    with open(log, "w") as file, subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                                                  env=environment) as build:
        assert build.stdout is not None
        for text in build.stdout:
            file.write(text)
            progress.line(text)
    progress.end(build.returncode, log)
    return build.returncode if build.returncode >= 0 else 128 - build.returncode


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--log", type=Path, required=True)
    parser.add_argument("title")
    parser.add_argument("command", nargs="+")
    arguments = parser.parse_args()
    return run(arguments.title, arguments.log, arguments.command, sys.stdout)


if __name__ == "__main__":
    sys.exit(main())
