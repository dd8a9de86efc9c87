"""Launcher: runs a program in several processes of this machine, by mpiexec.

    python -m torch_np.distributed.run -n 2 PROGRAM arguments ...
    python -m torch_np.distributed.run -n 2 -m package.module arguments ...

It uses the mpiexec next to this Python interpreter, else the one in PATH. It allows Open MPI to run
as root if needed, and to start more processes than there are processors. Each process uses its
share of the processors as its number of threads, unless TORCH_NP_NUM_THREADS is set. The
environment of each process contains PyTorch's RANK, WORLD_SIZE, LOCAL_RANK and LOCAL_WORLD_SIZE. If
a process dies by a signal, an exception or an exit status, the launcher ends the others and returns
a nonzero exit status.

For several machines, call mpiexec directly: mpiexec <hosts> python -m torch_np.distributed.worker
PROGRAM arguments ...
"""
from __future__ import annotations

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence

from torch_np.distributed._ending import MESSAGES

__all__ = ["command", "main"]


def find_mpiexec() -> str | None:
    """The path of mpiexec: next to the interpreter, where PyPI's packages install it, else in PATH.
    """
    beside = os.path.join(os.path.dirname(sys.executable), "mpiexec")
    return beside if os.access(beside, os.X_OK) else shutil.which("mpiexec")


def command(processes: int, arguments: Sequence[str], mpiexec: str | None = None) -> list[str]:
    """The command line that runs a program in several processes.

    Args:
      processes: number of processes
      arguments: path of the program, or "-m" and a module, followed by its arguments
      mpiexec: path of mpiexec; searched for by default

    Errors: RuntimeError without an mpiexec.
    """
    mpiexec = find_mpiexec() if mpiexec is None else mpiexec
    if mpiexec is None:
        raise RuntimeError("run(): there is no mpiexec; `pip install 'torch-np[mpi]'` brings one")
    told = subprocess.run([mpiexec, "--version"], capture_output=True, text=True).stdout
    options = []
    if "Open MPI" in told or "OpenRTE" in told or "PRTE" in told.upper():
        options = ["--oversubscribe"] + (["--allow-run-as-root"] if os.geteuid() == 0 else [])
    return [mpiexec, *options, "-n", str(processes), sys.executable, "-m", "torch_np.distributed.worker", *arguments]


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line and returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m torch_np.distributed.run", description=__doc__.partition("\n")[0])
    parser.add_argument("-n", "--nproc-per-node", type=int, default=2, dest="processes", help="how many processes (default: 2)")
    parser.add_argument("--mpiexec", help="the mpiexec to take")
    parser.add_argument("-m", action="store_true", dest="module", help="the program is a module")
    parser.add_argument("program", help="a script, or with -m a module")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="its arguments")
    options = parser.parse_args(arguments)
    if options.processes < 1:
        parser.error(f"-n must be at least 1, got {options.processes}")
    program = [*(["-m"] if options.module else []), options.program, *options.arguments]
    environment = dict(os.environ)
    environment.setdefault("TORCH_NP_NUM_THREADS", str(max(1, len(os.sched_getaffinity(0)) // options.processes)))
    try:
        call = command(options.processes, program, options.mpiexec)
    except RuntimeError as error:
        print(f"torch_np.distributed.{error}", file=sys.stderr)
        return 2
    with tempfile.NamedTemporaryFile("r", prefix="torch_np_messages_") as messages:
        job = subprocess.Popen(call, env=environment | {MESSAGES: messages.name})
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda received, _: job.send_signal(received))
        status = job.wait()
        print(messages.read(), end="", file=sys.stderr)
    if status != 0:
        ended = f"was ended by signal {-status}" if status < 0 else f"failed with exit status {status}"
        print(f"torch_np.distributed.run: the job of {options.processes} processes {ended}", file=sys.stderr)
    return status if status >= 0 else 128 - status


if __name__ == "__main__":
    sys.exit(main())
