"""What the array API standard asks a namespace to say of itself."""
from __future__ import annotations

from typing import Any

import numpy as _numpy

from torch_np import _C, cuda
from torch_np.numpy._dtypes import result_type


class __array_namespace_info__:
    """Capabilities, devices and dtypes, in the terms of the Python array API standard."""

    __module__ = "torch_np.numpy"

    def capabilities(self) -> dict[str, Any]:
        """What the namespace can do: boolean indexing, data-dependent shapes, up to 64 dimensions."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}

    def default_device(self) -> str:
        """The device of new arrays."""
        return str(_C._get_default_device())

    def default_dtypes(self, *, device: Any = None) -> Any:
        """The dtypes of new arrays by kind, on every device the same. Errors: ValueError for a device that there is not."""
        self._check(device)
        real = _C._get_default_dtype(True)
        return {"real floating": real, "complex floating": result_type(real, 1j), "integral": _C._get_default_dtype(True, True),
                "indexing": _numpy.dtype(_numpy.intp)}

    def dtypes(self, *, device: Any = None, kind: Any = None) -> dict[str, _numpy.dtype[Any]]:
        """The dtypes of a kind, by name. Errors: ValueError for an unknown kind or device."""
        self._check(device)
        return _numpy.__array_namespace_info__().dtypes(kind=kind)

    def devices(self) -> tuple[str, ...]:
        """The devices that arrays can be on; on 'meta', without data."""
        return ("cpu", *(f"cuda:{i}" for i in range(cuda.device_count())), "meta")

    def _check(self, device):
        if device is not None and str(device) not in self.devices() and not (device == "cuda" and "cuda:0" in self.devices()):
            raise ValueError(f"Device not understood. Only {self.devices()} are, got {str(device)!r}")
