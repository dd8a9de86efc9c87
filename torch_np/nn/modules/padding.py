"""Padding layers."""
from __future__ import annotations

from typing import Any

from torch_np._C import Tensor
from torch_np.nn import functional as F
from torch_np.nn.modules.module import Module
from torch_np.nn.modules.utils import ntuple
# Names that layers of packages import from here.
from torch_np.nn.common_types import _size_2_t as _size_2_t, _size_4_t as _size_4_t, _size_6_t as _size_6_t
from torch_np.nn.modules.utils import _ntuple as _ntuple, _pair as _pair, _quadruple as _quadruple

__all__ = ["CircularPad1d", "CircularPad2d", "CircularPad3d", "ConstantPad1d", "ConstantPad2d", "ConstantPad3d", "ReflectionPad1d",
           "ReflectionPad2d", "ReflectionPad3d", "ReplicationPad1d", "ReplicationPad2d", "ReplicationPad3d", "ZeroPad1d", "ZeroPad2d",
           "ZeroPad3d"]


class _PadNd(Module):
    """Base class of padding by elements of the input. `padding` is one number, or (left, right,
    top, bottom, front, back) as far as there are axes.
    """

    dimensions: int
    mode: str

    def __init__(self, padding: Any) -> None:
        super().__init__()
        self.padding = ntuple(padding, 2 * self.dimensions)

    def forward(self, input: Tensor) -> Tensor:
        """Shapes: (N, C, ...) or (C, ...); the result is larger by the padding.

        Errors: ValueError (circular), or RuntimeError or NotImplementedError (all other modes), if
        the input does not have such a shape.
        """
        if self.mode == "circular" and input.dim() not in (self.dimensions + 1, self.dimensions + 2):
            raise ValueError(f"expected {self.dimensions + 1}D or {self.dimensions + 2}D input (got {input.dim()}D input)")
        return F.pad(input, self.padding, self.mode)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class _ConstantPadNd(Module):
    dimensions: int

    def __init__(self, padding: Any, value: float) -> None:
        super().__init__()
        self.padding, self.value = ntuple(padding, 2 * self.dimensions), value

    def forward(self, input: Tensor) -> Tensor:
        """Shapes: any; the last axes of the result are larger by the padding."""
        return F.pad(input, self.padding, "constant", self.value)

    def extra_repr(self) -> str:
        return f"padding={self.padding}, value={self.value}"


class _ZeroPadNd(_ConstantPadNd):
    def __init__(self, padding: Any) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class ConstantPad1d(_ConstantPadNd):
    """Pads the last axis with a value.

    Args:
      padding: elements added at every side, or a number for each side, the last axis first: (left,
        right, top, bottom, ...)
      value: the value
    """

    dimensions = 1


class ZeroPad1d(_ZeroPadNd):
    """Pads the last axis with zeros.

    Args:
      padding: elements added at every side, or a number for each side, the last axis first: (left,
        right, top, bottom, ...)
    """

    dimensions = 1


class CircularPad1d(_PadNd):
    """Pads the last axis with elements from its other end.

    Args:
      padding: elements added at every side, or a number for each side, the last axis first: (left,
        right, top, bottom, ...)
    """

    dimensions = 1
    mode = "circular"


class ReflectionPad1d(_PadNd):
    """Pads the last axis with its elements mirrored at the outermost ones.

    Args:
      padding: elements added at every side, or a number for each side, the last axis first: (left,
        right, top, bottom, ...)
    """

    dimensions = 1
    mode = "reflect"


class ReplicationPad1d(_PadNd):
    """Pads the last axis by repeating the outermost elements.

    Args:
      padding: elements added at every side, or a number for each side, the last axis first: (left,
        right, top, bottom, ...)
    """

    dimensions = 1
    mode = "replicate"


class ConstantPad2d(_ConstantPadNd):
    """Pads the last two axes with a value.

    Args:
      padding: elements added at every side, or a number for each side, the last axis first: (left,
        right, top, bottom, ...)
      value: the value
    """

    dimensions = 2


class ZeroPad2d(_ZeroPadNd):
    """Pads the last two axes with zeros.

    Args:
      padding: elements added at every side, or a number for each side, the last axis first: (left,
        right, top, bottom, ...)
    """

    dimensions = 2


class CircularPad2d(_PadNd):
    """Pads the last two axes with elements from their other ends.

    Args:
      padding: elements added at every side, or a number for each side, the last axis first: (left,
        right, top, bottom, ...)
    """

    dimensions = 2
    mode = "circular"


class ReflectionPad2d(_PadNd):
    """Pads the last two axes with their elements mirrored at the outermost ones.

    Args:
      padding: elements added at every side, or a number for each side, the last axis first: (left,
        right, top, bottom, ...)
    """

    dimensions = 2
    mode = "reflect"


class ReplicationPad2d(_PadNd):
    """Pads the last two axes by repeating the outermost elements.

    Args:
      padding: elements added at every side, or a number for each side, the last axis first: (left,
        right, top, bottom, ...)
    """

    dimensions = 2
    mode = "replicate"


class ConstantPad3d(_ConstantPadNd):
    """Pads the last three axes with a value.

    Args:
      padding: elements added at every side, or a number for each side, the last axis first: (left,
        right, top, bottom, ...)
      value: the value
    """

    dimensions = 3


class ZeroPad3d(_ZeroPadNd):
    """Pads the last three axes with zeros.

    Args:
      padding: elements added at every side, or a number for each side, the last axis first: (left,
        right, top, bottom, ...)
    """

    dimensions = 3


class CircularPad3d(_PadNd):
    """Pads the last three axes with elements from their other ends.

    Args:
      padding: elements added at every side, or a number for each side, the last axis first: (left,
        right, top, bottom, ...)
    """

    dimensions = 3
    mode = "circular"


class ReflectionPad3d(_PadNd):
    """Pads the last three axes with their elements mirrored at the outermost ones.

    Args:
      padding: elements added at every side, or a number for each side, the last axis first: (left,
        right, top, bottom, ...)
    """

    dimensions = 3
    mode = "reflect"


class ReplicationPad3d(_PadNd):
    """Pads the last three axes by repeating the outermost elements.

    Args:
      padding: elements added at every side, or a number for each side, the last axis first: (left,
        right, top, bottom, ...)
    """

    dimensions = 3
    mode = "replicate"
