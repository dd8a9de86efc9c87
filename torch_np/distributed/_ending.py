"""Ends a whole job when one of its processes fails, with a message, so that the other processes do
not wait forever.
"""
from __future__ import annotations

import os
import sys
import time
import traceback
from typing import Any

# Variable with the path of a message file, which the launcher prints after the job has ended.
# Output printed just before MPI_Abort may get lost.
MESSAGES = "TORCH_NP_DISTRIBUTED_MESSAGES"
# Without such a file, seconds to wait until mpiexec has forwarded the printed message.
_FOR_OTHERS_TO_FORWARD = 0.3


def end_all(MPI: Any, how: str, status: int, error: BaseException | None = None) -> None:
    """Reports how this process ended, with the traceback of `error`, and ends all processes of the
    job with exit status `status`.
    """
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
