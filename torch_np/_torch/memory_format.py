"""Memory formats, such as torch_np.channels_last."""
from __future__ import annotations

__all__ = ["channels_last", "channels_last_3d", "contiguous_format", "legacy_contiguous_format", "memory_format",
           "preserve_format"]


class memory_format:  # noqa: N801  (PyTorch's name)
    """Memory layout of a tensor. The C++ argument parser reads its `_name` as a string
    (csrc/args/readers.cpp)."""

    __module__ = "torch_np"
    __slots__ = ("_name",)
    _name: str

    def __repr__(self) -> str:
        return f"{memory_format.__module__.partition('.')[0]}.{self.__reduce__()}"

    def __reduce__(self) -> str:
        return self._name.rpartition(".")[2]


def _make(name: str) -> memory_format:
    made = object.__new__(memory_format)
    made._name = f"torch_np.{name}"
    return made


contiguous_format = legacy_contiguous_format = _make("contiguous_format")
preserve_format = _make("preserve_format")
channels_last = _make("channels_last")
channels_last_3d = _make("channels_last_3d")
