"""Convolutions that find the number of their input channels in the first call."""
from __future__ import annotations

from typing import Any

from torch_np._C import Tensor
from torch_np.nn.modules._convolution import Conv1d, Conv2d, Conv3d, ConvTranspose1d, ConvTranspose2d, ConvTranspose3d
from torch_np.nn.modules.lazy import LazyModuleMixin, materialize, uninitialized
from torch_np.nn.parameter import Parameter

__all__ = ["LazyConv1d", "LazyConv2d", "LazyConv3d", "LazyConvTranspose1d", "LazyConvTranspose2d", "LazyConvTranspose3d"]


class _LazyConv(LazyModuleMixin):
    """The parameters of lazy convolutions."""

    weight: Parameter
    bias: Parameter | None

    def _delay(self: Any, out_channels: int, bias: bool, device: Any, dtype: Any) -> None:
        self.out_channels = out_channels
        self.weight = uninitialized(True, device, dtype)
        self.bias = uninitialized(bias, device, dtype)

    def reset_parameters(self: Any) -> None:
        """Fills the parameters with random numbers, if they have a shape."""
        if not self.has_uninitialized_params() and self.in_channels != 0:
            super().reset_parameters()  # type: ignore[misc]

    def initialize_parameters(self: Any, input: Tensor, *args: Any, **kwargs: Any) -> None:
        """Gives the parameters the shapes for the channels of the input.

        Args:
          input: the first input
          args: ignored
          kwargs: ignored

        Shapes: with or without a batch.
        Errors: RuntimeError for another number of dimensions, ValueError unless `groups` divides
        the channels.
        """
        if not self.has_uninitialized_params():
            return
        n = self.dimensions
        if input.dim() not in (n + 1, n + 2):
            raise RuntimeError(f"Expected {n + 1}D (unbatched) or {n + 2}D (batched) input to {type(self).__name__}, but got input of size: "
                               f"{input.shape}")
        self.in_channels = input.shape[input.dim() - n - 1]
        if self.in_channels % self.groups:
            raise ValueError("in_channels must be divisible by groups")
        if self.transposed:
            channels = self.in_channels, self.out_channels // self.groups
        else:
            channels = self.out_channels, self.in_channels // self.groups
        materialize((*channels, *self.kernel_size), self.weight)
        materialize((self.out_channels,), self.bias)
        self.reset_parameters()


class LazyConv1d(_LazyConv, Conv1d):
    """Convolution of signals whose input channels are those of the first input. It
    becomes a Conv1d in the first call.

    Args:
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

    Shapes: those of Conv1d.
    Errors: those of Conv1d; RuntimeError for an input of another number of dimensions.
    """

    cls_to_become = Conv1d

    def __init__(self, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
                 groups: int = 1, bias: bool = True,
                 padding_mode: str = "zeros", device: Any = None, dtype: Any = None) -> None:
        super().__init__(0, 0, kernel_size, stride, padding, dilation, groups, False, padding_mode, device, dtype)
        self._delay(out_channels, bias, device, dtype)


class LazyConv2d(_LazyConv, Conv2d):
    """Convolution of images whose input channels are those of the first input. It
    becomes a Conv2d in the first call.

    Args:
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

    Shapes: those of Conv2d.
    Errors: those of Conv2d; RuntimeError for an input of another number of dimensions.
    """

    cls_to_become = Conv2d

    def __init__(self, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
                 groups: int = 1, bias: bool = True,
                 padding_mode: str = "zeros", device: Any = None, dtype: Any = None) -> None:
        super().__init__(0, 0, kernel_size, stride, padding, dilation, groups, False, padding_mode, device, dtype)
        self._delay(out_channels, bias, device, dtype)


class LazyConv3d(_LazyConv, Conv3d):
    """Convolution of volumes whose input channels are those of the first input. It
    becomes a Conv3d in the first call.

    Args:
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

    Shapes: those of Conv3d.
    Errors: those of Conv3d; RuntimeError for an input of another number of dimensions.
    """

    cls_to_become = Conv3d

    def __init__(self, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
                 groups: int = 1, bias: bool = True,
                 padding_mode: str = "zeros", device: Any = None, dtype: Any = None) -> None:
        super().__init__(0, 0, kernel_size, stride, padding, dilation, groups, False, padding_mode, device, dtype)
        self._delay(out_channels, bias, device, dtype)


class LazyConvTranspose1d(_LazyConv, ConvTranspose1d):
    """Transposed convolution of signals whose input channels are those of the first input. It
    becomes a ConvTranspose1d in the first call.

    Args:
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

    Shapes: those of ConvTranspose1d.
    Errors: those of ConvTranspose1d; RuntimeError for an input of another number of dimensions.
    """

    cls_to_become = ConvTranspose1d

    def __init__(self, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0, output_padding: Any = 0,
                 groups: int = 1, bias: bool = True, dilation: Any = 1,
                 padding_mode: str = "zeros", device: Any = None, dtype: Any = None) -> None:
        super().__init__(0, 0, kernel_size, stride, padding, output_padding, groups, False, dilation, padding_mode, device, dtype)
        self._delay(out_channels, bias, device, dtype)


class LazyConvTranspose2d(_LazyConv, ConvTranspose2d):
    """Transposed convolution of images whose input channels are those of the first input. It
    becomes a ConvTranspose2d in the first call.

    Args:
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

    Shapes: those of ConvTranspose2d.
    Errors: those of ConvTranspose2d; RuntimeError for an input of another number of dimensions.
    """

    cls_to_become = ConvTranspose2d

    def __init__(self, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0, output_padding: Any = 0,
                 groups: int = 1, bias: bool = True, dilation: Any = 1,
                 padding_mode: str = "zeros", device: Any = None, dtype: Any = None) -> None:
        super().__init__(0, 0, kernel_size, stride, padding, output_padding, groups, False, dilation, padding_mode, device, dtype)
        self._delay(out_channels, bias, device, dtype)


class LazyConvTranspose3d(_LazyConv, ConvTranspose3d):
    """Transposed convolution of volumes whose input channels are those of the first input. It
    becomes a ConvTranspose3d in the first call.

    Args:
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

    Shapes: those of ConvTranspose3d.
    Errors: those of ConvTranspose3d; RuntimeError for an input of another number of dimensions.
    """

    cls_to_become = ConvTranspose3d

    def __init__(self, out_channels: int, kernel_size: Any, stride: Any = 1, padding: Any = 0, output_padding: Any = 0,
                 groups: int = 1, bias: bool = True, dilation: Any = 1,
                 padding_mode: str = "zeros", device: Any = None, dtype: Any = None) -> None:
        super().__init__(0, 0, kernel_size, stride, padding, output_padding, groups, False, dilation, padding_mode, device, dtype)
        self._delay(out_channels, bias, device, dtype)
