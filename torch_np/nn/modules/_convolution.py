"""Convolutions and transposed convolutions in one to three dimensions."""
from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from torch_np import _C
from torch_np._C import Tensor
from torch_np.nn import functional as F
from torch_np.nn.modules.module import Module
from torch_np.nn.modules.utils import ntuple
from torch_np.nn.parameter import Parameter

__all__ = ["Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d"]

_MODES = ("zeros", "reflect", "replicate", "circular")


class _ConvNd(Module):
    """Base class of convolutions. `weight` is (out, in / groups, *kernel), or (in, out / groups,
    *kernel) if transposed.
    """

    weight: Parameter
    bias: Parameter | None
    dimensions: int
    transposed = False

    def __init__(self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any, padding: Any, dilation: Any, output_padding: Any,
                 groups: int, bias: bool, padding_mode: str, device: Any, dtype: Any) -> None:
        super().__init__()
        n = self.dimensions
        if groups <= 0:
            raise ValueError("groups must be a positive integer")
        if in_channels % groups:
            raise ValueError("in_channels must be divisible by groups")
        if out_channels % groups:
            raise ValueError("out_channels must be divisible by groups")
        if isinstance(padding, str):
            if padding not in ("same", "valid"):
                raise ValueError(f"Invalid padding string {padding!r}, should be one of {{'same', 'valid'}}")
            if padding == "same" and any(s != 1 for s in ntuple(stride, n)):
                raise ValueError("padding='same' is not supported for strided convolutions")
        if padding_mode not in _MODES:
            raise ValueError(f"padding_mode must be one of {set(_MODES)}, but got padding_mode='{padding_mode}'")
        self.transposed = type(self).transposed  # an attribute of the object, as in PyTorch's pickles
        self.in_channels, self.out_channels, self.groups, self.padding_mode = in_channels, out_channels, groups, padding_mode
        self.kernel_size, self.stride, self.dilation = ntuple(kernel_size, n), ntuple(stride, n), ntuple(dilation, n)
        self.padding = padding if isinstance(padding, str) else ntuple(padding, n)
        self.output_padding = ntuple(output_padding, n)
        self._reversed_padding_repeated_twice = self._padding_of_both_sides()
        shape = (in_channels, out_channels // groups) if self.transposed else (out_channels, in_channels // groups)
        self.weight = Parameter(_C._torch.empty((*shape, *self.kernel_size), device=device, dtype=dtype))
        self.register_parameter("bias", Parameter(_C._torch.empty(out_channels, device=device, dtype=dtype)) if bias else None)
        self.reset_parameters()

    def _padding_of_both_sides(self):
        """The padding in the form that F.pad accepts, the last axis first."""
        if self.padding == "valid":
            return [0, 0] * self.dimensions
        pairs = []
        for k in reversed(range(self.dimensions)):
            if self.padding == "same":
                total = self.dilation[k] * (self.kernel_size[k] - 1)
                pairs += [total // 2, total - total // 2]
            else:
                pairs += [self.padding[k], self.padding[k]]
        return pairs

    def reset_parameters(self) -> None:
        """Fills the parameters with random numbers from the uniform distribution on ±1 /
        sqrt(in_channels / groups * kernel elements).
        """
        from torch_np.nn import init
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            fan_in, _ = init._calculate_fan_in_and_fan_out(self.weight)
            if fan_in:
                bound = 1 / math.sqrt(fan_in)
                init.uniform_(self.bias, -bound, bound)

    def extra_repr(self) -> str:
        text = f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"
        if self.padding != (0,) * len(self.kernel_size):
            text += f", padding={self.padding}"
        if self.dilation != (1,) * len(self.dilation):
            text += f", dilation={self.dilation}"
        if self.output_padding != (0,) * len(self.output_padding):
            text += f", output_padding={self.output_padding}"
        if self.groups != 1:
            text += f", groups={self.groups}"
        if self.bias is None:
            text += ", bias=False"
        return text if self.padding_mode == "zeros" else text + f", padding_mode={self.padding_mode}"

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self.__dict__.setdefault("padding_mode", "zeros")

    def _convolved(self, function, input):
        if self.padding_mode != "zeros":
            input = F.pad(input, self._reversed_padding_repeated_twice, mode=self.padding_mode)
            return function(input, self.weight, self.bias, self.stride, (0,) * self.dimensions, self.dilation, self.groups)
        return function(input, self.weight, self.bias, self.stride, self.padding, self.dilation, self.groups)


class Conv1d(_ConvNd):
    """Convolution (cross-correlation) of signals.

    Args:
      in_channels: channels of the input
      out_channels: channels of the result
      kernel_size: size of the kernel, one number for all axes or one for each
      stride: step of the kernel, one number for all axes or one for each
      padding: elements added at both ends of each axis, or 'same' or 'valid'
      dilation: distance between the elements of the kernel
      groups: number of groups of channels that are convolved separately
      bias: whether to add a learnt bias
      padding_mode: 'zeros', 'reflect', 'replicate' or 'circular'
      device: device of the parameters
      dtype: dtype of the parameters

    Errors: ValueError unless `groups` divides both numbers of channels, for an unknown
    `padding_mode` or `padding`, and for `padding='same'` with a stride.
    """

    dimensions = 1

    def __init__(self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
                 groups: int = 1, bias: bool = True, padding_mode: str = "zeros", device: Any = None, dtype: Any = None) -> None:
        super().__init__(in_channels, out_channels, kernel_size, stride, padding, dilation, 0, groups, bias, padding_mode, device, dtype)

    def forward(self, input: Tensor) -> Tensor:
        """Shapes: (N, in_channels, L), or without N; the result is (N, out_channels, L') with L' =
        (L + 2 padding - dilation (kernel_size - 1) - 1) // stride + 1, or L for padding 'same'.
        """
        return self._convolved(F.conv1d, input)


class Conv2d(_ConvNd):
    """Convolution (cross-correlation) of images.

    Args:
      in_channels: channels of the input
      out_channels: channels of the result
      kernel_size: size of the kernel, one number for all axes or one for each
      stride: step of the kernel, one number for all axes or one for each
      padding: elements added at both ends of each axis, or 'same' or 'valid'
      dilation: distance between the elements of the kernel
      groups: number of groups of channels that are convolved separately
      bias: whether to add a learnt bias
      padding_mode: 'zeros', 'reflect', 'replicate' or 'circular'
      device: device of the parameters
      dtype: dtype of the parameters

    Errors: ValueError unless `groups` divides both numbers of channels, for an unknown
    `padding_mode` or `padding`, and for `padding='same'` with a stride.
    """

    dimensions = 2

    def __init__(self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
                 groups: int = 1, bias: bool = True, padding_mode: str = "zeros", device: Any = None, dtype: Any = None) -> None:
        super().__init__(in_channels, out_channels, kernel_size, stride, padding, dilation, 0, groups, bias, padding_mode, device, dtype)

    def forward(self, input: Tensor) -> Tensor:
        """Shapes: (N, in_channels, H, W), or without N; the result is (N, out_channels, H', W'),
        each size by L' = (L + 2 padding - dilation (kernel_size - 1) - 1) // stride + 1, or L for
        padding 'same'.
        """
        return self._convolved(F.conv2d, input)


class Conv3d(_ConvNd):
    """Convolution (cross-correlation) of volumes.

    Args:
      in_channels: channels of the input
      out_channels: channels of the result
      kernel_size: size of the kernel, one number for all axes or one for each
      stride: step of the kernel, one number for all axes or one for each
      padding: elements added at both ends of each axis, or 'same' or 'valid'
      dilation: distance between the elements of the kernel
      groups: number of groups of channels that are convolved separately
      bias: whether to add a learnt bias
      padding_mode: 'zeros', 'reflect', 'replicate' or 'circular'
      device: device of the parameters
      dtype: dtype of the parameters

    Errors: ValueError unless `groups` divides both numbers of channels, for an unknown
    `padding_mode` or `padding`, and for `padding='same'` with a stride.
    """

    dimensions = 3

    def __init__(self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
                 groups: int = 1, bias: bool = True, padding_mode: str = "zeros", device: Any = None, dtype: Any = None) -> None:
        super().__init__(in_channels, out_channels, kernel_size, stride, padding, dilation, 0, groups, bias, padding_mode, device, dtype)

    def forward(self, input: Tensor) -> Tensor:
        """Shapes: (N, in_channels, D, H, W), or without N; the result is (N, out_channels, D', H',
        W'), each size by L' = (L + 2 padding - dilation (kernel_size - 1) - 1) // stride + 1, or L
        for padding 'same'.
        """
        return self._convolved(F.conv3d, input)


class _ConvTransposeNd(_ConvNd):
    """Base class of transposed convolutions, which compute the gradient of a convolution with
    respect to its input.
    """

    transposed = True

    def __init__(self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any, padding: Any, output_padding: Any, groups: int,
                 bias: bool, dilation: Any, padding_mode: str, device: Any, dtype: Any) -> None:
        if padding_mode != "zeros":
            raise ValueError(f'Only "zeros" padding mode is supported for {type(self).__name__}')
        super().__init__(in_channels, out_channels, kernel_size, stride, padding, dilation, output_padding, groups, bias, padding_mode, device,
                         dtype)

    def _output_padding(self, input: Tensor, output_size: Sequence[int] | None) -> tuple[int, ...]:
        """The output padding that gives a result of size `output_size`.

        Errors: ValueError for an impossible size.
        """
        if output_size is None:
            return self.output_padding
        n = self.dimensions
        leading = input.dim() - n
        if len(output_size) == n + leading:
            output_size = output_size[leading:]
        if len(output_size) != n:
            raise ValueError(f"ConvTranspose{n}D: for {input.dim()}D input, output_size must have {n} or {n + leading} elements (got "
                             f"{len(output_size)})")
        least = [(input.shape[k + leading] - 1) * self.stride[k] - 2 * self.padding[k] + self.dilation[k] * (self.kernel_size[k] - 1) + 1
                 for k in range(n)]
        most = [least[k] + self.stride[k] - 1 for k in range(n)]
        for size, low, high in zip(output_size, least, most, strict=True):
            if not low <= size <= high:
                raise ValueError(f"requested an output size of {output_size}, but valid sizes range from {least} to {most} (for an input of "
                                 f"{input.size()[2:]})")
        return tuple(size - low for size, low in zip(output_size, least, strict=True))

    def _transposed(self, function, input, output_size):
        return function(input, self.weight, self.bias, self.stride, self.padding, self._output_padding(input, output_size), self.groups,
                        self.dilation)


class ConvTranspose1d(_ConvTransposeNd):
    """Transposed convolution of signals.

    Args:
      in_channels: channels of the input
      out_channels: channels of the result
      kernel_size: size of the kernel, one number for all axes or one for each
      stride: step of the kernel, one number for all axes or one for each
      padding: elements removed at both ends of each axis of the result
      output_padding: elements added at the end of each axis of the result
      groups: number of groups of channels that are convolved separately
      bias: whether to add a learnt bias
      dilation: distance between the elements of the kernel
      padding_mode: only 'zeros'
      device: device of the parameters
      dtype: dtype of the parameters

    Errors: ValueError unless `groups` divides both numbers of channels, and unless `padding_mode`
    is 'zeros'.
    """

    dimensions = 1

    def __init__(self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0, output_padding: Any = 0,
                 groups: int = 1, bias: bool = True, dilation: Any = 1, padding_mode: str = "zeros", device: Any = None, dtype: Any = None) -> None:
        super().__init__(in_channels, out_channels, kernel_size, stride, padding, output_padding, groups, bias, dilation, padding_mode, device,
                         dtype)

    def forward(self, input: Tensor, output_size: Sequence[int] | None = None) -> Tensor:
        """Shapes: (N, in_channels, L), or without N; the result is (N, out_channels, L') with L' =
        (L - 1) stride - 2 padding + dilation (kernel_size - 1) + output_padding + 1, or
        `output_size`.

        Errors: ValueError for an impossible `output_size`.
        """
        return self._transposed(F.conv_transpose1d, input, output_size)


class ConvTranspose2d(_ConvTransposeNd):
    """Transposed convolution of images.

    Args:
      in_channels: channels of the input
      out_channels: channels of the result
      kernel_size: size of the kernel, one number for all axes or one for each
      stride: step of the kernel, one number for all axes or one for each
      padding: elements removed at both ends of each axis of the result
      output_padding: elements added at the end of each axis of the result
      groups: number of groups of channels that are convolved separately
      bias: whether to add a learnt bias
      dilation: distance between the elements of the kernel
      padding_mode: only 'zeros'
      device: device of the parameters
      dtype: dtype of the parameters

    Errors: ValueError unless `groups` divides both numbers of channels, and unless `padding_mode`
    is 'zeros'.
    """

    dimensions = 2

    def __init__(self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0, output_padding: Any = 0,
                 groups: int = 1, bias: bool = True, dilation: Any = 1, padding_mode: str = "zeros", device: Any = None, dtype: Any = None) -> None:
        super().__init__(in_channels, out_channels, kernel_size, stride, padding, output_padding, groups, bias, dilation, padding_mode, device,
                         dtype)

    def forward(self, input: Tensor, output_size: Sequence[int] | None = None) -> Tensor:
        """Shapes: (N, in_channels, H, W), or without N; the result is (N, out_channels, H', W'),
        each size by L' = (L - 1) stride - 2 padding + dilation (kernel_size - 1) + output_padding +
        1, or `output_size`.

        Errors: ValueError for an impossible `output_size`.
        """
        return self._transposed(F.conv_transpose2d, input, output_size)


class ConvTranspose3d(_ConvTransposeNd):
    """Transposed convolution of volumes.

    Args:
      in_channels: channels of the input
      out_channels: channels of the result
      kernel_size: size of the kernel, one number for all axes or one for each
      stride: step of the kernel, one number for all axes or one for each
      padding: elements removed at both ends of each axis of the result
      output_padding: elements added at the end of each axis of the result
      groups: number of groups of channels that are convolved separately
      bias: whether to add a learnt bias
      dilation: distance between the elements of the kernel
      padding_mode: only 'zeros'
      device: device of the parameters
      dtype: dtype of the parameters

    Errors: ValueError unless `groups` divides both numbers of channels, and unless `padding_mode`
    is 'zeros'.
    """

    dimensions = 3

    def __init__(self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0, output_padding: Any = 0,
                 groups: int = 1, bias: bool = True, dilation: Any = 1, padding_mode: str = "zeros", device: Any = None, dtype: Any = None) -> None:
        super().__init__(in_channels, out_channels, kernel_size, stride, padding, output_padding, groups, bias, dilation, padding_mode, device,
                         dtype)

    def forward(self, input: Tensor, output_size: Sequence[int] | None = None) -> Tensor:
        """Shapes: (N, in_channels, D, H, W), or without N; the result is (N, out_channels, D', H',
        W'), each size by L' = (L - 1) stride - 2 padding + dilation (kernel_size - 1) +
        output_padding + 1, or `output_size`.

        Errors: ValueError for an impossible `output_size`.
        """
        return self._transposed(F.conv_transpose3d, input, output_size)
