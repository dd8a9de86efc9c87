"""The examples run; a NumPy program needs only its import line changed."""
import os
import re
import subprocess
import sys

import pytest

pytestmark = pytest.mark.same_on_devices("starts processes, which compute on the CPU")

EXAMPLES = os.path.join(os.path.dirname(__file__), "..", "..", "..", "examples")


def run(*arguments, cwd=None):
    done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, cwd=cwd)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


@pytest.mark.slow("trains a network")
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


def figure_of(name, tmp_path, *arguments):
    """The output of an example after a check of its figure."""
    pytest.importorskip("matplotlib")
    figure = tmp_path / "figure.png"
    out = run(os.path.join(EXAMPLES, name), *arguments, "--figure", str(figure))
    assert figure.stat().st_size > 10_000
    return out


def test_a_small_gpt_learns_and_writes(tmp_path):
    out = figure_of("gpt.py", tmp_path, "--steps", "40", "--layers", "1", "--length", "30")
    before, after = re.search(r"held-out loss ([\d.]+) -> ([\d.]+)", out).groups()
    assert float(before) > 4 and float(after) < 3.2


def test_convolutions_tell_digits_apart(tmp_path):
    pytest.importorskip("sklearn")
    out = figure_of("convolutions.py", tmp_path, "--epochs", "4", "--weights", str(tmp_path / "weights.pt"))
    assert float(re.search(r"held-out accuracy ([\d.]+)%", out)[1]) >= 95
    assert (tmp_path / "weights.pt").stat().st_size > 100_000


def test_a_variational_autoencoder_raises_its_bound(tmp_path):
    pytest.importorskip("sklearn")
    out = figure_of("vae.py", tmp_path, "--epochs", "6")
    before, after = re.search(r"bound (-[\d.]+) -> (-[\d.]+)", out).groups()
    assert float(after) > float(before) + 4
