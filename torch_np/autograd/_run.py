"""The functions `backward` and `grad`."""
from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeVar

from torch_np import _C
from torch_np.autograd._edges import GradientEdge, stand_in
from torch_np.autograd.grad_mode import set_grad_enabled

if TYPE_CHECKING:
    from torch_np._typing import TensorLike

_Input = TypeVar("_Input", bound="_C.Tensor | _C.ndarray")


def _several(value):
    return (value,) if _C._is_array(value) or isinstance(value, GradientEdge) else tuple(value)


def _arrays(value):
    return tuple(map(stand_in, _several(value)))


def _gradients(value, count):
    """Returns a tuple with one gradient (or None) for each root."""
    if value is None:
        return (None,) * count
    if isinstance(value, (list, tuple)):
        return tuple(value)
    return (value,)


def _any_sparse(*groups):
    return any(_C._is_sparse(x) for group in groups for x in group)


def _dense(roots, grads, of):
    """Values in place of sparse tensors: of roots, their gradients, and the inputs."""
    from torch_np.sparse import _autograd

    return *_autograd.roots(roots, grads), tuple(map(_autograd.values_of, of))


def _check_shapes(roots, grads):
    """Checks the gradients that were given for the roots."""
    for i, (root, g) in enumerate(zip(roots, grads)):
        if g is not None and _C._is_array(g) and g.shape != root.shape:
            raise RuntimeError(f"Mismatch in shape: grad_output[{i}] has a shape of {g.shape} and output[{i}] has a shape of {root.shape}.")


def _check_batches(roots, batches):
    for i, (root, b) in enumerate(zip(roots, batches)):
        if b is not None and tuple(b.shape[1:]) != tuple(root.shape):
            raise RuntimeError("If `is_grads_batched=True`, we interpret the first dimension of each grad_output as the batch dimension. The sizes of "
                               "the remaining dimensions are expected to match the shape of corresponding output, but a mismatch was detected: "
                               f"grad_output[{i}] has a shape of {b.shape} and output[{i}] has a shape of {root.shape}.")


def _on_numpy_face(roots):
    return bool(roots) and _C._is_ndarray(roots[0])


def backward(tensors: TensorLike | Sequence[TensorLike], grad_tensors: TensorLike | Sequence[TensorLike | None] | None = None,
             retain_graph: bool | None = None, create_graph: bool = False, inputs: TensorLike | Sequence[TensorLike] | None = None) -> None:
    """Computes the gradients of the sum of `tensors`, and adds them to the `grad` of the leaves
    they depend on.

    Args:
      tensors: Tensor or GradientEdge, or sequence of them.
      grad_tensors: Gradients of `tensors`; may be None for tensors of one element, and is 1 then.
      retain_graph: Whether to keep the graph for another call; None is `create_graph`.
      create_graph: Whether to record the computation of the gradients, for higher derivatives.
      inputs: Leaves whose gradients are computed; None is all of them.

    Shapes: each of `grad_tensors` as its tensor.
    Errors: RuntimeError for tensors that do not require a gradient, gradients that are missing or
    do not have the shape of their tensor, a graph that was freed already, and an empty list of
    `inputs`.
    """
    roots = _arrays(tensors)
    only = () if inputs is None else _arrays(inputs)
    if inputs is not None and not only:
        raise RuntimeError("'inputs' argument to backward cannot be empty.")
    retain = create_graph if retain_graph is None else retain_graph
    grads = _gradients(grad_tensors, len(roots))
    if _any_sparse(roots, grads, only):
        roots, grads, only = _dense(roots, grads, only)
    _C._autograd_backward(roots, grads, retain, create_graph, only, _on_numpy_face(roots))


