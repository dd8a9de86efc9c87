"""One process of a job: runs a program as `python` would, and ends all processes if it fails.

    mpiexec <hosts, number of processes> python -m torch_np.distributed.worker PROGRAM arguments ...

After an uncaught exception or a `sys.exit` with a nonzero status, the other processes would wait
forever. MPI_Abort ends them. The environment contains PyTorch's RANK, WORLD_SIZE, LOCAL_RANK and
LOCAL_WORLD_SIZE.
"""
from __future__ import annotations

import os
import runpy
import sys
from typing import Any

from torch_np.distributed._ending import end_all
from torch_np.distributed._mpi import load_mpi

__all__ = ["main"]


def _describe(MPI: Any) -> None:
    world = MPI.COMM_WORLD
    here = world.Split_type(MPI.COMM_TYPE_SHARED)
    for name, number in (("RANK", world.Get_rank()), ("WORLD_SIZE", world.Get_size()), ("LOCAL_RANK", here.Get_rank()),
                         ("LOCAL_WORLD_SIZE", here.Get_size())):
        os.environ[name] = str(number)
    here.Free()


def main() -> None:
    """Runs the program named on the command line."""
    if len(sys.argv) < 2 or sys.argv[1:] == ["-m"]:
        sys.exit("usage: python -m torch_np.distributed.worker [-m] program arguments ...")
    MPI = load_mpi()
    _describe(MPI)
    is_module = sys.argv[1] == "-m"
    del sys.argv[:2 if is_module else 1]
    program = sys.argv[0]
    sys.path[0] = os.getcwd() if is_module else os.path.dirname(os.path.abspath(program))
    try:
        if is_module:
            runpy.run_module(program, run_name="__main__", alter_sys=True)
        else:
            runpy.run_path(program, run_name="__main__")
    except SystemExit as exit:
        if exit.code is None or exit.code == 0:
            raise
        if isinstance(exit.code, int):
            end_all(MPI, f"ended with exit status {exit.code}", exit.code)
        end_all(MPI, f"ended: {exit.code}", 1)
    except BaseException as error:
        end_all(MPI, f"failed with {type(error).__name__}", 1, error)


if __name__ == "__main__":
    main()
