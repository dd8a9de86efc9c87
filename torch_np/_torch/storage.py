"""Storages: the memory blocks behind tensors, and `Tensor.set_`."""
from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from torch_np import _C
from torch_np._C import _torch
from torch_np._torch.storage_conversions import Conversions, TypedConversions

if TYPE_CHECKING:
    from torch_np._typing import DeviceLike

__all__ = ["TypedStorage", "UntypedStorage", "is_storage"]


class UntypedStorage(Conversions):
    """A block of bytes, which several tensors may view: `tensor.untyped_storage()`, or
    `UntypedStorage(n)` for n bytes of new memory.

    Only `resize_` changes the size. It gives this storage other memory, and tensors keep the old
    memory.

    Args:
      args: Number of bytes, or a sequence of byte values; nothing makes an empty storage.
      device: Device of the memory; None is the CPU.

    Errors: TypeError if the argument is neither a number nor a sequence.
    """

    __module__ = "torch_np"
    __slots__ = ("__dict__", "__weakref__", "_bytes", "_file")

    def __init__(self, *args: Any, device: DeviceLike | None = None) -> None:
        if len(args) > 1:
            raise TypeError(f"UntypedStorage() takes a number of bytes or a sequence of them, but {len(args)} arguments were given")
        if not args or isinstance(args[0], int):
            self._bytes = _torch.empty((args[0] if args else 0,), dtype=_C.uint8, device=device or "cpu")
        else:
            self._bytes = _torch.tensor(list(args[0]), dtype=_C.uint8, device=device or "cpu")

    @classmethod
    def _of(cls, tensor):
        made = cls.__new__(cls)
        made._bytes = _C._storage_bytes(tensor)
        return made

    def _with_dtype(self, dtype):
        return TypedStorage(wrap_storage=self, dtype=dtype)

    def nbytes(self) -> int:
        """Returns the number of bytes."""
        return self._bytes.numel()

    def size(self) -> int:
        """Returns the number of bytes."""
        return self._bytes.numel()

    def element_size(self) -> int:
        """Returns the size of an element in bytes: 1."""
        return 1

    @property
    def _cdata(self) -> int:
        return _C._storage_id(self._bytes)

    def data_ptr(self) -> int:
        """Returns the address of the first byte; 0 on the device 'meta'."""
        return 0 if self._bytes.is_meta else self._bytes.data_ptr()

    @property
    def device(self) -> _C.device:
        """Device of the memory."""
        return self._bytes.device

    @property
    def is_cuda(self) -> bool:
        """Whether the memory is on a GPU."""
        return self._bytes.is_cuda

    def tolist(self) -> list[int]:
        """Returns the bytes as a list of ints. Errors: NotImplementedError on the device 'meta'."""
        self._check_readable()
        return self._bytes.tolist()

    def clone(self) -> UntypedStorage:
        """Returns a copy."""
        return UntypedStorage._of(self._bytes.clone())

    def cpu(self) -> UntypedStorage:
        """Returns the storage in the CPU's memory: itself if it is there already. Errors:
        NotImplementedError on the device 'meta'.
        """
        if self._bytes.is_meta:
            raise NotImplementedError("Cannot copy out of meta tensor; no data!")
        return self if self._bytes.is_cpu else UntypedStorage._of(self._bytes.cpu())

    def copy_(self, source: UntypedStorage | TypedStorage, non_blocking: bool = False) -> UntypedStorage:
        """Copies the bytes of `source` into this storage. Errors: RuntimeError if the sizes differ;
        NotImplementedError if `source` is on the device 'meta'.
        """
        given = _bytes_of(source)
        if given.is_meta and not self._bytes.is_meta:
            raise NotImplementedError("Cannot copy out of meta tensor; no data!")
        self._bytes.copy_(given, non_blocking)
        return self

    def fill_(self, value: int) -> UntypedStorage:
        """Sets every byte to `value`."""
        self._bytes.fill_(value)
        return self

    def resize_(self, size: int) -> UntypedStorage:
        """Changes the number of bytes to `size`. The storage gets new memory, into which the old
        bytes are copied.
        """
        self._bytes = _C._storage_bytes(self._bytes.detach().resize_(size).clone() if size < self.nbytes() else
                                        self._bytes.detach().resize_(size))
        return self

    def __len__(self) -> int:
        return self._bytes.numel()

    def _check_readable(self):
        if self._bytes.is_meta:
            raise NotImplementedError("Not available for 'meta' device type")

    def __getitem__(self, index: Any) -> Any:
        self._check_readable()
        found = self._bytes[index]
        return UntypedStorage._of(found.clone()) if isinstance(index, slice) else found.item()

    def __setitem__(self, index: Any, value: Any) -> None:
        self._bytes[index] = value

    def __iter__(self) -> Iterator[int]:
        return iter(self._bytes.tolist())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, UntypedStorage) and _C._storage_id(self._bytes) == _C._storage_id(other._bytes)

    def __hash__(self) -> int:
        return _C._storage_id(self._bytes)

    def __repr__(self) -> str:
        return f"torch_np.UntypedStorage of {self.nbytes()} bytes on {self.device}"


