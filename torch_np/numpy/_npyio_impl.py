"""Files and text: NumPy's readers and writers. The arrays read are views of the memory that NumPy
filled.
"""
from __future__ import annotations

from collections.abc import Callable, Iterator, KeysView
from typing import TYPE_CHECKING, Any, Self

import numpy as _numpy

from torch_np.numpy._interop.files import _ours, _reader, _writer

if TYPE_CHECKING:
    from torch_np._C import ndarray

__all__ = ["NpzFile", "genfromtxt", "load", "loadtxt", "save", "savetxt", "savez", "savez_compressed"]


class NpzFile:
    """The arrays of an `.npz` file by name, read on access. It is a context manager; `close()`
    closes the file.

    Args:
      npz: NumPy's object.

    Errors: KeyError for an unknown name.
    """

    files: list[str]
    close: Callable[[], None]

    def __init__(self, npz: Any) -> None:
        self._npz, self.files = npz, npz.files

    def __getitem__(self, key: str) -> ndarray:
        return _ours(self._npz[key])

    if not TYPE_CHECKING:  # type checkers would accept every name
        def __getattr__(self, name: str) -> Any:
            return getattr(self._npz, name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._npz)

    def __len__(self) -> int:
        return len(self._npz)

    def __contains__(self, key: object) -> bool:
        return key in self._npz

    def keys(self) -> KeysView[str]:
        """Returns the names of the arrays."""
        return self._npz.keys()

    def values(self) -> list[ndarray]:
        """Reads all arrays, one by one."""
        return [self[k] for k in self._npz]

    def items(self) -> list[tuple[str, ndarray]]:
        """Returns pairs of name and array, read one by one."""
        return [(k, self[k]) for k in self._npz]

    def get(self, key: str, default: Any = None) -> Any:
        """Returns the array with the given name.

        Args:
          key: The name.
          default: Result for an unknown name.
        """
        return self[key] if key in self._npz else default

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self._npz.close()

    def __repr__(self) -> str:
        return repr(self._npz)


load = _reader(_numpy.load, NpzFile)
loadtxt: Callable[..., ndarray] = _reader(_numpy.loadtxt)
genfromtxt: Callable[..., ndarray] = _reader(_numpy.genfromtxt)


save = _writer(_numpy.save)
savez = _writer(_numpy.savez)
savez_compressed = _writer(_numpy.savez_compressed)
savetxt = _writer(_numpy.savetxt)
