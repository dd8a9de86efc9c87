"""How a process ends the job that it is part of, so that the others do not wait for it for ever, and why is heard."""
from __future__ import annotations

import os
import sys
import time
import traceback
from typing import Any

# A file of the launcher's, which shows it when the job has ended: what is printed before MPI_Abort may not get through.
MESSAGES = "TORCH_NP_DISTRIBUTED_MESSAGES"
_FOR_OTHERS_TO_FORWARD = 0.3  # seconds that mpiexec has, where there is no such file


def end_all(MPI: Any, how: str, status: int, error: BaseException | None = None) -> None:
    """Says what has happened to this process, with the traceback of `error`, and ends all of the job's with this exit status."""
    world = MPI.COMM_WORLD
    sys.stdout.flush()
    text = "".join(traceback.format_exception(error)) if error is not None else ""
    text += f"torch_np.distributed: rank {world.Get_rank()} of {world.Get_size()} {how}; all processes end\n"
    path = os.environ.get(MESSAGES)
    if path and os.path.exists(path):
        with open(path, "a") as file:
            file.write(text)
    else:
        print(text, end="", file=sys.stderr, flush=True)
        time.sleep(_FOR_OTHERS_TO_FORWARD)
    world.Abort(status)