class TypedStorage(TypedConversions):
    """An UntypedStorage with a dtype, whose items are elements: `tensor.storage()`.

    Args:
      args: Number of elements, or a sequence of them.
      wrap_storage: Storage to wrap, in place of `args`.
      dtype: Dtype of the elements; None is the default dtype.
      device: Device of the memory; None is the CPU.

    Errors: RuntimeError for `wrap_storage` together with a size.
    """

    __module__ = "torch_np"
    __slots__ = ("__dict__", "__weakref__", "_untyped_storage", "dtype")

    def __init__(self, *args: Any, wrap_storage: UntypedStorage | None = None, dtype: _C.dtype | None = None,
                 device: DeviceLike | None = None, _internal: bool = False) -> None:
        self.dtype = _C._get_default_dtype(False) if dtype is None else dtype
        if wrap_storage is not None:
            if args:
                raise RuntimeError("TypedStorage(): wrap_storage cannot be given together with a size or values")
            self._untyped_storage = wrap_storage
        elif not args or isinstance(args[0], int):
            self._untyped_storage = _torch.empty((args[0] if args else 0,), dtype=self.dtype, device=device or "cpu").untyped_storage()
        else:
            self._untyped_storage = _torch.tensor(list(args[0]), dtype=self.dtype, device=device or "cpu").untyped_storage()

    _storage_class: Any = UntypedStorage

    def _with_dtype(self, dtype):
        return TypedStorage(wrap_storage=self._untyped_storage, dtype=dtype)

    def _elements(self):
        return _torch.empty((0,), dtype=self.dtype, device=self.device).set_(self)

    def untyped(self) -> UntypedStorage:
        """Returns the storage without the dtype."""
        return self._untyped_storage

    def size(self) -> int:
        """Returns the number of elements."""
        return self._untyped_storage.nbytes() // self.element_size()

    def nbytes(self) -> int:
        """Returns the number of bytes."""
        return self._untyped_storage.nbytes()

    def element_size(self) -> int:
        """Returns the size of an element in bytes."""

        return _torch.empty((0,), dtype=self.dtype).element_size()

    @property
    def _cdata(self) -> int:
        return self._untyped_storage._cdata

    def data_ptr(self) -> int:
        """Returns the address of the first element."""
        return self._untyped_storage.data_ptr()

    @property
    def device(self) -> _C.device:
        """Device of the memory."""
        return self._untyped_storage.device

    def tolist(self) -> list[Any]:
        """Returns the elements as a list of numbers. Errors: NotImplementedError on the device 'meta'."""
        self._untyped_storage._check_readable()
        return self._elements().tolist()

    def clone(self) -> TypedStorage:
        """Returns a copy."""
        return TypedStorage(wrap_storage=self._untyped_storage.clone(), dtype=self.dtype)

    def fill_(self, value: Any) -> TypedStorage:
        """Sets every element to `value`."""
        self._elements().fill_(value)
        return self

    def __len__(self) -> int:
        return self.size()

    def __getitem__(self, index: int) -> Any:
        self._untyped_storage._check_readable()
        return self._elements()[index].item()

    def __setitem__(self, index: Any, value: Any) -> None:
        self._elements()[index] = value

    def __iter__(self) -> Iterator[Any]:
        return iter(self.tolist())

    def __repr__(self) -> str:
        return f"torch_np.TypedStorage of {self.size()} elements of {self.dtype} on {self.device}"


def _add_private_names():
    # By these names PyTorch's own code avoids its warning that typed storages are deprecated.
    for name in ("data_ptr", "element_size", "is_shared", "nbytes", "pickle_storage_type", "resize_", "share_memory_", "size"):
        setattr(TypedStorage, f"_{name}", getattr(TypedStorage, name))
    setattr(TypedStorage, "_deepcopy", lambda self, memo: TypedStorage(wrap_storage=copy.deepcopy(self._untyped_storage, memo), dtype=self.dtype))
    setattr(TypedStorage, "_getitem", TypedStorage.__getitem__)
    setattr(TypedStorage, "_setitem", TypedStorage.__setitem__)


_add_private_names()


def _bytes_of(storage):
    if isinstance(storage, TypedStorage):
        storage = storage._untyped_storage
    if not isinstance(storage, UntypedStorage):
        raise TypeError(f"expected a storage, not {type(storage).__name__}")
    return storage._bytes


_STORAGES = (UntypedStorage, TypedStorage)


def is_storage(obj: object) -> bool:
    """Whether `obj` is a storage.

    Args:
      obj: Any object.
    """
    return isinstance(obj, _STORAGES)


def set_tensor(tensor: _C.Tensor, source: Any = None, storage_offset: int = 0, size: Sequence[int] | None = None,
               stride: Sequence[int] | None = None) -> _C.Tensor:
    """Implements `Tensor.set_`: makes `tensor` a view of the memory of `source`, a tensor or a
    storage.
    """

    if source is None:
        source = _torch.empty((0,), dtype=tensor.dtype, device=tensor.device)
    if isinstance(source, _C.Tensor):
        if source.dtype != tensor.dtype:
            raise RuntimeError(f"set_(): source has dtype {source.dtype}, the tensor {tensor.dtype}")
        held = _C._storage_bytes(source)
        if size is None:
            storage_offset, size, stride = source.storage_offset(), source.size(), source.stride()
    else:
        held = _bytes_of(source)
        if isinstance(source, TypedStorage) and source.dtype != tensor.dtype:
            raise RuntimeError(f"set_(): Expected a Storage of type {tensor.dtype} or an UntypedStorage, but source has {source.dtype}")
        if size is None:
            size = ((held.numel() - storage_offset * tensor.itemsize) // tensor.itemsize,)
    if held.device != tensor.device:
        raise RuntimeError(f"set_(): source is on {held.device}, the tensor on {tensor.device}")
    size = (size,) if isinstance(size, int) else tuple(size)
    return _C._set_storage(tensor, held, tensor.dtype, storage_offset, size, _row_major(size) if stride is None else tuple(stride))


def _row_major(size):
    strides, step = [], 1
    for n in reversed(size):
        strides.append(step)
        step *= max(n, 1)
    return tuple(reversed(strides))
