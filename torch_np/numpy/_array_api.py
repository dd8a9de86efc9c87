"""What the array API standard asks a namespace to say of itself."""
from __future__ import annotations

from typing import Any

import numpy as _numpy

import torch_np as _torch_np


class __array_namespace_info__:
    """Capabilities, devices and dtypes, in the terms of the Python array API standard."""

    __module__ = "torch_np.numpy"

    def capabilities(self) -> dict[str, Any]:
        """What the namespace can do: boolean indexing, data-dependent shapes, up to 64 dimensions."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}

    def default_device(self) -> str:
        """The device of new arrays."""
        return str(_torch_np.get_default_device())

    def default_dtypes(self, *, device: Any = None) -> Any:
        """The dtypes of new arrays by kind. Errors: ValueError for another device than 'cpu'."""
        return _numpy.__array_namespace_info__().default_dtypes(device=device)

    def dtypes(self, *, device: Any = None, kind: Any = None) -> dict[str, _numpy.dtype[Any]]:
        """The dtypes of a kind, by name. Errors: ValueError for an unknown kind or device."""
        return _numpy.__array_namespace_info__().dtypes(device=device, kind=kind)

    def devices(self) -> list[str]:
        """The devices that arrays can be on."""
        return ["cpu", *(f"cuda:{i}" for i in range(_torch_np.cuda.device_count()))]
