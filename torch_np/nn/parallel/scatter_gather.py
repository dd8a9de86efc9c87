"""torch_np.nn.parallel.scatter_gather: the parts of arguments and results for one device."""
from __future__ import annotations

from typing import Any

from torch_np.nn.parallel._parts import gather as gather, scatter as scatter

__all__ = ["gather", "scatter", "scatter_kwargs"]


def scatter_kwargs(inputs: tuple[Any, ...], kwargs: dict[str, Any] | None, target_gpus: Any, dim: int = 0,
                   ) -> tuple[tuple[Any, ...], tuple[dict[str, Any], ...]]:
    """Moves the tensors among arguments and keywords to the one device. Returns a tuple of the
    arguments of each call, and one of its keywords: one entry each.

    Args:
      inputs: arguments
      kwargs: keywords; None for none
      target_gpus: list of one device
      dim: axis along which PyTorch splits batches for several devices

    Shapes: those of the inputs.
    Errors: NotImplementedError for several devices.
    """
    if not inputs and not kwargs:
        return (), ()
    return tuple(scatter(tuple(inputs), target_gpus, dim)), tuple(scatter(dict(kwargs or {}), target_gpus, dim))
