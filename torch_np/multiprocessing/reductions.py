"""How tensors and arrays are sent to other processes: as handles of shared memory."""
from __future__ import annotations

from multiprocessing import reduction
from multiprocessing.reduction import ForkingPickler as ForkingPickler
from typing import Any

from torch_np import _C
from torch_np import _shared_memory as _memory
from torch_np.nn import Parameter as _Parameter

# Smaller arrays, in bytes, are sent through the pipe.
_LARGE = 64 * 1024


def _check_has_no_history(requires_grad, is_leaf, detach):
    if requires_grad and not is_leaf:
        raise RuntimeError("cannot send a non-leaf tensor that requires a gradient to another process: graphs do not cross processes; send the result of {detach}")


def _reduce_tensor(tensor: _C.Tensor) -> Any:
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


reduce_tensor, rebuild_tensor = _reduce_tensor, _rebuild_tensor  # PyTorch's names


def init_reductions() -> None:
    """Registers how Python's multiprocessing sends tensors and arrays. Importing the package does it."""
    ForkingPickler.register(_memory.Block, _reduce_block)
    ForkingPickler.register(_C.Tensor, _reduce_tensor)
    ForkingPickler.register(_Parameter, _reduce_parameter)
    ForkingPickler.register(_C.ndarray, _reduce_array)
