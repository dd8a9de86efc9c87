"""Methods of storages: copies on other devices and in other dtypes, files, shared and pinned
memory.
"""
from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

from torch_np import _C
from torch_np._shared_memory import block_of, is_shared, shared_copy
from torch_np._torch.dtype_names import LEGACY

if TYPE_CHECKING:
    from torch_np._typing import DeviceLike

_CONVERSIONS = {
    "double": _C.float64, "float": _C.float32, "half": _C.float16, "bfloat16": _C.bfloat16, "long": _C.int64, "int": _C.int32,
    "short": _C.int16, "char": _C.int8, "byte": _C.uint8, "bool": _C.bool, "complex_double": _C.complex128, "complex_float": _C.complex64,
}


class _Both:
    """Methods of both kinds of storages. `_bytes` and `_with_dtype` are the classes'."""

    __slots__ = ()

    is_sparse = False
    is_sparse_csr = False
    is_hpu = False

    def get_device(self: Any) -> int:
        """Returns the index of the memory's GPU; -1 for the CPU."""
        device = self.device
        return -1 if device.type == "cpu" else device.index

    def _as_tensor(self: Any, dtype: _C.dtype | None) -> _C.Tensor:
        """A view of the elements; `torch_np.tensor` and the like call it."""
        own = getattr(self, "dtype", None)
        if dtype is not None and own is not None and dtype != own:
            raise RuntimeError(f"Expected a Storage of type {dtype} or an UntypedStorage, but got one of {own}")
        wanted = dtype or own or _C._get_default_dtype(False)
        return _C._torch.empty((0,), dtype=wanted, device=self.device).set_(self)

    def __sizeof__(self: Any) -> int:
        return int(object.__sizeof__(self) + self.nbytes())

    def _share_fd_cpu_(self: Any) -> tuple[int, int]:
        """Moves the bytes to shared memory. Returns a new file descriptor of it, and its size in bytes."""
        self._check_shareable("_share_fd_cpu_")
        self.share_memory_()
        block = block_of(self.untyped()._bytes)
        assert block is not None
        return os.dup(block.descriptor), self.nbytes()

    def _share_filename_cpu_(self: Any) -> Any:
        """Raises: shared memory has no name in the file system here."""
        self._check_shareable("_share_filename_cpu_")
        raise NotImplementedError("_share_filename_cpu_(): memory is shared by file descriptors; use _share_fd_cpu_()")

    def _check_shareable(self: Any, function: str) -> None:
        if self.device.type != "cpu":
            raise RuntimeError(f"{function}(): only available on CPU")

    def _write_file(self: Any, f: Any, is_real_file: bool, save_size: bool, element_size: int) -> None:
        """Writes the bytes to a file, after the number of elements if `save_size`."""
        held = self.untyped().cpu()._bytes
        if save_size:
            f.write((held.numel() // element_size).to_bytes(8, "little"))
        f.write(memoryview(_C._numpy_view(held).data))

    def resizable(self) -> bool:
        """True: `resize_` changes the size."""
        return True


def _add_conversions(cls: Any) -> None:
    for name, dtype in _CONVERSIONS.items():
        def method(self: Any, dtype: _C.dtype = dtype) -> Any:
            return self._converted(dtype)
        method.__name__, method.__qualname__ = name, f"{cls.__name__}.{name}"
        method.__doc__ = f"Returns a TypedStorage of {dtype} with the converted elements; itself if it has that dtype."
        method.__defaults__ = (dtype,)
        setattr(cls, name, method)


class Conversions(_Both):
    """Base class of UntypedStorage."""

    __slots__ = ()

    @classmethod
    def from_file(cls, filename: str | os.PathLike[str], shared: bool = False, nbytes: int = 0) -> Any:
        """Returns a storage over a memory-mapped file.

        Args:
          filename: Path of the file.
          shared: Whether changes are written to the file. If so, the file is created or extended to
            the needed length; if not, it must have that length and stays unchanged.
          nbytes: Number of bytes.

        Errors: RuntimeError if the file cannot be opened or is too short, or `nbytes` is not
        positive.
        """
        from torch_np._torch.functions import from_file

        made: Any = cls()
        made._bytes = _C._storage_bytes(from_file(os.fspath(filename), shared, nbytes, dtype=_C.uint8))
        made._file = os.fspath(filename) if shared else None
        return made

    @classmethod
    def from_buffer(cls, *args: Any, **kwargs: Any) -> Any:
        """Returns a storage with a copy of the bytes of a buffer: see `TypedStorage.from_buffer`.

        Args:
          args: The buffer.
          kwargs: `dtype`, `byte_order`, `count` and `offset`.

        Errors: ValueError for a missing or wrong byte order, and a buffer that is too short.
        """
        return _of_buffer(cls, *args, **kwargs)

    @property
    def filename(self: Any) -> str | None:
        """Path of the file whose memory this is, if it is mapped with `shared=True`."""
        return getattr(self, "_file", None)

    def untyped(self) -> Any:
        """Returns the storage itself."""
        return self

    def new(self: Any) -> Any:
        """Returns an empty storage on the same device."""
        return type(self)(device=self.device)

    def to(self: Any, *, device: DeviceLike, non_blocking: bool = False) -> Any:
        """Returns the storage on a device: itself if it is there already.

        Args:
          device: The device.
          non_blocking: Whether the copy may be asynchronous.
        """
        moved = self._bytes.to(device, non_blocking=non_blocking)
        return self if moved is self._bytes else type(self)._of(moved)

    def cuda(self: Any, device: DeviceLike | None = None, non_blocking: bool = False) -> Any:
        """Returns the storage on a GPU: itself if it is there already.

        Args:
          device: The GPU; None is the current one.
          non_blocking: Whether the copy may be asynchronous.
        """
        return self.to(device="cuda" if device is None else _C.device(device), non_blocking=non_blocking)

    def is_pinned(self: Any, device: DeviceLike = "cuda") -> bool:
        """Whether the memory is pinned.

        Args:
          device: 'cuda'.
        """
        return bool(self._bytes.is_pinned())

    def pin_memory(self: Any, device: DeviceLike = "cuda") -> Any:
        """Returns a copy in pinned memory: itself if it is pinned.

        Args:
          device: 'cuda'.

        Errors: RuntimeError without a GPU.
        """
        return self if self.is_pinned() else type(self)._of(self._bytes.pin_memory())

    def is_shared(self: Any) -> bool:
        """Whether several processes can share the memory."""
        return is_shared(self._bytes)

    def share_memory_(self: Any) -> Any:
        """Gives this storage memory that processes share, with a copy of the bytes. Tensors keep
        the old memory; `Tensor.share_memory_` moves a tensor.

        Errors: RuntimeError on the device 'meta'.
        """
        if self.device.type == "meta":
            self._check_shareable("share_memory_")
        if not self.is_shared():
            self._bytes = _C._storage_bytes(shared_copy(self._bytes))
        return self

    def byteswap(self: Any, dtype: _C.dtype) -> None:
        """Reverses the bytes of each element of a dtype; for complex dtypes, of each part.

        Args:
          dtype: The dtype.
        """
        size = dtype.itemsize // 2 if dtype in (_C.complex64, _C.complex128) else dtype.itemsize
        self._bytes.copy_(self._bytes.reshape(-1, size).flip(1).reshape(-1).clone())

    def type(self: Any, dtype: Any = None, non_blocking: bool = False) -> Any:
        """Returns the name of the class, or this storage as one of another class.

        Args:
          dtype: None, or the class.
          non_blocking: Has no effect.

        Errors: NotImplementedError for another class.
        """
        if dtype is None:
            return f"torch_np.{'cuda.' if self.is_cuda else ''}UntypedStorage"
        if dtype is type(self):
            return self
        raise NotImplementedError("UntypedStorage.type(): bytes are not converted; wrap them in a TypedStorage")

    def _converted(self: Any, dtype: _C.dtype) -> Any:
        return self._with_dtype(_C.uint8)._converted(dtype)


class TypedConversions(_Both):
    """Base class of TypedStorage."""

    __slots__ = ()
    _storage_class: Any

    @classmethod
    def from_file(cls, filename: str | os.PathLike[str], shared: bool = False, size: int = 0, dtype: _C.dtype | None = None) -> Any:
        """Returns a storage over a memory-mapped file.

        Args:
          filename: Path of the file.
          shared: Whether changes are written to the file, which is then created or extended.
          size: Number of elements.
          dtype: Dtype of the elements; None is the default dtype.

        Errors: RuntimeError if the file cannot be opened or is too short, or `size` is not
        positive.
        """
        of = _C._get_default_dtype(False) if dtype is None else dtype
        untyped = cls._storage_class.from_file(filename, shared, size * of.itemsize)
        made: Any = cls
        return made(wrap_storage=untyped, dtype=of)

    @classmethod
    def from_buffer(cls, *args: Any, dtype: _C.dtype | None = None, **kwargs: Any) -> Any:
        """Returns a storage with a copy of the elements in a buffer.

        Args:
          args: The buffer, as bytes.
          dtype: Dtype of the elements; None is the default dtype.
          kwargs: `byte_order`, 'native', 'little' or 'big'; `count`, the number of elements, -1 for
            all; `offset`, the number of bytes before them.

        Errors: ValueError for a missing or wrong byte order, and a buffer that is too short.
        """
        of = _C._get_default_dtype(False) if dtype is None else dtype
        made: Any = cls
        return made(wrap_storage=_of_buffer(cls._storage_class, *args, **kwargs | {"dtype": of}), dtype=of)

    @property
    def filename(self: Any) -> str | None:
        """Path of the file whose memory this is, if it is mapped with `shared=True`."""
        return self._untyped_storage.filename

    @property
    def is_cuda(self: Any) -> bool:
        """Whether the memory is on a GPU."""
        return self._untyped_storage.is_cuda

    def _moved(self: Any, untyped: Any) -> Any:
        return self if untyped is self._untyped_storage else type(self)(wrap_storage=untyped, dtype=self.dtype)

    def to(self: Any, *, device: DeviceLike, non_blocking: bool = False) -> Any:
        """Returns the storage on a device: itself if it is there already.

        Args:
          device: The device.
          non_blocking: Whether the copy may be asynchronous.
        """
        return self._moved(self._untyped_storage.to(device=device, non_blocking=non_blocking))

    def cuda(self: Any, device: DeviceLike | None = None, non_blocking: bool = False) -> Any:
        """Returns the storage on a GPU: itself if it is there already.

        Args:
          device: The GPU; None is the current one.
          non_blocking: Whether the copy may be asynchronous.
        """
        return self._moved(self._untyped_storage.cuda(device, non_blocking))

    def cpu(self: Any) -> Any:
        """Returns the storage in the CPU's memory: itself if it is there already."""
        return self._moved(self._untyped_storage.cpu())

    def is_pinned(self: Any, device: DeviceLike = "cuda") -> bool:
        """Whether the memory is pinned.

        Args:
          device: 'cuda'.
        """
        return self._untyped_storage.is_pinned(device)

    def pin_memory(self: Any, device: DeviceLike = "cuda") -> Any:
        """Returns a copy in pinned memory: itself if it is pinned.

        Args:
          device: 'cuda'.

        Errors: RuntimeError without a GPU.
        """
        return self._moved(self._untyped_storage.pin_memory(device))

    def is_shared(self: Any) -> bool:
        """Whether several processes can share the memory."""
        return self._untyped_storage.is_shared()

    def share_memory_(self: Any) -> Any:
        """Gives this storage memory that processes share, with a copy of the elements."""
        self._untyped_storage.share_memory_()
        return self

    def copy_(self: Any, source: Any, non_blocking: bool = False) -> Any:
        """Copies the bytes of `source`, which are not converted.

        Args:
          source: A storage with as many bytes.
          non_blocking: Whether the copy may be asynchronous.

        Errors: RuntimeError if the sizes differ.
        """
        self._untyped_storage.copy_(source, non_blocking)
        return self

    def resize_(self: Any, size: int) -> Any:
        """Changes the number of elements to `size`. The storage gets new memory, into which the old
        elements are copied.

        Args:
          size: Number of elements.
        """
        self._untyped_storage.resize_(size * self.element_size())
        return self

    def pickle_storage_type(self: Any) -> str:
        """Returns the name of the class in files, such as 'FloatStorage'.

        Errors: KeyError for a dtype without one.
        """
        return f"{LEGACY[self.dtype]}Storage"

    def type(self: Any, dtype: Any = None, non_blocking: bool = False) -> Any:
        """Returns the name of PyTorch's class, such as 'torch.FloatStorage'; or, with `dtype`, the
        converted storage.

        Args:
          dtype: None, or the name of such a class.
          non_blocking: Has no effect.

        Errors: ValueError for an unknown name.
        """
        if dtype is None:
            return f"torch.{'cuda.' if self.is_cuda else ''}{self.pickle_storage_type()}"
        known = {f"{name}Storage": d for d, name in LEGACY.items()}
        name = dtype if isinstance(dtype, str) else getattr(dtype, "__name__", "")
        if name.rpartition(".")[2] not in known:
            raise ValueError(f"invalid type: {dtype!r}")
        return self._converted(known[name.rpartition(".")[2]])

    def _converted(self: Any, dtype: _C.dtype) -> Any:
        if dtype == self.dtype:
            return self
        return self._elements().to(dtype).untyped_storage()._with_dtype(dtype)


_add_conversions(Conversions)
_add_conversions(TypedConversions)


def _of_buffer(cls: Any, buffer: Any, byte_order: str | None = None, count: int = -1, offset: int = 0, dtype: _C.dtype | None = None) -> Any:
    of = _C.uint8 if dtype is None else dtype
    if byte_order is None and of.itemsize > 1 or byte_order not in (None, "native", "little", "big"):
        raise ValueError(f"from_buffer(): byte_order must be 'native', 'little' or 'big', not {byte_order!r}")
    data = memoryview(buffer).cast("B")
    there = len(data) - offset
    if offset < 0 or there < 0 or count < 0 and there % of.itemsize:
        raise ValueError(f"from_buffer(): offset {offset} leaves {there} bytes, which is no number of elements of {of.itemsize} bytes")
    length = there if count < 0 else count * of.itemsize
    if length > there:
        raise ValueError(f"from_buffer(): buffer has only {there} bytes after offset {offset}, but {length} are requested")
    made = cls(length)
    if length:
        memoryview(_C._numpy_view(made._bytes).data)[:] = data[offset:offset + length]
    if byte_order not in (None, "native", sys.byteorder):
        made.byteswap(of)
    return made
