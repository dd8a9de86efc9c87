"""`torch._C._nn`: functions of torch_np.nn.functional under the name that PyTorch's extension module gives them."""
from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from torch_np import _C

_MODES = {"reflection": "reflect", "replication": "replicate"}


def _parse_to(*args: Any, **kwargs: Any) -> tuple[Any, Any, bool, Any]:
    """The device, the dtype, `non_blocking` and the memory format of a call of `to`."""
    from torch_np import device as make_device
    from torch_np.nn.modules.module import _arguments_of_to

    device, dtype, options = _arguments_of_to(*args, **kwargs)
    return None if device is None else make_device(device), dtype, bool(options.get("non_blocking")), options.get("memory_format")


def _padding(mode: str, dims: int) -> Callable[[_C.Tensor, Sequence[int]], _C.Tensor]:
    """`reflection_pad2d` and the like: pads the last `dims` axes."""
    def pad(input: _C.Tensor, padding: Sequence[int]) -> _C.Tensor:  # noqa: A002
        from torch_np.nn import functional

        if len(padding) != 2 * dims:
            raise RuntimeError(f"padding size is expected to be {2 * dims}, but got: {len(padding)}")
        return functional.pad(input, padding, mode=mode)
    return pad


def _nll_loss2d(input: _C.Tensor, target: _C.Tensor, weight: _C.Tensor | None = None, reduction: int = 1,  # noqa: A002
                ignore_index: int = -100) -> _C.Tensor:
    """`nll_loss` of images. `reduction`: 0 returns all losses, 1 their mean, 2 their sum."""
    from torch_np.nn import functional

    return functional.nll_loss(input, target, weight, ignore_index=ignore_index, reduction=("none", "mean", "sum")[reduction])


class Namespace:
    """The functions, looked up when they are used."""

    _parse_to = staticmethod(_parse_to)
    nll_loss2d = staticmethod(_nll_loss2d)

    def __getattr__(self, name: str) -> Any:
        from torch_np.nn import functional

        if pad := re.fullmatch("(reflection|replication)_pad([123])d", name):
            return _padding(_MODES[pad[1]], int(pad[2]))
        found = {"log_sigmoid": "logsigmoid"}.get(name, name)
        if name.startswith("__") or not hasattr(functional, found):
            raise AttributeError(f"torch_np._C._nn has no attribute {name!r}")
        return getattr(functional, found)


_C._nn = Namespace()  # type: ignore[attr-defined]
