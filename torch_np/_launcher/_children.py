"""Processes that a program under the launcher starts: workers of `multiprocessing`, of `joblib` and
of `DataLoader`, and the processes of `torchrun` and MPI.

A forked process has the import hook already. Any other Python process reads the environment:
PYTHONPATH begins with the folder `children`, whose sitecustomize module reads TORCH_NP_INSTALL.
"""
from __future__ import annotations

import os
import sys
import warnings
from pathlib import Path

VARIABLE = "TORCH_NP_INSTALL"
FOLDER = str(Path(__file__).parent / "children")


def prepare(torch: bool) -> None:
    """Sets the environment of later processes.

    Warnings: RuntimeWarning if this interpreter makes its child processes ignore the environment.
    """
    os.environ[VARIABLE] = ",".join(name for name, chosen in (("torch", torch),) if chosen)
    rest = [p for p in os.environ.get("PYTHONPATH", "").split(os.pathsep) if p and p != FOLDER]
    os.environ["PYTHONPATH"] = os.pathsep.join([FOLDER, *rest])
    if sys.flags.ignore_environment or sys.flags.isolated or sys.flags.no_site:
        warnings.warn("torch_np.install(): this interpreter was started with -E, -I or -S, and its child processes are started so, too; they ignore "
                      "PYTHONPATH, and `import torch` finds PyTorch there", RuntimeWarning, stacklevel=4)
