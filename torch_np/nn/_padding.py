"""torch_np.nn.functional.pad."""
from __future__ import annotations

from collections.abc import Sequence

import torch_np
from torch_np import Tensor
from torch_np._C import _torch_nn_functional as _C
from torch_np._torch.autocasting import ruled as _ruled


def pad(input: Tensor, pad: Sequence[int], mode: str = "constant", value: float | None = None) -> Tensor:
    """Pads the last axes of a tensor.

    All modes but 'constant' pad the last one to three axes of an input that has one or two axes
    more.

    Args:
      input: input tensor
      pad: numbers of elements before and after the last axis, then the axis before it, and so on;
        negative numbers crop
      mode: 'constant'; 'reflect', mirrored at the outermost element; 'replicate', the outermost
        element; or 'circular', the other end
      value: value for 'constant', 0 by default

    Shapes: `input` (..., n), the result (..., before + n + after), and so on for the axes before
    the last.
    Dtypes: all; gradients for floats only.
    Errors: RuntimeError for numbers in `pad` that do not fit the input, and for a `value` in a mode
    that is not 'constant'; NotImplementedError for numbers of axes that `mode` does not support.
    """
    if mode == "constant":
        return torch_np.constant_pad_nd(input, list(pad), 0 if value is None else value)
    if value is not None and value != 0:
        raise RuntimeError(f"pad(): mode '{mode}' doesn't take a value")
    if len(pad) % 2 or len(pad) > 2 * input.dim():
        raise RuntimeError(f"pad(): pad has {len(pad)} numbers; there must be two for each axis that is padded, of an input of {input.dim()} axes")
    if mode == "replicate" or mode == "reflect" and len(pad) < 6:
        return _extended(input, list(pad), mode)
    return _C._pad_border(input, list(pad), mode)


@_ruled("float32", "inner")
def _extended(input: Tensor, pad: list[int], mode: str) -> Tensor:
    return _C._pad_border(input, pad, mode)
