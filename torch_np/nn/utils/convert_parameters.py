"""Parameters as one vector."""
from __future__ import annotations

from collections.abc import Iterable

from torch_np._C import Tensor

__all__ = ["parameters_to_vector", "vector_to_parameters"]


def _same_device(tensors: list[Tensor]) -> list[Tensor]:
    if any(t.device != tensors[0].device for t in tensors):
        raise TypeError("Found two parameters on different devices, this is currently not supported.")
    return tensors


def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """All elements of all parameters, one after the other.

    Shapes: any; the result (all elements,).
    Errors: TypeError for parameters on several devices.
    """
    from torch_np import cat
    return cat([p.reshape(-1) for p in _same_device(list(parameters))])


def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None:
    """Makes the parameters views of the elements of `vec`.

    Shapes: `vec` (all elements of the parameters,).
    Errors: TypeError unless it is a tensor.
    """
    if not isinstance(vec, Tensor):
        raise TypeError(f"expected torch_np.Tensor, but got: {type(vec)}")
    at = 0
    for p in _same_device(list(parameters)):
        p.data = vec[at:at + p.numel()].view(p.shape).data
        at += p.numel()
