"""Batches of cases in forked children, so that a crash or a hang costs one case and is attributed to it.

The parent imports the library and computes nothing, since a fork copies no threads. A child writes
the number of its current case into shared memory, and its findings into a pipe. It has limits of
memory, of CPU time per case (a timer ends the process) and of file sizes, no terminal, and a
scratch folder.
"""
from __future__ import annotations

import ctypes
import faulthandler
import gc
import json
import mmap
import os
import resource
import selectors
import shutil
import signal
import struct
import sys
import tempfile
import time
import traceback
from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Protocol

from fuzz.cases import Case, Finding, Outcome

ADDRESS_SPACE = 2 << 30         # bytes beyond what the parent has mapped
FILE_SIZE = 64 << 20
CPU_SECONDS = 5                 # per case, summed over all threads
LONG_CPU_SECONDS = 0.1          # per case that may take long; after that it is abandoned
SILENT_SECONDS = 180            # wall time without progress: a deadlock uses no CPU
COUNTS_EVERY = 50               # cases; counts that were not sent yet are lost if the child dies
MALLOPT_PERTURB = -6            # M_PERTURB of malloc.h
FIRST_PRIVATE_DESCRIPTOR = 200  # small integers are tried as file descriptors


class Part(Protocol):
    """One kind of fuzzing."""

    name: str

    def case(self, seed: int, number: int) -> Case: ...
    def check(self, case: Case) -> Outcome: ...
    def may_take_long(self, case: Case) -> bool: ...


@dataclass
class Batch:
    part: Part
    seed: int
    numbers: range
    cases: list[Case] | None = None     # in place of the cases of these numbers


@dataclass
class Report:
    """The result of a batch. `findings` are pairs (number, Finding)."""

    batch: Batch
    findings: list[tuple[int, Finding]] = field(default_factory=list)
    counts: Counter = field(default_factory=Counter)
    figures: Counter = field(default_factory=Counter)
    rest: range = range(0)              # the cases left after a crash


class Child:
    def __init__(self, batch: Batch):
        self.batch = batch
        self.progress = mmap.mmap(-1, 16)
        self.last, self.since = -1, time.monotonic()
        self.folder = tempfile.mkdtemp(prefix="fuzz")
        read, write = os.pipe()
        sys.stdout.flush()
        self.pid = os.fork()
        if self.pid == 0:
            try:
                os.close(read)
                _serve(batch, write, self.progress, self.folder)
            except BaseException:
                traceback.print_exc()  # a defect of the fuzzer
            finally:
                os._exit(70)
        os.close(write)
        os.set_blocking(read, False)
        self.pipe, self.text = read, b""
        self.deadlocked = False

    def number(self) -> int:
        return struct.unpack("q", self.progress[:8])[0]

    def watch(self) -> None:
        """Ends the child if it makes no progress."""
        now = self.number()
        if now != self.last:
            self.last, self.since = now, time.monotonic()
        elif time.monotonic() - self.since > SILENT_SECONDS:
            self.deadlocked = True
            os.kill(self.pid, signal.SIGKILL)

    def finish(self) -> Report:
        """Called after the pipe was closed: combines the child's messages with its exit status."""
        _, status = os.waitpid(self.pid, 0)
        os.close(self.pipe)
        report = Report(self.batch)
        for line in self.text.decode(errors="replace").splitlines():
            message = json.loads(line)
            if "counts" in message:
                report.counts.update(message["counts"])
                report.figures.update(message["figures"])
            else:
                report.findings.append((message["number"], Finding(message["kind"], message["subject"], message["detail"])))
        if status != 0:
            self._explain(report, status)
        self.progress.close()
        shutil.rmtree(self.folder, ignore_errors=True)
        return report

    def _explain(self, report: Report, status: int) -> None:
        number = self.number()
        case = case_of(self.batch, number)
        report.rest = range(number + 1, self.batch.numbers.stop)
        report.counts["ran in a child that ended early"] += number - self.batch.numbers.start + 1 - report.counts.total()
        code = os.waitstatus_to_exitcode(status)
        hang = self.deadlocked or code == -signal.SIGPROF
        if hang and self.batch.part.may_take_long(case):
            report.counts["given up: a huge array takes long"] += 1
            report.counts["ran in a child that ended early"] -= 1
            return
        if self.progress[8]:
            report.counts["a crash of the other library"] += 1
            return
        kind = "deadlock" if self.deadlocked else "hang" if hang else signal.Signals(-code).name if code < 0 else f"exit {code}"
        report.findings.append((number, Finding(kind, case.subject, _last_words(self.folder))))


