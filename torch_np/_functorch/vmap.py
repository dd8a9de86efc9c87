"""Private names beside `vmap` that packages import."""
from __future__ import annotations

from typing import Any, NoReturn

from torch_np._C import Tensor as Tensor
from torch_np._C._functorch import _add_batch_dim as _add_batch_dim, _remove_batch_dim as _remove_batch_dim
from torch_np.func import vmap as vmap
from torch_np.func._vmap import _name as _get_name  # noqa: F401
from torch_np.utils._pytree import (
    _broadcast_to_and_flatten as _broadcast_to_and_flatten, tree_flatten as tree_flatten, tree_unflatten as tree_unflatten,
)


def _maybe_remove_batch_dim(name: str, batched_output: Any, vmap_level: int, batch_size: int, out_dim: int | None) -> NoReturn:
    _remove_batch_dim(batched_output, vmap_level, batch_size, out_dim)
