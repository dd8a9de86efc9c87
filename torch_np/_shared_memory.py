"""Memory that processes share: what `Tensor.share_memory_`, `ndarray._share_memory` and torch_np.multiprocessing are written on.

A block is an anonymous file in memory (memfd_create) that nobody can open by name. The kernel counts who has it open or mapped, and frees
it when the last of them lets go or dies.
"""
from __future__ import annotations

import mmap
import os
import sys
import threading
from collections.abc import Sequence
from typing import Any
from weakref import WeakValueDictionary

from torch_np import _C


class Block(mmap.mmap):
    """The memory behind a file descriptor, which it owns. Storages over it keep it."""

    descriptor: int
    address: int

    def __new__(cls, descriptor: int, size: int) -> Block:
        if sys.version_info >= (3, 13):
            made = super().__new__(cls, descriptor, size, trackfd=False)
        else:
            made = super().__new__(cls, descriptor, size)
        made.descriptor = descriptor
        return made

    def __del__(self, _close: Any = os.close) -> None:
        if (descriptor := self.__dict__.pop("descriptor", None)) is not None:
            _close(descriptor)


# Guards both tables. Reentrant: a block may go, and others with it, wherever Python frees.
_lock = threading.RLock()
os.register_at_fork(before=_lock.acquire, after_in_parent=_lock.release, after_in_child=_lock.release)
# What a process has mapped it does not map twice: by device and inode of the file.
_mapped: WeakValueDictionary[tuple[int, int], Block] = WeakValueDictionary()
_of_storage: WeakValueDictionary[int, Block] = WeakValueDictionary()


def new_block(size: int) -> Block:
    """A block of `size` bytes, zeros. Errors: MemoryError if there is not as much memory, OSError if no more files can be opened,
    NotImplementedError where the system is not Linux."""
    if not hasattr(os, "memfd_create"):
        raise NotImplementedError("shared memory needs memfd_create, which Linux has")
    descriptor = os.memfd_create("torch_np")
    try:
        os.posix_fallocate(descriptor, 0, size)  # a write into memory that there is not would kill the process
    except OSError as error:
        os.close(descriptor)
        raise MemoryError(f"there are no {size} bytes of shared memory: {error.strerror}") from error
    return block_of_descriptor(descriptor)


def block_of_descriptor(descriptor: int) -> Block:
    """The block behind `descriptor`, which is the block's or closed from now on."""
    made = None
    try:
        status = os.fstat(descriptor)
        with _lock:
            known = _mapped.get((status.st_dev, status.st_ino))
            if known is None:
                made = Block(descriptor, status.st_size)
                made.address = bytes_of_block(made).data_ptr()
                known = _mapped[status.st_dev, status.st_ino] = made
            return known
    finally:
        if made is None:
            os.close(descriptor)


def bytes_of_block(block: Block) -> _C.Tensor:
    """All bytes of a block, as a tensor of uint8 over them."""
    import torch_np

    held = torch_np.frombuffer(block, dtype=_C.uint8)
    with _lock:
        _of_storage[_C._storage_id(held)] = block
    return held


def block_of(x: _C.Tensor | _C.ndarray) -> Block | None:
    """The block that `x` is a view of; None if its memory is not shared."""
    with _lock:
        block = _of_storage.get(_C._storage_id(x))
    if block is None:
        return None
    # The storage may be another in the place of one that is gone, while others keep the block.
    return block if _C._storage_bytes(x).data_ptr() == block.address else None


def view_of_block(block: Block, dtype: Any, offset: int, size: Sequence[int], stride: Sequence[int]) -> _C.Tensor:
    """A tensor over a block, from its element `offset` on. Errors: RuntimeError if it reaches beyond the block."""
    return _C._set_storage(_C._torch.empty((0,), dtype=dtype), bytes_of_block(block), dtype, offset, tuple(size), tuple(stride))


def shared_copy(tensor: _C.Tensor) -> _C.Tensor:
    """A copy in a block of its own, whose axes lie in the same order in memory."""
    stride = _C._torch.empty_like(tensor, device="meta").stride()
    block = new_block(max(tensor.numel() * tensor.element_size(), 1))
    return view_of_block(block, tensor.dtype, 0, tensor.size(), stride).copy_(tensor)


def share_memory_(self: _C.Tensor) -> _C.Tensor:
    """Moves the elements into memory that processes share (torch_np.multiprocessing), unless they are there or on a GPU; gives the tensor.

    The tensor gets memory of its own: what was a view of it before, or it of others, keeps the old memory. Gradients stay where they are.
    Shapes: as they are.
    Errors: MemoryError if there is not as much memory, OSError if no more files can be opened.
    """
    if self.is_cpu and block_of(self) is None:
        self.data = shared_copy(self.detach())
    return self


def is_shared(self: _C.Tensor) -> bool:
    """Whether processes can share the memory: after `share_memory_`, and on a GPU."""
    return self.is_cuda or block_of(self) is not None


def _share_memory(self: _C.ndarray) -> _C.ndarray:
    """Moves the elements into memory that processes share (torch_np.multiprocessing), unless they are there or on a GPU; gives the array.

    The array gets memory of its own: what was a view of it before, or it of others, keeps the old memory.
    Errors: RuntimeError for an array that requires a gradient, MemoryError if there is not as much memory, OSError if no more files can
    be opened."""
    if self.device == "cpu" and block_of(self) is None:
        array: Any = self
        writeable, shared = array.flags.writeable, shared_copy_of_array(array)
        _C._set_storage(array, shared, shared.dtype, 0, shared.size(), shared.stride())
        if not writeable:
            array.flags.writeable = False
    return self


def _is_shared(self: _C.ndarray) -> bool:
    """Whether processes can share the memory: after `_share_memory`, and on a GPU."""
    return self.device != "cpu" or block_of(self) is not None


def shared_copy_of_array(array: _C.ndarray) -> _C.Tensor:
    """As shared_copy; a backward axis becomes a forward one."""
    plain = array._detach()
    return shared_copy((plain.copy() if any(step < 0 for step in plain.strides) else plain)._torch())


def turned(array: _C.ndarray, axes: Sequence[int]) -> _C.ndarray:
    """The array with these axes turned round."""
    return array[tuple(slice(None, None, -1) if d in axes else slice(None) for d in range(array.ndim))] if axes else array


def forwards(array: _C.ndarray) -> tuple[_C.Tensor, tuple[int, ...]]:
    """The tensor over the memory of `array` with its backward axes turned round, and these axes."""
    backward = tuple(d for d, step in enumerate(array.strides) if step < 0)
    return turned(array, backward)._torch(), backward
