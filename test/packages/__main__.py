"""Runs the jobs. See __init__.py."""
from __future__ import annotations

import argparse
import importlib.metadata
import json
import os
import re
import subprocess
import sys
from pathlib import Path

from packages import run_job, values

HERE = Path(__file__).parent
MARKS = "<!-- make packages-table -->", "<!-- end -->"
SECONDS = 600


def jobs() -> list[str]:
    """The names of all jobs."""
    return sorted(path.stem for path in (HERE / "jobs").glob("*.py") if path.stem != "__init__")


def run(name: str, launcher: list[str]) -> tuple[dict | None, str]:
    """Runs a job. Returns its results, or None and the end of what it printed."""
    try:
        done = subprocess.run([sys.executable, "-W", "ignore", *launcher, "-m", "packages.run_job", name], capture_output=True, text=True, timeout=SECONDS,
                              env={**os.environ, "CUDA_VISIBLE_DEVICES": ""})
    except subprocess.TimeoutExpired:
        return None, f"it takes more than {SECONDS} seconds"
    if done.returncode:
        return None, "\n".join(done.stderr.strip().splitlines()[-6:])
    return json.loads(done.stdout.rpartition(run_job.BEGIN)[2]), ""


def header(name: str) -> dict[str, str]:
    """The constants at the beginning of a job: PROJECT, TASK, and perhaps TOLERANCE."""
    text = (HERE / "jobs" / f"{name}.py").read_text()
    return dict(re.findall(r'^([A-Z]+) = "?(.+?)"?$', text, re.MULTILINE))


def write_golden(chosen: list[str]) -> int:
    """Writes the results of PyTorch. Returns the number of jobs that fail."""
    failed = 0
    for name in chosen:
        results, trouble = run(name, [])
        if results is None:
            failed += 1
            print(f"{name}: {trouble}", file=sys.stderr)
            continue
        project = header(name)["PROJECT"]
        text = json.dumps({"project": project, "version": importlib.metadata.version(project), "torch": importlib.metadata.version("torch"),
                           "results": results})
        (HERE / "golden" / f"{name}.json").write_text(text + "\n")
        print(f"{name}: written")
    return failed


def compare(chosen: list[str]) -> dict[str, list[str]]:
    """Runs jobs by the launcher. Returns the differences of each one from PyTorch's results."""
    found = {}
    for name in chosen:
        if not (HERE / "golden" / f"{name}.json").exists():
            print(f"{name}: no golden values")
            continue
        golden = json.loads((HERE / "golden" / f"{name}.json").read_text())
        results, trouble = run(name, ["-m", "torch_np"])
        if results is None:
            found[name] = [trouble]
        else:
            found[name] = values.differences(results, golden["results"], float(header(name).get("TOLERANCE", "1e-5")))
        print(f"{name} {golden['version']}: {'as PyTorch' if not found[name] else 'DIFFERS'}", flush=True)
        for line in [part for text in found[name] for part in text.splitlines()][:10]:
            print(f"    {line[:300]}")
    return found


def write_table(page: Path, found: dict[str, list[str]]) -> None:
    """Writes the table of the page."""
    lines = ["| package | version | the job | |", "|---|---|---|---|"]
    for name, differences in found.items():
        golden = json.loads((HERE / "golden" / f"{name}.json").read_text())
        last = re.sub(r" \(/[^)]*\)|: torch_np, which stands for .*", "", differences[0].strip().splitlines()[-1]) if differences else ""
        reason = f"fails: `{last[:150]}`" if differences else "as PyTorch"
        lines.append(f"| [{golden['project']}](https://pypi.org/project/{golden['project']}/) | {golden['version']} | {header(name)['TASK']} | {reason} |")
    text = page.read_text()
    before, rest = text.split(MARKS[0])
    after = rest.split(MARKS[1])[1]
    page.write_text(f"{before}{MARKS[0]}\n" + "\n".join(lines) + f"\n{MARKS[1]}{after}")


def main() -> int:
    """Runs what the command line says. Returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m packages", description=__doc__)
    parser.add_argument("names", nargs="*", help="jobs to run (default: all)")
    parser.add_argument("--golden", action="store_true", help="write the results of PyTorch")
    parser.add_argument("--table", type=Path, metavar="PAGE", help="write the table of all jobs into this page")
    options = parser.parse_args()
    chosen = options.names or jobs()
    if options.golden:
        return write_golden(chosen)
    found = compare(chosen)
    if options.table:
        write_table(options.table, found)
    bad = [name for name, differences in found.items() if differences]
    print(f"{len(found) - len(bad)} of {len(found)} jobs give PyTorch's numbers" + (f"; not {', '.join(bad)}" if bad else ""))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
