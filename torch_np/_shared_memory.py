"""Memory that several processes share, for `Tensor.share_memory_`, `ndarray._share_memory` and
torch_np.multiprocessing.

A block is an anonymous file in memory (memfd_create), which has no name in the file system. The
kernel counts the processes that have it open or mapped, and frees it when the last of them closes
it or dies.
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
    """A memory mapping of a file descriptor, which it owns. Storages over the block keep it alive.
    """

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


# Guards both tables. Reentrant, because a block's destructor may run wherever Python frees objects.
_lock = threading.RLock()
os.register_at_fork(before=_lock.acquire, after_in_parent=_lock.release, after_in_child=_lock.release)
# The blocks mapped in this process, by device and inode of the file, so that none is mapped twice.
_mapped: WeakValueDictionary[tuple[int, int], Block] = WeakValueDictionary()
_of_storage: WeakValueDictionary[int, Block] = WeakValueDictionary()


def new_block(size: int) -> Block:
    """Allocates a block of `size` zero bytes. Errors: MemoryError if there is not enough memory,
    OSError if no more files can be opened, NotImplementedError if the system is not Linux.
    """
    if not hasattr(os, "memfd_create"):
        raise NotImplementedError("shared memory needs Linux's memfd_create")
    descriptor = os.memfd_create("torch_np")
    try:
        os.posix_fallocate(descriptor, 0, size)  # without reserved memory a later write would kill the process
    except BaseException as error:
        os.close(descriptor)
        if not isinstance(error, OSError):
            raise
        raise MemoryError(f"there are no {size} bytes of shared memory: {error.strerror}") from error
    return block_of_descriptor(descriptor)


def block_of_descriptor(descriptor: int) -> Block:
    """Returns the block of a file descriptor. The block takes ownership of `descriptor`, or the
    descriptor is closed if the block is mapped already.
    """
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
    """Returns a uint8 tensor over all bytes of a block."""
    import torch_np

    held = torch_np.frombuffer(block, dtype=_C.uint8)
    with _lock:
        _of_storage[_C._storage_id(held)] = block
    return held


def block_of(x: _C.Tensor | _C.ndarray) -> Block | None:
    """Returns the block whose memory `x` views; None if its memory is not shared."""
    with _lock:
        block = _of_storage.get(_C._storage_id(x))
    if block is None:
        return None
    # The storage's identity may have been reused after the old one was freed, while other objects
    # keep the block alive.
    return block if _C._storage_bytes(x).data_ptr() == block.address else None


def view_of_block(block: Block, dtype: Any, offset: int, size: Sequence[int], stride: Sequence[int]) -> _C.Tensor:
    """Returns a tensor over a block that starts at element `offset`. Errors: RuntimeError if it
    exceeds the block.
    """
    return _C._set_storage(_C._torch.empty((0,), dtype=dtype, device="cpu"), bytes_of_block(block), dtype, offset, tuple(size), tuple(stride))


def shared_copy(tensor: _C.Tensor) -> _C.Tensor:
    """Copies a tensor into a new block, with the same order of axes in memory."""
    stride = _C._torch.empty_like(tensor, device="meta").stride()
    block = new_block(max(tensor.numel() * tensor.element_size(), 1))
    return view_of_block(block, tensor.dtype, 0, tensor.size(), stride).copy_(tensor)


def share_memory_(self: _C.Tensor) -> _C.Tensor:
    """Moves the elements into memory that processes share (torch_np.multiprocessing), and returns
    the tensor. Tensors in shared memory or on a GPU are left unchanged.

    The tensor gets new memory. Its earlier views, and the tensors that it was a view of, keep the
    old memory. Gradients are not moved.

    Shapes: unchanged.
    Errors: MemoryError if there is not enough memory, OSError if no more files can be opened.
    """
    if self.is_cpu and block_of(self) is None:
        self.data = shared_copy(self.detach())
    return self


def is_shared(self: _C.Tensor) -> bool:
    """Whether several processes can share the memory: True after `share_memory_`, and for a tensor
    on a GPU."""
    return self.is_cuda or block_of(self) is not None


def _share_memory(self: _C.ndarray) -> _C.ndarray:
    """Moves the elements into memory that processes share (torch_np.multiprocessing), and returns
    the array. Arrays in shared memory or on a GPU are left unchanged.

    The array gets new memory. Its earlier views, and the arrays that it was a view of, keep the old
    memory.

    Errors: RuntimeError for an array that requires a gradient, MemoryError if there is not enough
    memory, OSError if no more files can be opened.
    """
    if self.device == "cpu" and block_of(self) is None:
        array: Any = self
        writeable, shared = array.flags.writeable, shared_copy_of_array(array)
        _C._set_storage(array, shared, shared.dtype, 0, shared.size(), shared.stride())
        if not writeable:
            array.flags.writeable = False
    return self


def _is_shared(self: _C.ndarray) -> bool:
    """Whether several processes can share the memory: True after `_share_memory`, and for an array
    on a GPU."""
    return self.device != "cpu" or block_of(self) is not None


def shared_copy_of_array(array: _C.ndarray) -> _C.Tensor:
    """Copies an array into a new block as shared_copy() does. Axes with negative strides become
    ones with positive strides.
    """
    plain = array._detach()
    return shared_copy((plain.copy() if any(step < 0 for step in plain.strides) else plain)._torch())


def turned(array: _C.ndarray, axes: Sequence[int]) -> _C.ndarray:
    """Returns a view of the array with these axes reversed."""
    return array[tuple(slice(None, None, -1) if d in axes else slice(None) for d in range(array.ndim))] if axes else array


def forwards(array: _C.ndarray) -> tuple[_C.Tensor, tuple[int, ...]]:
    """Reverses the axes with negative strides. Returns the result as a tensor, and the reversed
    axes.
    """
    backward = tuple(d for d, step in enumerate(array.strides) if step < 0)
    return turned(array, backward)._torch(), backward
