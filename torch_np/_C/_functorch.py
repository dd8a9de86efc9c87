"""Questions about the tensors of transforms.

`torch_np.vmap` calls a function with each sample, and the derivatives of torch_np.func call it with
ordinary tensors that require gradients. So no tensor is a wrapper of another one.
"""
from __future__ import annotations

from typing import Any, NoReturn

from torch_np._C import Tensor


def is_batchedtensor(tensor: Tensor) -> bool:
    """Returns False: no tensor stands for a batch."""
    return False


def is_gradtrackingtensor(tensor: Tensor) -> bool:
    """Returns False: no tensor wraps another one for its gradient."""
    return False


def is_functorch_wrapped_tensor(tensor: Tensor) -> bool:
    """Returns False: no tensor is a wrapper."""
    return False


def maybe_get_bdim(tensor: Tensor) -> int:
    """Returns -1: a tensor has no hidden dimension of a batch."""
    return -1


def maybe_get_level(tensor: Tensor) -> int:
    """Returns -1: a tensor belongs to no transform."""
    return -1


def get_unwrapped(tensor: Tensor) -> Tensor:
    """Returns the tensor, which is not a wrapper."""
    return tensor


def maybe_current_level() -> None:
    """Returns None: there is no stack of transforms."""


def peek_interpreter_stack() -> None:
    """Returns None: there is no stack of transforms."""


def _add_batch_dim(*args: Any) -> NoReturn:
    raise NotImplementedError("_add_batch_dim(): torch_np.vmap calls a function with each sample; there are no batched tensors")


def _remove_batch_dim(*args: Any) -> NoReturn:
    raise NotImplementedError("_remove_batch_dim(): torch_np.vmap calls a function with each sample; there are no batched tensors")
