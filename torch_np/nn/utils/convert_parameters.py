"""Conversion between parameters and one vector."""
from __future__ import annotations

from collections.abc import Iterable

from torch_np._C import Tensor

__all__ = ["parameters_to_vector", "vector_to_parameters"]


def _same_device(tensors: list[Tensor]) -> list[Tensor]:
    if any(t.device != tensors[0].device for t in tensors):
        raise TypeError("Found two parameters on different devices, this is currently not supported.")
    return tensors


def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """The concatenation of all elements of all parameters.

    Args:
      parameters: the parameters

    Shapes: any; the result is (all elements,).
    Errors: TypeError for parameters on several devices.
    """
    from torch_np import cat
    return cat([p.reshape(-1) for p in _same_device(list(parameters))])


def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None:
    """Replaces the data of parameters by views of a vector.

    Args:
      vec: the vector
      parameters: the parameters

    Shapes: `vec` (all elements of the parameters,).
    Errors: TypeError if `vec` is not a Tensor.
    """
    if not isinstance(vec, Tensor):
        raise TypeError(f"expected torch_np.Tensor, but got: {type(vec)}")
    at = 0
    for p in _same_device(list(parameters)):
        p.data = vec[at:at + p.numel()].view(p.shape).data
        at += p.numel()
