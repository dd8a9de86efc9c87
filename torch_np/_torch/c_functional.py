"""`torch._C._nn`: functions of torch_np.nn.functional under the name that PyTorch's extension module gives them."""
from __future__ import annotations

from typing import Any

from torch_np import _C


def _parse_to(*args: Any, **kwargs: Any) -> tuple[Any, Any, bool, Any]:
    """The device, the dtype, `non_blocking` and the memory format of a call of `to`."""
    from torch_np import device as make_device
    from torch_np.nn.modules.module import _arguments_of_to

    device, dtype, options = _arguments_of_to(*args, **kwargs)
    return None if device is None else make_device(device), dtype, bool(options.get("non_blocking")), options.get("memory_format")


class Namespace:
    """The functions, looked up when they are used."""

    _parse_to = staticmethod(_parse_to)

    def __getattr__(self, name: str) -> Any:
        from torch_np.nn import functional

        found = {"log_sigmoid": "logsigmoid"}.get(name, name)
        if name.startswith("__") or not hasattr(functional, found):
            raise AttributeError(f"torch_np._C._nn has no attribute {name!r}")
        return getattr(functional, found)


_C._nn = Namespace()  # type: ignore[attr-defined]
