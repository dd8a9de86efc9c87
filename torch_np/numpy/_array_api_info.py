"""The inspection interface of the Python array API standard."""
from __future__ import annotations

from typing import Any

import numpy as _numpy

from torch_np import _C, cuda
from torch_np.numpy._dtypes import result_type


class __array_namespace_info__:
    """Capabilities, devices and dtypes, as the Python array API standard defines them."""

    __module__ = "torch_np.numpy"

    def capabilities(self) -> dict[str, Any]:
        """Returns the capabilities: boolean indexing, data-dependent shapes, up to 64 dimensions.
        """
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}

    def default_device(self) -> str:
        """Returns the device of new arrays."""
        return str(_C._get_default_device())

    def default_dtypes(self, *, device: Any = None) -> Any:
        """Returns the dtypes of new arrays by kind, which are the same on all devices.

        Args:
          device: A device, or None.

        Errors: ValueError for an unknown device.
        """
        self._check(device)
        real = _C._get_default_dtype(True)
        return {"real floating": real, "complex floating": result_type(real, 1j), "integral": _C._get_default_dtype(True, True),
                "indexing": _numpy.dtype(_numpy.intp)}

    def dtypes(self, *, device: Any = None, kind: Any = None) -> dict[str, _numpy.dtype[Any]]:
        """Returns the dtypes of a kind, by name.

        Args:
          device: A device, or None.
          kind: Kind of dtypes, such as 'integral'; None is all.

        Errors: ValueError for an unknown kind or device.
        """
        self._check(device)
        return _numpy.__array_namespace_info__().dtypes(kind=kind)

    def devices(self) -> tuple[str, ...]:
        """Returns the devices of arrays; arrays on 'meta' have no data."""
        return ("cpu", *(f"cuda:{i}" for i in range(cuda.device_count())), "meta")

    def _check(self, device):
        if device is not None and str(device) not in self.devices() and not (device == "cuda" and "cuda:0" in self.devices()):
            raise ValueError(f"Device not understood. Only {self.devices()} are, got {str(device)!r}")
