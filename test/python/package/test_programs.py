"""The programs of benchmarks/programs.py give the same results as with NumPy; and the output of the
benchmark itself."""
import sys
from pathlib import Path

import numpy
import pytest

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]

import programs  # noqa: E402
import program_sources  # noqa: E402, F401  (programs imports it later)

sys.path[:] = [p for p in sys.path if p != str(ROOT / "benchmarks")]  # the `import sparse` of packages must not find benchmarks/sparse.py
PROGRAMS = [make() for make in programs.own_programs()]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.name)
def test_a_program_gives_what_it_gives_with_numpy(program):
    outcomes = []
    for library in (programs.NUMPY, programs.OURS):
        arguments = program.copies(library)
        outcomes.append([program.load(library)(*arguments), arguments])
    assert programs.agree(*outcomes)


def test_other_results_are_seen():
    x = numpy.linspace(0, 1, 5)
    assert programs.agree([x, None, 3], [x * (1 + 1e-15), None, 3])
    for wrong in ([x + 1e-7, None, 3], [x, None, 4], [x[:4], None, 3], [x], [x, None, numpy.nan]):
        assert not programs.agree([x, None, 3], wrong)
    assert programs.agree(numpy.float32([1, numpy.nan]), numpy.float32([1.00001, numpy.nan]))


def test_lines_are_timed_as_often_as_they_run(tmp_path):
    source = tmp_path / "counting.py"
    source.write_text("import numpy as np\n\n\ndef count(n):\n    total = np.zeros(())\n    for i in range(n):\n        total = total + i\n    return total\n")
    program = programs.Program("count", source, "count", [7])
    for library in (programs.NUMPY, programs.OURS):
        taken = programs.time_lines(program, library)
        assert {line: times for line, (_, times) in taken.items()} == {5: 1, 6: 8, 7: 7, 8: 1}
    least, same = programs.compare(program, seconds=0)
    assert same and least.keys() == {programs.NUMPY, programs.OURS} and all(t > 0 for t in least.values())
