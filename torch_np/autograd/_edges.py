"""GradientEdge: a place in the autograd graph that a gradient flows to."""
from __future__ import annotations

from typing import Any, NamedTuple

from torch_np import _C
from torch_np.autograd.grad_mode import enable_grad


class GradientEdge(NamedTuple):
    """A place in the autograd graph: an output of a node. `backward()` and `grad()` accept it
    instead of a tensor, and it does not keep the memory of the tensor alive.
    """

    node: _C.Node
    output_nr: int
    ownership_token: Any = None


def get_gradient_edge(tensor: _C.Tensor) -> GradientEdge:
    """Returns the place in the graph that the gradient of a tensor flows to.

    Args:
      tensor: A Tensor that requires a gradient.

    Shapes: any.
    Errors: RuntimeError if the tensor does not require a gradient.
    """
    if not tensor.requires_grad:
        raise RuntimeError("It is not possible to get the gradient edge for a Tensor that does not require gradients")
    node = tensor.grad_fn
    if node is not None:
        return GradientEdge(node, tensor.output_nr)
    with enable_grad():
        through = tensor.view_as(tensor).grad_fn
    assert through is not None
    accumulator, output_nr = through.next_functions[0]
    assert accumulator is not None
    return GradientEdge(accumulator, output_nr)


def stand_in(value: Any) -> Any:
    """A tensor for a GradientEdge; other values unchanged."""
    return value.node._stand_in(value.output_nr) if isinstance(value, GradientEdge) else value
