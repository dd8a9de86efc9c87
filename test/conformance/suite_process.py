"""Runs the files of a test suite in child processes, so that a crash costs one test.

A suite is a script. `run_child` starts it with `--child JOB`; there, a Recorder (a pytest plugin) logs the
start and the end of each test. A test that crashes the child or exceeds the time limit is
reported as crashed; the file goes on after it.
"""
from __future__ import annotations

import collections
import faulthandler
import json
import os
import re
import subprocess
import sys
import time

import pytest


class Recorder:
    """Logs each test of `job`, a dictionary with the path of the log and the seconds of a test."""

    def __init__(self, job):
        self.job = job
        self.log_file = open(job["log"], "a", encoding="utf-8")
        self.reports = []

    def log(self, *record):
        self.log_file.write(json.dumps(record) + "\n")
        self.log_file.flush()

    def name(self, item):
        return item.nodeid

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item, nextitem):
        self.reports = []
        self.log("start", self.name(item))
        faulthandler.dump_traceback_later(self.job["test_timeout"], exit=True)
        result = yield
        faulthandler.cancel_dump_traceback_later()
        failure = next((r for r in self.reports if r.failed), None)
        if failure:
            self.log("end", self.name(item), "failed", failure.longrepr)
        else:
            skipped = any(r.skipped for r in self.reports)
            self.log("end", self.name(item), "skipped" if skipped else "passed", None)
        return result

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item, call):
        report = yield
        if report.failed:       # thousands of tracebacks would take minutes to print
            crash = getattr(report.longrepr, "reprcrash", None)
            text = crash.message if crash else str(report.longrepr)
            report.longrepr, report.sections = text.strip().partition("\n")[0][:300], []
        self.reports.append(report)
        return report


def run_tests(plugin, root, files, *options):
    """In the child: runs pytest and ends the process; threads of the module must not hang it."""
    faulthandler.enable()
    pytest.main(["-q", "--tb=short", "-rN", "--noconftest", "--continue-on-collection-errors",
                 "-p", "no:cacheprovider", "-p", "no:faulthandler", "-p", "no:xdist",
                 "-c", os.devnull, "--rootdir", root, *options,
                 *(os.path.join(root, f) for f in files)], plugins=[plugin])
    plugin.log("done")
    sys.stdout.flush()
    os._exit(0)


def child_environment():
    """The environment of child processes, which find modules as from the current directory."""
    path = [os.getcwd(), *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(map(os.path.abspath, path))}


def run_child(directory, name, seconds, cwd=None, **job):
    """Runs a job of the script that runs now. Returns its records, and None or the cause of its death."""
    log, job_file = (os.path.join(directory, name + end) for end in (".log", ".json"))
    with open(job_file, "w", encoding="utf-8") as file:
        json.dump({"log": log, **job}, file)
    with open(os.path.join(directory, name + ".out"), "w") as out:
        process = subprocess.Popen(
            [sys.executable, os.path.abspath(sys.argv[0]), "--child", job_file],
            cwd=cwd or directory, env=child_environment(), stdin=subprocess.DEVNULL, stdout=out,
            stderr=subprocess.STDOUT)
        try:
            code = process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            code = process.wait() and "file time limit"
    records = []
    if os.path.exists(log):
        with open(log, encoding="utf-8") as file:
            records = [json.loads(line) for line in file]
    if records and records[-1] == ["done"]:
        return records, None
    if code == 1 and records and records[-1][0] == "start":
        return records, "timed out"
    return records, f"crashed ({f'signal {-code}' if isinstance(code, int) else code})"


def run_with_restarts(run, todo, seconds, most):
    """{test: (outcome, message)}, tests that are left, and the cause of the last death or None.
    `run(attempt, tests, seconds)` is a call of run_child."""
    results, deadline = {}, time.monotonic() + seconds
    for attempt in range(most + 1):
        records, died = run(attempt, todo, max(1, deadline - time.monotonic()))
        results.update((r[1], (r[2], r[3])) for r in records if r[0] == "end")
        if died and records and records[-1][0] == "start":
            results[records[-1][1]] = ("crashed", died)
        before, todo = todo, [i for i in todo if i not in results]
        if not died or todo == before or time.monotonic() > deadline:
            break
    return results, todo, died, records


def function_of(node_id):
    return node_id.partition("[")[0]


def tally(results):
    count = collections.Counter(outcome for outcome, _ in results.values())
    functions = collections.defaultdict(list)
    for node_id, (outcome, _) in results.items():
        if outcome != "skipped":
            functions[function_of(node_id)].append(outcome == "passed")
    return {"passed": count["passed"], "failed": count["failed"] + count["crashed"],
            "skipped": count["skipped"], "crashed": count["crashed"],
            "total": sum(count.values()), "functions": len(functions),
            "function_score": sum(sum(f) / len(f) for f in functions.values())}


def percent(part, whole):
    return f"{100 * part / whole:6.2f}%" if whole else "     - "


def print_table(results):
    """Print the counts of each file, each directory and all; return them."""
    rows = {}
    for node_id, result in results.items():
        file = node_id.partition("::")[0]
        for row in (file, "= " + file.partition("/")[0], "= all"):
            rows.setdefault(row, {})[node_id] = result
    rows = {name: tally(part) for name, part in sorted(
        rows.items(), key=lambda x: (x[0][0] == "=", x[0] == "= all", x[0]))}
    print(f"{'file':50} {'passed':>7} {'failed':>7} {'skipped':>7} {'total':>7} {'rate':>7} "
          f"{'by function':>12} {'crashed':>8}")
    for name, row in rows.items():
        print(f"{name:50} {row['passed']:7} {row['failed']:7} {row['skipped']:7} "
              f"{row['total']:7} {percent(row['passed'], row['passed'] + row['failed'])} "
              f"{percent(row['function_score'], row['functions']):>12} {row['crashed']:8}")
    return rows


def print_causes(results, most):
    """The most frequent messages of failures. Names, numbers and addresses are left out."""
    causes = collections.defaultdict(list)
    for node_id, (outcome, message) in results.items():
        if outcome not in ("passed", "skipped"):
            causes[re.sub(r"0x[0-9a-f]+|\d+(\.\d+)?", "#", str(message))[:160]].append(node_id)
    for cause, ids in sorted(causes.items(), key=lambda x: -len(x[1]))[:most]:
        print(f"{len(ids):5} {cause}\n      {ids[0]}")
