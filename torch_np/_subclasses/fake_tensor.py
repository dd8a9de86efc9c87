"""torch_np._subclasses.fake_tensor: fake tensors of PyTorch, by name."""
from __future__ import annotations

import torch_np._subclasses as _names

CrossRefFakeMode, FakeTensor, FakeTensorMode = (getattr(_names, _name) for _name in ("CrossRefFakeMode", "FakeTensor", "FakeTensorMode"))
DynamicOutputShapeException = _names.DynamicOutputShapeException
UnsupportedFakeTensorException = _names.UnsupportedFakeTensorException


def is_fake(x: object) -> bool:
    """Returns False: there are no fake tensors. Those of the device 'meta' are tensors of their own."""
    return False
