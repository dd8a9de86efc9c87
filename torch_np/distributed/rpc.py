"""torch_np.distributed.rpc: calls of functions in other processes, by PyTorch's names. They are not
implemented.
"""
from __future__ import annotations

from torch_np._absent import absent_names

__all__ = ["is_available", *absent_names(
    globals(), "calls of functions in other processes are not implemented; use torch_np.distributed.send and recv, or torch_np.multiprocessing",
    functions="get_worker_info init_rpc remote rpc_async rpc_sync shutdown",
    classes="BackendType PyRRef RRef RpcBackendOptions TensorPipeRpcBackendOptions WorkerInfo")]


def is_available() -> bool:
    """Returns False: there are no calls of functions in other processes."""
    return False
