"""The examples run; a NumPy program needs only its import line changed."""
import os
import re
import subprocess
import sys

import pytest

EXAMPLES = os.path.join(os.path.dirname(__file__), "..", "..", "examples")


def run(*arguments, cwd=None):
    done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, cwd=cwd)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def test_digits_reaches_97_percent_and_draws(tmp_path):
    pytest.importorskip("sklearn")
    pytest.importorskip("matplotlib")
    out = run(os.path.join(EXAMPLES, "digits.py"), "--epochs", "20", "--figure", str(tmp_path / "digits.png"))
    assert float(re.search(r"accuracy .*: ([\d.]+)%", out)[1]) >= 97
    assert (tmp_path / "digits.png").stat().st_size > 10_000


def test_lattice_boltzmann_agrees_with_numpy_by_its_import_line_alone(tmp_path):
    with open(os.path.join(EXAMPLES, "lattice_boltzmann.py")) as file:
        source = file.read()
    assert source.count("import torch_np.numpy as np") == 1
    plain = tmp_path / "plain.py"
    plain.write_text(source.replace("import torch_np.numpy as np", "import numpy as np"))
    speeds = [re.search(r"largest speed ([\d.]+)", run(path, "60"))[1]
              for path in (os.path.join(EXAMPLES, "lattice_boltzmann.py"), str(plain))]
    assert speeds[0] == speeds[1]


def test_a_block_around_an_operator_in_python_learns():
    out = run(os.path.join(EXAMPLES, "operators", "dense", "dense.py"), "60")
    assert out.startswith("DenseBlock(3, 5, bias=0.1)\n")
    before, after = (float(e) for e in re.findall(r"error (\S+)", out))
    assert before > 0.1 and after < 1e-4
