"""Lists of tests that fail on a device, under verification or under sanitizers: lines `file.py name name ...: reason`. A
name is a test with all its cases, or a shell pattern of names and ids.

A listed test runs as a strict expected failure: if it passes, the run fails, and the line must be
removed. All tests of a line must fail, except
`file.py name !skip: reason`, for crashes, hangs, tests that take minutes and files about the CPU,
which do not run, and
`file.py name !either: reason`, for results that are undefined or differ between the emulated device
and a GPU: these tests may pass.
"""
import fnmatch
import re
from dataclasses import dataclass
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]


@dataclass(frozen=True)
class Entry:
    pattern: str
    reason: str
    word: str = ""  # "skip" or "either"

    def marker(self):
        return pytest.mark.skip(reason=self.reason) if self.word == "skip" else pytest.mark.xfail(reason=self.reason, strict=not self.word)


class Exceptions:
    def __init__(self, text):
        found = re.findall(r"^ *(?!#)(\S+ \S.*?)(?: !(skip|either))?: (.+)$", text, re.MULTILINE)
        self.entries = [Entry(f"{line.split()[0]} {name}", reason, word) for line, word, reason in found for name in line.split()[1:]]
        self._of_file = {}
        for entry in self.entries:
            self._of_file.setdefault(entry.pattern.split()[0], []).append(entry)

    def of(self, nodeid):
        """The entries that match this test."""
        path, _, name = nodeid.partition("::")
        file = path.rpartition("/")[2]
        return [entry for entry in self._of_file.get(file, ())
                if entry.pattern == f"{file} {name.partition('[')[0]}" or fnmatch.fnmatchcase(f"{file} {name}", entry.pattern)]

    def dead(self, nodeids):
        """The patterns that match none of these tests, if their file is among the tests' files or does not
        exist."""
        files = {nodeid.partition("::")[0].rpartition("/")[2] for nodeid in nodeids}
        alive = {entry.pattern for nodeid in nodeids for entry in self.of(nodeid)}
        return [entry.pattern for entry in self.entries if entry.pattern not in alive
                and ((file := entry.pattern.split()[0]) in files or not any(TESTS.glob(f"*/{file}")))]


CUDA = Exceptions((TESTS / "cuda_exceptions.txt").read_text())
GPU = Exceptions((TESTS / "gpu_exceptions.txt").read_text())
SANITIZERS = Exceptions((TESTS / "sanitizer_exceptions.txt").read_text())
VERIFIED = Exceptions((TESTS / "verified_exceptions.txt").read_text())
