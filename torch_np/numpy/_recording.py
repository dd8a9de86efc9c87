"""Compositions that compute in another way while gradients are recorded ask here."""
from torch_np import _C


def recording(*values):
    """Whether one of `values` is an array whose gradient is being recorded."""
    return _C._is_grad_enabled() and any(_requires_grad(v) for v in values)


def _requires_grad(value):
    if isinstance(value, _C.ndarray):
        return value._requires_grad
    return isinstance(value, _C.Tensor) and value.requires_grad

