"""tools/build_progress.py: its display of a build, and its log."""
import io
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT))   # the tools are not part of the package
from tools.build_progress import TAIL, Progress  # noqa: E402

pytestmark = [pytest.mark.same_on_devices("reads the tree"), pytest.mark.same_when_pending("reads the tree")]


class Terminal(io.StringIO):
    def isatty(self):
        return True


def build(tmp_path, program):
    """Runs build_progress on a process's output. Returns (exit status, displayed text, log)."""
    log = tmp_path / "logs" / "build.log"
    done = subprocess.run([sys.executable, ROOT / "tools" / "build_progress.py", "--log", log, "Building", "--", sys.executable, "-c", program],
                          capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr, log.read_text()


STEPS = "for k in range(1, 101): print(f'[{k}/100] Building CXX object {k}.o', flush=True)\n"


def test_a_line_for_each_twentieth_and_everything_in_the_log(tmp_path):
    status, shown, log = build(tmp_path, STEPS)
    lines = shown.splitlines()
    assert status == 0 and len(lines) == 22
    assert lines[0] == "Building: 1 % (1 of 100)" and lines[1].startswith("Building: 5 % (5 of 100)")
    assert lines[20].startswith("Building: 100 % (100 of 100)") and lines[21].startswith("Building: done in ")
    assert log.count("Building CXX object") == 100 and "CXX" not in shown


def test_a_failure_shows_the_end_of_the_log_from_where_it_began_and_keeps_the_status(tmp_path):
    program = STEPS + "print('FAILED: 7.o\\nx.cpp:3: error: no such thing\\nninja: build stopped'); raise SystemExit(3)"
    status, shown, log = build(tmp_path, program)
    assert status == 3
    end = shown[shown.index("failed after"):].splitlines()
    assert end[1:] == ["FAILED: 7.o", "x.cpp:3: error: no such thing", "ninja: build stopped"]


def test_of_a_long_failure_the_last_lines_are_shown(tmp_path):
    status, shown, _ = build(tmp_path, "for i in range(500): print('line', i)\nraise SystemExit(1)")
    assert status == 1 and shown.splitlines()[-TAIL:] == [f"line {i}" for i in range(500 - TAIL, 500)]


def test_a_command_that_a_signal_ended_failed(tmp_path):
    status, shown, _ = build(tmp_path, "import os, signal; os.kill(os.getpid(), signal.SIGKILL)")
    assert status == 128 + 9 and "failed after" in shown


def test_warnings_are_counted(tmp_path):
    status, shown, _ = build(tmp_path, STEPS + "print('a.cpp:1:2: warning: unused\\nb.cpp:1:2: warning: unused')")
    assert status == 0 and "warnings: 2, in " in shown


def shown_at(times, output):
    """Displayed progress of a build of 100 steps, of which one ends at each of `times`."""
    clock = iter(times)
    now = [0.0]
    progress = Progress("Building", output, lambda: now[0])
    for step, seconds in enumerate(clock, 1):
        now[0] = seconds
        progress.line(f"[{step}/100] x")
    return progress


def test_what_is_left_is_what_the_speed_so_far_says():
    output = io.StringIO()
    shown_at([10.0 * k for k in range(1, 51)], output)
    assert "50 % (50 of 100), about 8 min left" in output.getvalue()
    assert "left" not in output.getvalue().splitlines()[0]


def test_a_terminal_has_one_line(tmp_path):
    output = Terminal()
    progress = shown_at([1.0] * 30, output)
    progress.end(0, tmp_path / "build.log")
    assert output.getvalue().count("\r") == 30 and output.getvalue().count("\n") == 2


def test_the_few_steps_before_the_build_are_no_part_of_it():
    output = io.StringIO()
    progress = Progress("Building", output)
    for line in ("[0/2] Re-checking globbed directories...", "[1/2] Re-running CMake..."):
        progress.line(line)
    assert output.getvalue() == ""


@pytest.mark.parametrize("text", ["", "ninja: no work to do.", "[1/", "[1/x] y", "[100/100 y"])
def test_other_lines_say_nothing(text):
    output = io.StringIO()
    Progress("Building", output).line(text)
    assert output.getvalue() == ""
