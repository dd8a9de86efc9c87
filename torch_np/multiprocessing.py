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
from multiprocessing import reduction
from typing import Any

from torch_np import _C
from torch_np import _shared_memory as _memory
from torch_np.nn import Parameter as _Parameter

__all__ = [*multiprocessing.__all__, "get_all_sharing_strategies", "get_sharing_strategy", "set_sharing_strategy"]  # noqa: PLE0604

# Smaller arrays, in bytes, are sent through the pipe.
_LARGE = 64 * 1024


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


def _check_has_no_history(requires_grad, is_leaf, detach):
    if requires_grad and not is_leaf:
        raise RuntimeError("cannot send a non-leaf tensor that requires a gradient to another process: graphs do not cross processes; send the result of {detach}")


def _reduce_tensor(tensor):
    _check_has_no_history(tensor.requires_grad, tensor.is_leaf, "detach()")
    if not tensor.is_cpu or tensor.numel() == 0:
        return tensor.__reduce_ex__(4)
    tensor.share_memory_()
    return _rebuild_tensor, (_described(tensor), tensor.requires_grad, tensor.__dict__ or None)


def _reduce_parameter(parameter):
    if parameter.is_cpu and parameter.numel() > 0:
        parameter.share_memory_()  # moves the memory; the sent tensor, parameter.data, has the same memory
    return parameter.__reduce_ex__(4)


def _reduce_array(array):
    _check_has_no_history(array._requires_grad, array._is_leaf, "_detach()")
    on_host = array.device == "cpu"
    block = _memory.block_of(array) if on_host and array.size > 0 else None
    if block is not None and _has_whole_steps(array, block):
        tensor, backward = _memory.forwards(array._detach())
    elif on_host and array.nbytes >= _LARGE:
        block, tensor, backward = None, _memory.shared_copy_of_array(array), ()
    else:
        return array.__reduce_ex__(4)
    return _rebuild_array, (_described(tensor), backward, array._requires_grad, block is None or array.flags.writeable)


def _has_whole_steps(array, block):  # whether offset and strides are whole numbers of elements, as a tensor requires
    begins = array.ctypes.data - block.address
    return begins % array.itemsize == 0 and all(step % array.itemsize == 0 for step in array.strides)


def _described(tensor):
    block = _memory.block_of(tensor)
    return block, tensor.dtype, tensor.storage_offset(), tuple(tensor.size()), tensor.stride()


# Pickled once however many views are sent together, as a new process cannot receive a descriptor
# twice.
def _reduce_block(block):
    return _rebuild_block, (reduction.DupFd(block.descriptor),)


def _rebuild_block(handle: Any) -> _memory.Block:
    return _memory.block_of_descriptor(handle.detach())


def _rebuild_tensor(description: Any, requires_grad: bool, attributes: dict[str, Any] | None) -> _C.Tensor:
    made = _memory.view_of_block(*description).requires_grad_(requires_grad)
    if attributes:
        made.__dict__.update(attributes)
    return made


def _rebuild_array(description: Any, backward: tuple[int, ...], requires_grad: bool, writeable: bool) -> _C.ndarray:
    made = _memory.turned(_memory.view_of_block(*description)._np_compat(), backward)
    if requires_grad:
        made._requires_grad = True
    if not writeable:
        made.flags.writeable = False
    return made


reduction.ForkingPickler.register(_memory.Block, _reduce_block)
reduction.ForkingPickler.register(_C.Tensor, _reduce_tensor)
reduction.ForkingPickler.register(_Parameter, _reduce_parameter)
reduction.ForkingPickler.register(_C.ndarray, _reduce_array)
