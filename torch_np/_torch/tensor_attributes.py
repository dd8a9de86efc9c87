"""Attributes of Tensor that are written in Python: kinds of tensors, base of a view, aliases."""
from __future__ import annotations

import warnings
from typing import Any

from torch_np import _C


def _base(self: _C.Tensor) -> _C.Tensor | None:
    """The tensor that this one is a view of; None if it is no view."""
    owner: Any = self._np_compat().base
    return owner._torch() if isinstance(owner, _C.ndarray) else None


def _is_view(self: _C.Tensor) -> bool:
    """Whether the tensor is a view of another one. Inference tensors are none: autograd does not track them."""
    return _base(self) is not None and not _C._is_inference(self)


def _get_grad(self: _C.Tensor) -> Any:
    """The gradient: another name of `grad`."""
    return self.grad


def _set_grad(self: _C.Tensor, value: Any) -> None:
    self.grad = value


def _grad_fn(self: _C.Tensor) -> Any:
    """The node of the tape: another name of `grad_fn`."""
    return self.grad_fn


def _cdata(self: _C.Tensor) -> int:
    """A number that no other tensor has while this one lives."""
    self.data_ptr()  # a compiled function that reads an address runs as it is
    return id(self)


def _volatile(self: _C.Tensor) -> bool:
    """False, with a warning: PyTorch removed the attribute."""
    warnings.warn("volatile was removed (Variable.volatile is always False)", stacklevel=2)
    return False


def _none(self: _C.Tensor) -> None:
    """None: tensors have no names."""
    return


def _no(self: _C.Tensor) -> bool:
    """False: tensors of this kind do not exist here."""
    return False


for _name, _getter in {"_base": _base, "_grad_fn": _grad_fn, "_cdata": _cdata, "volatile": _volatile, "name": _none}.items():
    setattr(_C.Tensor, _name, property(_getter))
setattr(_C.Tensor, "_grad", property(_get_grad, _set_grad))
setattr(_C.Tensor, "_is_view", _is_view)
for _name in ("is_xpu", "is_mps", "is_quantized", "is_nested", "is_mkldnn", "is_xla", "is_ipu", "is_maia", "is_mtia",
              "is_vulkan"):
    setattr(_C.Tensor, _name, property(_no))
