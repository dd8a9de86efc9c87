"""Questions about the tensors of transforms. Only those of vmap are wrapped ones: torch_np.func calls a
function with ordinary tensors that require gradients for its derivatives.
"""
from __future__ import annotations

import enum
from typing import Any, NoReturn

from torch_np import _C
from torch_np._C import Tensor


class TransformType(enum.Enum):
    """Kinds of transforms, by PyTorch's names."""

    Torch, Vmap, Grad, Jvp, Functionalize = range(5)


def _batch(tensor: Tensor) -> Any:
    from torch_np._transforms.batching import innermost

    return innermost([tensor])


def is_batchedtensor(tensor: Tensor) -> bool:
    """Returns whether the tensor stands for a batch, within vmap."""
    return _batch(tensor) is not None


def is_gradtrackingtensor(tensor: Tensor) -> bool:
    """Returns False: no tensor wraps another one for its gradient."""
    return False


def is_functorch_wrapped_tensor(tensor: Tensor) -> bool:
    """Returns whether the tensor belongs to a transform."""
    return _C._is_wrapped(tensor)


def maybe_get_bdim(tensor: Tensor) -> int:
    """Returns the hidden dimension of the batch, 0, or -1 without one."""
    return 0 if is_batchedtensor(tensor) else -1


def maybe_get_level(tensor: Tensor) -> int:
    """Returns the number of the tensor's transform, or -1."""
    parts = _C._wrapped_parts(tensor)
    return -1 if parts is None else parts[0]


def get_unwrapped(tensor: Tensor) -> Tensor:
    """Returns the batch that the tensor stands for, or the tensor itself."""
    batch = _batch(tensor)
    return tensor if batch is None else batch.full(tensor)


def maybe_current_level() -> int | None:
    """Returns the number of the innermost vmap that runs, or None."""
    from torch_np._transforms.batching import running

    batches = running()
    return batches[-1].level if batches else None


def peek_interpreter_stack() -> None:
    """Returns None: there are no interpreters."""


def reshape_dim_into(source: int, target: int, tensor: Tensor) -> Tensor:
    """Returns the tensor with a dimension merged into another one of the rest, in front of its elements."""
    moved = tensor.movedim(source, target % (tensor.dim() - 1))
    return moved.flatten(target % (tensor.dim() - 1), target % (tensor.dim() - 1) + 1)


def reshape_dim_outof(source: int, size: int, tensor: Tensor) -> Tensor:
    """Returns the tensor with a dimension split into one of `size` and the rest.

    Errors: RuntimeError if its size is not divisible.
    """
    axis = source % tensor.dim()
    if tensor.shape[axis] % size:
        raise RuntimeError(f"reshape_dim_outof(): the size {tensor.shape[axis]} is not divisible by {size}")
    return tensor.unflatten(axis, (size, tensor.shape[axis] // size))


def _add_batch_dim(*args: Any) -> NoReturn:
    raise NotImplementedError("_add_batch_dim(): torch_np.vmap makes and ends the levels of batches")


def _remove_batch_dim(*args: Any) -> NoReturn:
    raise NotImplementedError("_remove_batch_dim(): torch_np.vmap makes and ends the levels of batches")
