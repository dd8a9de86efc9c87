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

from torch_np import _public_names

VARIABLE = "TORCH_NP_INSTALL"
PACKAGES = "TORCH_NP_NUMPY_FOR"  # names of packages; a name after a minus gets torch_np.numpy
FOLDER = str(Path(__file__).parent / "children")


def prepare() -> None:
    """Sets the environment of later processes to what is installed in this one.

    Warnings: RuntimeWarning if this interpreter makes its child processes ignore the environment.
    """
    placed = sys.modules.get("torch_np._launcher._numpy")
    chosen = (("torch", _public_names.public == _public_names.TORCH), ("numpy", placed is not None))
    os.environ[VARIABLE] = ",".join(name for name, stands in chosen if stands)
    if placed is not None and (packages := placed.chosen()):
        os.environ[PACKAGES] = ",".join(name if uses else f"-{name}" for name, uses in packages.items())
    rest = [p for p in os.environ.get("PYTHONPATH", "").split(os.pathsep) if p and p != FOLDER]
    os.environ["PYTHONPATH"] = os.pathsep.join([FOLDER, *rest])
    if sys.flags.ignore_environment or sys.flags.isolated or sys.flags.no_site:
        warnings.warn("torch_np.install(): this interpreter was started with -E, -I or -S, and its child processes are started so, too; they ignore "
                      "PYTHONPATH, and find PyTorch and NumPy", RuntimeWarning, stacklevel=4)
