"""Dropout functions of torch_np.nn.functional, which zero random elements or channels and scale the
others.

The default generator draws the random numbers.
"""
from __future__ import annotations

import warnings

import torch_np
from torch_np import Tensor
from torch_np._C._torch_nn_functional import _dropout as _drawn

__all__ = ["alpha_dropout", "dropout", "dropout1d", "dropout2d", "dropout3d", "feature_alpha_dropout"]

_SATURATED = 1.7580993408473766  # minus SELU's limit at minus infinity

def _dropout(name: str, input: Tensor, p: float, training: bool, inplace: bool, features: bool = False, alpha: bool = False) -> Tensor:
    if not 0.0 <= p <= 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
    if not training or p == 0 or not input.numel():
        return input
    if features and input.dim() < 2:
        raise RuntimeError(f"{name}(): feature dropout requires at least 2 dimensions in the input")
    if not input.is_floating_point() and not input.is_complex():
        raise RuntimeError(f"{name}(): result type Float can't be cast to {input.dtype}")
    if p == 1:
        result = input * 0.0
    elif not features:
        result = _drawn(input, 1 - p, alpha).out
    else:
        ones = torch_np.ones(tuple(input.shape[:2]) + (1,) * (input.dim() - 2), dtype=input.dtype, device=input.device)
        factor, kept = _drawn(ones, 1 - p)  # one for each channel
        if alpha:
            scale = ((_SATURATED ** 2 * p + 1) * (1 - p)) ** -0.5
            kept = kept.to(input.dtype)
            result = input * (kept * scale) + (kept * (_SATURATED * scale) + _SATURATED * scale * (p - 1))
        else:
            result = input * factor
    return input.copy_(result) if inplace else result


def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Zeroes each element with probability `p` and divides the others by `1 - p`.

    Args:
      input: input tensor
      p: probability of a zero
      training: whether to apply dropout; otherwise `input` is returned
      inplace: overwrite `input` with the result

    Shapes: as `input`.
    Dtypes: floats.
    Errors: ValueError unless 0 <= `p` <= 1.
    Source: Srivastava et al., JMLR 15 (2014) 1929.
    """
    return _dropout("dropout", input, p, training, inplace)


def _channels(name: str, input: Tensor, dims: int, p: float, training: bool, inplace: bool) -> Tensor:
    """Channel dropout for inputs of shape (n, channels, ...) or (channels, ...), with `dims`
    further axes.
    """
    if not 0.0 <= p <= 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
    if input.dim() == dims + 1 and name != "dropout2d":
        if inplace:
            _dropout(name, input.unsqueeze(0), p, training, True, features=True)
            return input
        return _dropout(name, input.unsqueeze(0), p, training, False, features=True).squeeze(0)
    if input.dim() not in (dims + 1, dims + 2):
        message = f"{name}: Received a {input.dim()}-D input to {name}, where {dims + 1}-D or {dims + 2}-D is expected."
        if name == "dropout1d":
            raise RuntimeError(message)
        warnings.warn(message, stacklevel=3)
    return _dropout(name, input, p, training, inplace, features=True)


def dropout1d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Zeroes each channel with probability `p` and divides the others by `1 - p`.

    Args:
      input: input tensor
      p: probability of a zero
      training: whether to apply dropout; otherwise `input` is returned
      inplace: overwrite `input` with the result

    Shapes: (n, channels, length) or (channels, length).
    Errors: RuntimeError unless `input` has 2 or 3 axes; ValueError unless 0 <= `p` <= 1.
    """
    return _channels("dropout1d", input, 1, p, training, inplace)


def dropout2d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Zeroes each channel with probability `p` and divides the others by `1 - p`.

    Args:
      input: input tensor
      p: probability of a zero
      training: whether to apply dropout; otherwise `input` is returned
      inplace: overwrite `input` with the result

    Shapes: (n, channels, height, width). As in PyTorch, the first two of three axes are samples and
    channels.
    Errors: ValueError unless 0 <= `p` <= 1.
    """
    return _channels("dropout2d", input, 2, p, training, inplace)


def dropout3d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Zeroes each channel with probability `p` and divides the others by `1 - p`.

    Args:
      input: input tensor
      p: probability of a zero
      training: whether to apply dropout; otherwise `input` is returned
      inplace: overwrite `input` with the result

    Shapes: (n, channels, depth, height, width) or (channels, depth, height, width).
    Errors: ValueError unless 0 <= `p` <= 1.
    """
    return _channels("dropout3d", input, 3, p, training, inplace)


def alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
    """Dropout for networks with SELU: it preserves mean 0 and variance 1.

    Each element becomes SELU's limit at minus infinity with probability `p`. Then all elements are
    scaled and shifted.

    Args:
      input: input tensor
      p: probability of a replacement
      training: whether to apply dropout; otherwise `input` is returned
      inplace: overwrite `input` with the result

    Shapes: as `input`.
    Dtypes: floats.
    Errors: ValueError unless 0 <= `p` <= 1.
    Source: Klambauer et al., arXiv 1706.02515.
    """
    return _dropout("alpha_dropout", input, p, training, inplace, alpha=True)


def feature_alpha_dropout(input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False) -> Tensor:
    """Dropout of whole channels for networks with SELU: it preserves mean 0 and variance 1.

    Args:
      input: input tensor
      p: probability of a replacement
      training: whether to apply dropout; otherwise `input` is returned
      inplace: overwrite `input` with the result

    Shapes: (n, channels, ...).
    Errors: ValueError unless 0 <= `p` <= 1.
    """
    return _dropout("feature_alpha_dropout", input, p, training, inplace, features=True, alpha=True)
