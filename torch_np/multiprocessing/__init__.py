"""Python's multiprocessing, with tensors and arrays sent as handles of shared memory, as
torch.multiprocessing does.

The module has all names of Python's module. Importing it registers how tensors are sent, for uses
of Python's own module too:

- A Tensor is moved into shared memory when it is sent (`share_memory_`), so that all processes see
  later writes.
- An ndarray in shared memory (`_share_memory`) is shared too. Other ndarrays are sent by value, as
  NumPy's; large ones by one copy into shared memory.
- The flag for a required gradient is sent; gradients are not. A tensor with a history must be
  detached, or RuntimeError is raised.
- Tensors on a GPU arrive on the CPU. Subclasses are sent by value.

The sender must live until the receiver has received the message. Each shared tensor uses one file
descriptor (two before Python 3.13) as long as a process has its memory.
"""
from __future__ import annotations

import multiprocessing
from multiprocessing import *  # noqa: F403

from torch_np.multiprocessing.reductions import init_reductions as init_reductions
from torch_np.multiprocessing.spawn import (
    ProcessContext as ProcessContext, ProcessExitedException as ProcessExitedException, ProcessRaisedException as ProcessRaisedException,
    SpawnContext as SpawnContext, spawn as spawn, start_processes as start_processes,
)

__all__ = [  # noqa: PLE0604
    *multiprocessing.__all__, "ProcessContext", "ProcessExitedException", "ProcessRaisedException", "SpawnContext", "get_all_sharing_strategies",
    "get_sharing_strategy", "set_sharing_strategy", "spawn", "start_processes"]

init_reductions()


def get_all_sharing_strategies() -> set[str]:
    """Returns the ways to share memory: only 'file_descriptor'."""
    return {"file_descriptor"}


def get_sharing_strategy() -> str:
    """Returns the way in which memory is shared: 'file_descriptor'."""
    return "file_descriptor"


def set_sharing_strategy(new_strategy: str) -> None:
    """Accepts 'file_descriptor', the only way to share memory.

    Args:
      new_strategy: 'file_descriptor'.

    Errors: NotImplementedError if `new_strategy` is anything else.
    """
    if new_strategy != "file_descriptor":
        raise NotImplementedError(f"set_sharing_strategy(): new_strategy must be 'file_descriptor', not {new_strategy!r}")
