"""Pickles of arrays in protocol 5: they hold a NumPy array over the same memory, and NumPy pickles that.

So buffers go out of band without a copy in either direction, and whoever treats NumPy's arrays in a way of its own finds them: joblib writes
large ones to files, which workers map. Earlier protocols, classes derived from ours and arrays on a device: csrc/array/pickling.cpp.
"""
from __future__ import annotations

import inspect
from typing import Any

import numpy as _numpy

from torch_np import _C

_own = {face: face.__reduce_ex__ for face in (_C.ndarray, _C.Tensor)}
_BITS = _numpy.dtype(_numpy.uint16)  # of bfloat16, of which NumPy knows no buffer


def _reduce_ex(self: Any, protocol: Any, /) -> Any:
    """For pickling. Errors: NotImplementedError for an array without data (device 'meta')."""
    face = type(self)
    if face not in _own or protocol < 5 or str(self.device) != "cpu":
        return _without_empty_attributes(_own[_C.Tensor if isinstance(self, _C.Tensor) else _C.ndarray](self, protocol))
    numpys = _C._numpy_view(self.detach() if face is _C.Tensor else self._detach())
    is_bfloat16 = numpys.dtype.kind == "V"
    if face is _C.Tensor:
        leaf, attributes = self.requires_grad and self.is_leaf, self.__dict__ or None
    else:
        leaf, attributes = self._requires_grad and self._is_leaf, None
    return _rebuilt, (face, numpys.view(_BITS) if is_bfloat16 else numpys, is_bfloat16, leaf, attributes)


def _without_empty_attributes(reduced):
    """Whether somebody has looked at the __dict__ of a tensor, which makes one, is no part of its value: joblib.hash compares pickles."""
    if len(reduced) != 3 or type(reduced[2]) is not tuple or len(reduced[2]) != 7 or reduced[2][5] != {}:
        return reduced
    state = reduced[2]
    return *reduced[:2], (*state[:5], None, *state[6:])


def _rebuilt(face: type, numpys: Any, is_bfloat16: bool, leaf: bool, attributes: dict[str, Any] | None) -> Any:
    """An array over the memory of `numpys`, read-only if that is."""
    import torch_np.numpy

    made: Any = torch_np.numpy.asarray(numpys)
    if is_bfloat16:
        made = made.view(torch_np.numpy.bfloat16)
    if face is _C.ndarray:
        return made._requires_grad_() if leaf else made
    made = made._torch()
    if attributes:
        made.__dict__.update(attributes)
    return made.requires_grad_() if leaf else made


_reduce_ex.__name__ = "__reduce_ex__"
setattr(_reduce_ex, "__signature__", inspect.signature(_reduce_ex))  # NumPy's, which has no annotations
for _face in _own:
    setattr(_face, "__reduce_ex__", _reduce_ex)
