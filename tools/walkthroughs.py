"""Tests the walkthroughs of docs/add_an_operator.md and docs/add_a_pass.md.

It applies their diffs to a copy of the tree, builds it, and runs the tests in the diffs, on the CPU
and on the emulated device.

    python tools/walkthroughs.py [--measure] [-j JOBS] [-DCMAKE_OPTION=...]

The copy and its build are in build/walkthroughs, so that unchanged files are not recompiled. With
--measure, the diffs are applied one after the other, and each is built separately, without ccache.
"""
from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# One instruction set, and two GPUs emulated in host memory (docs/cuda.md).
OPTIONS = ["-DTORCH_NP_CPU_CAPABILITIES=baseline", "-DTORCH_NP_CUDA_EMULATION=ON", "-DTORCH_NP_CUDA=OFF", "-DTORCH_NP_TESTS=OFF"]
# The pages, and the maximum number of files that each of their walkthroughs may touch, in the order of
# the page. Tests do not count.
PAGES = {"docs/add_an_operator.md": (2, 2, 5, 4), "docs/add_a_pass.md": (3,)}
MOST_PLACES = tuple(most for of_page in PAGES.values() for most in of_page)


@dataclass(frozen=True)
class Walkthrough:
    title: str
    diff: str

    @property
    def files(self) -> list[str]:
        return re.findall(r"^\+\+\+ b/(\S+)$", self.diff, re.M)

    @property
    def places(self) -> list[str]:
        return [f for f in self.files if not f.startswith("test/")]

    @property
    def tests(self) -> list[str]:
        """The new test files, without files that they import."""
        return re.findall(r"^--- /dev/null\n\+\+\+ b/(test/\S+/test_\w+\.py)$", self.diff, re.M)

    @property
    def operators(self) -> list[str]:
        return list(dict.fromkeys(re.findall(r"^\+- func: (\w+)", self.diff, re.M)))

    @property
    def lines(self) -> int:
        """The number of lines added, without tests."""
        pieces = re.split(r"^(?=diff --git )", self.diff, flags=re.M)
        return sum(len(re.findall(r"^\+(?!\+\+ )", p, re.M)) for p in pieces if not p.startswith("diff --git a/test/"))


def walkthroughs() -> list[Walkthrough]:
    sections = [section for page in PAGES for section in re.split(r"^## ", (ROOT / page).read_text(), flags=re.M)[1:]]
    return [Walkthrough(section.partition("\n")[0], diff) for section in sections
            for diff in re.findall(r"^```diff\n(.*?)^```$", section, re.M | re.S)]


def tracked_files() -> list[str]:
    """All files that git does not ignore."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.splitlines()
    return [n for n in names if (ROOT / n).is_file()]


def copy(folder: Path, names: list[str]) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, folder / name)


def apply(folder: Path, diff: str) -> None:
    """Applies a diff entirely or not at all. Raises RuntimeError with git's message on failure."""
    result = subprocess.run(["git", "apply", "--whitespace=nowarn", "-"], cwd=folder, input=diff, text=True, capture_output=True,
                            env=os.environ | {"GIT_CEILING_DIRECTORIES": str(folder.parent)})
    if result.returncode:
        raise RuntimeError(result.stderr)


def update(tree: Path, diffs: list[str]) -> None:
    """Updates `tree` to a copy of the sources with these diffs applied. Unchanged files keep their
    timestamps, so that they are not recompiled."""
    with tempfile.TemporaryDirectory(dir=tree.parent) as temporary:
        fresh = Path(temporary)
        copy(fresh, tracked_files())
        for diff in diffs:
            apply(fresh, diff)
        names = [p.relative_to(fresh) for p in fresh.rglob("*") if p.is_file()]
        for name in names:
            if not (tree / name).is_file() or (tree / name).read_bytes() != (fresh / name).read_bytes():
                (tree / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(fresh / name, tree / name)
        record = tree / "build/files.txt"
        gone = set(record.read_text().splitlines()) - {str(n) for n in names} if record.exists() else set()
        for name in gone:
            (tree / name).unlink(missing_ok=True)
        record.parent.mkdir(exist_ok=True)
        record.write_text("\n".join(map(str, names)))
    if not (tree / ".venv").exists():
        (tree / ".venv").symlink_to(ROOT / ".venv")


def run(tree: Path, command: list[str], **environment: str) -> None:
    print("+", *command, flush=True)
    subprocess.run(command, cwd=tree, check=True, env=os.environ | {"PYTHONPATH": str(tree)} | environment)


def build(tree: Path, options: list[str], jobs: int, **environment: str) -> tuple[int, float, float]:
    """The number of compiled files, the CPU time, and the elapsed time, in seconds."""
    run(tree, ["cmake", "--preset", "dev", *OPTIONS, *options])
    begun, used = time.time(), os.times()
    run(tree, ["cmake", "--build", "build/dev", "-j", str(jobs)], **environment)
    elapsed, now = time.time() - begun, os.times()
    compiled = sum(o.stat().st_mtime >= begun for o in (tree / "build/dev").rglob("*.o"))
    return compiled, now.children_user + now.children_system - used.children_user - used.children_system, elapsed


def test(tree: Path, followed: list[Walkthrough]) -> None:
    """Runs the tests in the diffs, and the existing tests over all operators, which cover the new
    operators."""
    files = [t for w in followed for t in w.tests]
    names = " or ".join(f"[{name} or .{name}" for w in followed for name in w.operators)  # parametrised test ids begin like this
    python = str(ROOT / ".venv/bin/python")
    for device, environment in (("cpu", {}), ("cuda", {"TORCH_NP_CUDA_EMULATED": "1"})):
        run(tree, [python, "-m", "pytest", "-q", "--device", device, *files], **environment)
        run(tree, [python, "-m", "pytest", "-q", "--device", device, "-k", names, "test/python"], **environment)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--measure", action="store_true", help="build each by itself, without ccache")
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count())
    arguments, options = parser.parse_known_args()
    tree = ROOT / "build/walkthroughs/tree"
    tree.mkdir(parents=True, exist_ok=True)
    followed = walkthroughs()
    for w in followed:
        print(f"{w.title}: {len(w.places)} places, {w.lines} lines: {', '.join(w.places)}")
    if arguments.measure:
        update(tree, [])
        build(tree, options, arguments.jobs)
        for i, w in enumerate(followed):
            update(tree, [w.diff for w in followed[:i + 1]])
            files, processor, elapsed = build(tree, options, arguments.jobs, CCACHE_DISABLE="1")
            print(f"{w.title}: {files} files compiled, {processor:.0f} s of processors, {elapsed:.0f} s by the clock", flush=True)
    else:
        update(tree, [w.diff for w in followed])
        build(tree, options, arguments.jobs)
    test(tree, followed)
    return 0


if __name__ == "__main__":
    sys.exit(main())
