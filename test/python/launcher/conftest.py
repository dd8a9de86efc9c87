"""Programs in processes of their own: a process has the launcher or does not, and keeps it."""
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def run(tmp_path):
    """Runs a program (its text, or arguments of `python`), by default under the launcher. Returns
    what it prints."""
    def run(program=None, *arguments, launcher=("-m", "torch_np"), error=None, environment=(), folder=tmp_path):
        environment = {k: v for k, v in {**os.environ, "PYTHONPATH": str(ROOT), **dict(environment)}.items()
                       if k != "TORCH_NP_INSTALL" or k in dict(environment)}
        if program is not None:
            (tmp_path / "program.py").write_text(textwrap.dedent(program))
            arguments = ("program.py", *arguments)
        done = subprocess.run([sys.executable, *launcher, *arguments], cwd=folder, env=environment, capture_output=True, text=True, timeout=300)
        if error is None:
            assert done.returncode == 0, done.stdout + done.stderr
            return done.stdout
        assert done.returncode != 0 and error in done.stderr, done.stdout + done.stderr
        return done.stderr

    return run