def case_of(batch: Batch, number: int) -> Case:
    if batch.cases is not None:
        return batch.cases[number]
    return batch.part.case(batch.seed, number)


def run(batches: Iterator[Batch], jobs: int) -> Iterator[Report]:
    """The reports of all batches, with `jobs` children at a time."""
    children: dict[int, Child] = {}
    again: deque[Batch] = deque()
    with selectors.DefaultSelector() as selector:
        while True:
            while len(children) < jobs and (batch := again.popleft() if again else next(batches, None)) is not None:
                child = Child(batch)
                children[child.pipe] = child
                selector.register(child.pipe, selectors.EVENT_READ)
            if not children:
                return
            for key, _ in selector.select(timeout=5):
                child = children[key.fd]
                if piece := os.read(key.fd, 1 << 16):
                    child.text += piece
                    continue
                selector.unregister(key.fd)
                del children[key.fd]
                report = child.finish()
                if report.rest:
                    again.append(Batch(report.batch.part, report.batch.seed, report.rest, report.batch.cases))
                yield report
            for child in children.values():
                child.watch()


def run_one(part: Part, case: Case) -> Finding | None:
    """The finding of one case, which runs in its own child."""
    report = next(run(iter([Batch(part, 0, range(1), [case])]), 1))
    return report.findings[0][1] if report.findings else None


# ---------------------------------------------------------------------------------------------------------- in the child

_progress: mmap.mmap | None = None


def in_the_oracle(whether: bool) -> None:
    """Marks that the reference library is running: its crashes are not findings."""
    if _progress is not None:
        _progress[8] = whether


def _serve(batch: Batch, pipe: int, progress: mmap.mmap, folder: str) -> None:
    global _progress
    _progress = progress
    pipe = _isolate(pipe, folder)
    counts: Counter = Counter()
    figures: Counter = Counter()
    for number in batch.numbers:
        progress[:] = struct.pack("qq", number, 0)
        case = case_of(batch, number)
        signal.setitimer(signal.ITIMER_PROF, LONG_CPU_SECONDS if batch.part.may_take_long(case) else CPU_SECONDS)
        outcome = batch.part.check(case)
        counts[outcome.word] += 1
        figures.update(outcome.figures)
        if outcome.finding is not None:
            _say(pipe, {"number": number, **vars(outcome.finding)})
        if counts.total() >= COUNTS_EVERY:
            _say(pipe, {"counts": counts, "figures": figures})
            counts.clear()
            figures.clear()
    gc.collect()
    signal.setitimer(signal.ITIMER_PROF, 0)
    _say(pipe, {"counts": counts, "figures": figures})
    os._exit(0)


def _say(pipe: int, message: dict) -> None:
    text = json.dumps(message).encode() + b"\n"
    while text:
        text = text[os.write(pipe, text):]


def _isolate(pipe: int, folder: str) -> int:
    os.chdir(folder)
    with open("stderr", "wb") as errors, open(os.devnull, "r+b") as null:
        os.dup2(null.fileno(), 0)
        os.dup2(null.fileno(), 1)
        os.dup2(errors.fileno(), 2)
    os.dup2(pipe, FIRST_PRIVATE_DESCRIPTOR)
    os.close(pipe)
    faulthandler.enable()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    pages = int(open("/proc/self/statm").read().split()[0])
    if "LD_PRELOAD" not in os.environ:  # a sanitizer's shadow memory is larger than any limit
        limit = pages * resource.getpagesize() + ADDRESS_SPACE
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        ctypes.CDLL(None).mallopt(MALLOPT_PERTURB, 165)  # fills freed memory, so that uses after free are visible
    resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_SIZE, FILE_SIZE))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    return FIRST_PRIVATE_DESCRIPTOR


def _last_words(folder: str) -> str:
    """The child's output on stderr, without the stack of the fuzzer itself."""
    try:
        with open(os.path.join(folder, "stderr"), errors="replace") as file:
            lines = file.read()[-20000:].splitlines()
    except OSError:
        return ""
    said = [line for line in lines if line.strip() and "fuzz/" not in line and "Extension modules" not in line and "<frozen" not in line]
    return " | ".join(said[:8])