def grad(outputs: TensorLike | Sequence[TensorLike], inputs: _Input | Sequence[_Input],
         grad_outputs: TensorLike | Sequence[TensorLike | None] | None = None, retain_graph: bool | None = None, create_graph: bool = False,
         allow_unused: bool | None = None, is_grads_batched: bool = False, materialize_grads: bool = False) -> tuple[_Input, ...]:
    """Returns the gradients of the sum of `outputs` with respect to `inputs`, as a tuple. The
    attributes `grad` are not changed.

    Args:
      outputs: Tensor or GradientEdge, or sequence of them.
      inputs: Tensor or GradientEdge, or sequence of them, with respect to which to differentiate.
      grad_outputs: Gradients of `outputs`; may be None for outputs of one element, and is 1 then.
      retain_graph: Whether to keep the graph for another call; None is `create_graph`.
      create_graph: Whether to record the computation of the gradients, for higher derivatives.
      allow_unused: Whether an input that was not used gives None; otherwise it raises RuntimeError.
      is_grads_batched: Whether each of `grad_outputs` is a batch of gradients, along its first axis. The
        graph is run once for all of them, as by vmap, and the results are batches, too.
      materialize_grads: Whether a tensor that was not used gives zeros. They require a gradient if
        `create_graph` is True.

    Shapes: each of `grad_outputs` as its output; the results as `inputs`.
    Errors: RuntimeError for outputs that do not require a gradient, gradients that are missing or
    do not have the shape of their tensor, a graph that was freed already, and inputs that were not
    used, also a GradientEdge with `materialize_grads`; ValueError for `materialize_grads` with
    `allow_unused` False.
    """
    if materialize_grads and allow_unused is False:
        raise ValueError("Expected allow_unused to be True or not passed when materialize_grads=True, but got: "
                         "allow_unused=False.")
    inputs = _several(inputs)
    roots, of = _arrays(outputs), _arrays(inputs)
    retain = create_graph if retain_graph is None else retain_graph
    grads = _gradients(grad_outputs, len(roots))
    if _any_sparse(roots, grads, of):
        from torch_np.sparse import _autograd

        if is_grads_batched:
            raise NotImplementedError("grad(): is_grads_batched is not implemented for sparse tensors")
        roots, grads, values = _dense(roots, grads, of)
        found = grad(roots, values, grads, retain, create_graph, allow_unused, False, materialize_grads)
        return _autograd.gradients(of, found)
    if is_grads_batched:
        _check_batches(roots, grads)
        return _batched(roots, of, grads, retain, create_graph, bool(allow_unused), materialize_grads)
    if grad_outputs is not None:
        _check_shapes(roots, grads)
    result = _C._autograd_grad(roots, of, grads, retain, create_graph,
                               bool(allow_unused) or materialize_grads, _on_numpy_face(roots))
    if not materialize_grads:
        return result
    if any(g is None and isinstance(x, GradientEdge) for g, x in zip(result, inputs)):
        raise RuntimeError("materialize_grads cannot be used when the given input is a GradientEdge, whose shape is not known")
    return tuple(_zeros(x, create_graph) if g is None else g for g, x in zip(result, of))


def _batched(roots, of, batches, retain, create_graph, allow_unused, materialize_grads):
    """The gradients for each member of a batch of gradients of the outputs, stacked."""
    sizes = {len(b) for b in batches if b is not None}
    if len(sizes) != 1:
        raise RuntimeError(f"is_grads_batched=True: grad_outputs need one size along their first axis, got {sorted(sizes) or None}")
    size = sizes.pop()
    if size == 0:  # no graph is run, which could fail for an empty batch
        found = tuple(_stacked([_zeros(x)])[:0] for x in of)
    else:
        found = _one_pass(roots, of, batches, size, retain, create_graph, allow_unused or materialize_grads)
    return tuple(_stacked([_zeros(x)] * size) if g is None and materialize_grads else g for g, x in zip(found, of))


def _one_pass(roots, of, batches, size, retain, create_graph, allow_unused):
    """The gradients of a batch, by one pass in which each gradient is a batched tensor."""
    from torch_np._transforms.batching import Batch

    given = [None if b is None else b._torch() if _C._is_ndarray(b) else b for b in batches]
    batch = Batch(size, "error", next(b for b in given if b is not None).device)
    with set_grad_enabled(create_graph), batch.active():
        found = _C._autograd_grad(tuple(_as_torch(r) for r in roots), tuple(_as_torch(x) for x in of),
                                  tuple(None if b is None else batch.wrap(b) for b in given), retain, create_graph, allow_unused, False)
    results = [None if g is None else batch.full(g) for g in found]
    return tuple(g._np_compat() if g is not None and _C._is_ndarray(x) else g for g, x in zip(results, of))


def _as_torch(value):
    return value._torch() if _C._is_ndarray(value) else value


def _stacked(rows):
    if not _C._is_ndarray(rows[0]):
        return _C._torch.stack(rows)
    return _C._torch.stack([r._torch() for r in rows])._np_compat()


def _zeros(like, requires_grad=False):
    with_zeros = like._torch() if _C._is_ndarray(like) else like
    zeros = _C._torch.zeros_like(with_zeros.detach()).requires_grad_(requires_grad)
    return zeros._np_compat() if _C._is_ndarray(like) else zeros
