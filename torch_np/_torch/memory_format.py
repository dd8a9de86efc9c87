"""Names of memory formats, such as torch_np.channels_last."""
from __future__ import annotations

__all__ = ["channels_last", "channels_last_3d", "contiguous_format", "memory_format", "preserve_format"]


class memory_format(str):  # noqa: N801  (PyTorch's name)
    """Memory layout of a tensor. It is a string, as operators accept modes as strings."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"{memory_format.__module__.partition('.')[0]}.{str.__str__(self).rpartition('.')[2]}"

    __str__ = __repr__


contiguous_format = memory_format("torch_np.contiguous_format")
preserve_format = memory_format("torch_np.preserve_format")
channels_last = memory_format("torch_np.channels_last")
channels_last_3d = memory_format("torch_np.channels_last_3d")
