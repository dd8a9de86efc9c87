"""The command line: python -m fuzz --seed 7 --minutes 10 [--part hostile] [--calls N] [--case NUMBER] [--jobs N]."""
from __future__ import annotations

import argparse
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # for NumPy in the child processes

from fuzz import bounds, children  # noqa: E402
from fuzz.cases import Case, Finding  # noqa: E402
from fuzz.children import Batch, Part, case_of  # noqa: E402
from fuzz.parts import PARTS, make_part  # noqa: E402

BATCH = 1000
SHARE_OF_REPLAYS = 0.3


def main() -> int:
    options = _options()
    parts = [make_part(name) for name in ([options.part] if options.part else PARTS)]
    if options.case is not None:
        return _one(parts[0], options.seed, options.case)
    summary = Summary(options)
    deadline = time.monotonic() + 60 * options.minutes if options.minutes else None
    for report in children.run(_batches(parts, options, deadline), options.jobs):
        summary.add(report)
    if options.write_bounds:
        bounds.write(summary.counts)
    summary.find_wide_reasons()
    summary.find_few_replays()
    summary.print_totals()
    return 1 if summary.found else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=sys.modules["fuzz"].__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--minutes", type=float, default=None, help="how long; without it, --calls decides")
    parser.add_argument("--calls", type=int, default=10_000, help="cases of each part")
    parser.add_argument("--part", choices=list(PARTS), default=None, help="this part alone")
    parser.add_argument("--case", type=int, default=None, help="one case of --part, with its text")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--write-bounds", action="store_true", help="write the share of each reason into bounds.txt (fuzz/bounds.py)")
    parser.add_argument("--most", type=int, default=3, help="cases printed of each group of findings")
    options = parser.parse_args()
    if options.case is not None and options.part is None:
        parser.error("--case needs --part")
    return options


def _batches(parts: list[Part], options: argparse.Namespace, deadline: float | None) -> Iterator[Batch]:
    """Batches of all parts in turn, until the time or the number of cases is reached."""
    start = 0
    while time.monotonic() < deadline if deadline is not None else start < options.calls:
        for part in parts:
            stop = start + BATCH if deadline is not None else min(start + BATCH, options.calls)
            yield Batch(part, options.seed, range(start, stop))
        start += BATCH


def _one(part: Part, seed: int, number: int) -> int:
    """Runs one case again, by itself, and prints all of it."""
    case = case_of(Batch(part, seed, range(0)), number)
    print(*case.setup, f"result = {case.call}", sep="\n", flush=True)
    finding = children.run_one(part, case)
    print(f"# {finding.kind}: {finding.detail}" if finding else "# nothing found, alone")
    return 1 if finding else 0


class Summary:
    """Prints findings when they arrive (the first few of each group), and the totals at the end."""

    def __init__(self, options: argparse.Namespace):
        self.options = options
        self.counts: dict[str, Counter] = {}
        self.figures: dict[str, Counter] = {}
        self.found: Counter = Counter()
        self.started = self.last_said = time.monotonic()

    def add(self, report: children.Report) -> None:
        part = report.batch.part
        self.counts.setdefault(part.name, Counter()).update(report.counts)
        self.figures.setdefault(part.name, Counter()).update(report.figures)
        for number, finding in report.findings:
            self.found[part.name, *finding.key] += 1
            if self.found[part.name, *finding.key] <= self.options.most:
                self.print_finding(report.batch, number, finding)
        if time.monotonic() - self.last_said > 30:
            self.last_said = time.monotonic()
            print(f"-- {self.last_said - self.started:.0f} s, {self.total()} cases, {sum(self.found.values())} findings", flush=True)

    def print_finding(self, batch: Batch, number: int, finding: Finding) -> None:
        case = case_of(batch, number)
        alone = children.run_one(batch.part, case)
        if alone is not None and alone.key == finding.key:
            case, finding = smallest(batch.part, case, alone)
            remark = ""
        else:
            remark = f"  # only after others of its batch, which began at {batch.numbers.start}"
        print(f"== {finding.kind}: {finding.subject}: {finding.detail}\n   {case}{remark}\n"
              f"   make fuzz SEED={batch.seed} PART={batch.part.name} CASE={number}", flush=True)

    def find_wide_reasons(self) -> None:
        """Reports reasons of differences.py above their bounds."""
        for part, reason, count, may in bounds.exceeded(self.counts):
            self.found[part, "explained too often", reason] += 1
            print(f"== explained too often: {reason}: {count} cases of {part}, at most {may:.0f} expected: its pattern in\n"
                  f"   test/fuzz/differences.py may hide a defect. If not, WRITE_BOUNDS=1 keeps the number.", flush=True)

    def find_few_replays(self) -> None:
        """Reports a part whose programs hardly replay: it would find nothing."""
        for part, figures in self.figures.items():
            if figures["calls"] >= 1000 and figures["replayed"] < SHARE_OF_REPLAYS * figures["calls"]:
                self.found[part, "few replays", ""] += 1
                print(f"== few replays: {figures['replayed']} of {figures['calls']} calls of {part}, at least {SHARE_OF_REPLAYS:.0%} expected", flush=True)

    def total(self) -> int:
        return sum(sum(counts.values()) for counts in self.counts.values())

    def print_totals(self) -> None:
        for part, counts in self.counts.items():
            print(f"{part}: {sum(counts.values())} cases")
            for word, count in counts.most_common():
                print(f"  {count:8d}  {word}")
            if figures := self.figures[part]:
                print("  " + ", ".join(f"{count} {word}" for word, count in figures.most_common()))
        print(f"{self.total()} cases in {time.monotonic() - self.started:.0f} s, seed {self.options.seed}: "
              f"{sum(self.found.values())} findings in {len(self.found)} groups")
        for (part, kind, subject), count in sorted(self.found.items()):
            print(f"  {count:6d}  {part}: {kind}: {subject}")


def smallest(part: Part, case: Case, finding: Finding) -> tuple[Case, Finding]:
    """Removes statements and arguments as long as the finding stays the same."""
    tries = case.most_tries
    shrunk = finding.kind not in ("hang", "deadlock")  # each try would take as long
    while shrunk:
        shrunk = False
        for smaller in case.smaller():
            if (tries := tries - 1) < 0:
                return case, finding
            again = children.run_one(part, smaller)
            if again is not None and again.key == finding.key:
                case, finding, shrunk = smaller, again, True
                break
    return case, finding


if __name__ == "__main__":
    sys.exit(main())
