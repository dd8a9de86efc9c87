"""Jacobians, Hessians, and their products with vectors, of functions of tensors.

Each function detaches the inputs, runs the given function once and differentiates by backward
passes. With `create_graph` the results can be differentiated with respect to the inputs.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch_np import _C
from torch_np._C import Tensor
from torch_np.autograd._run import grad
from torch_np.autograd.grad_mode import enable_grad

__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]

_t = _C._torch
_Function = Callable[..., Any]


def _tuple(value: Any, argument: str, function: str) -> tuple[tuple[Tensor, ...], bool]:
    """Returns `value` as a tuple, and whether it was one."""
    is_tuple = isinstance(value, tuple)
    given = value if is_tuple else (value,)
    for i, item in enumerate(given):
        if not isinstance(item, Tensor):
            where = f"the value at index {i} has type {type(item)}" if is_tuple else f"the given {argument} has type {type(item)}"
            raise TypeError(f"The {argument} given to {function} must be either a Tensor or a tuple of Tensors but {where}.")
    return given, is_tuple


def _leaves(inputs, create_graph):
    """Inputs whose derivatives are computed. With `create_graph` they depend on the given ones."""
    return tuple(x.view_as(x) if create_graph and x.requires_grad else x.detach().requires_grad_() for x in inputs)


def _finished(values, is_tuple, create_graph):
    result = tuple(v if create_graph else v.detach() for v in values)
    return result if is_tuple else result[0]


_STRICT = "This is not allowed in strict mode"
_OUTPUT = f"The output of the user-provided function is independent of input {{i}}. {_STRICT}."
_JACOBIAN, _HESSIAN = (f"The {what} of the user-provided function is independent of input {{i}}. {_STRICT}" for what in ("jacobian", "hessian"))
_GRAPH = " when create_graph=True."
# The errors of strict mode for gradients that do not exist, and for those that are constant.
_ERRORS = {
    "vjp": (_OUTPUT, _JACOBIAN + _GRAPH),
    "jacobian": (f"Output {{k}} of the user-provided function is independent of input {{i}}. {_STRICT}.", _JACOBIAN + _GRAPH),
    "gradient of jvp": (_OUTPUT, f"The gradient with respect to input {{i}} is independent of the inputs of the user-provided function. {_STRICT}."),
    "jvp": ("The gradient with respect to the input is independent of entry {i} in the grad_outputs when using the double backward trick to "
            f"compute forward mode gradients. {_STRICT}.", _JACOBIAN + _GRAPH),
    "first derivative": (_OUTPUT, "While computing the hessian, found that the jacobian of the user-provided function with respect to input {i} is "
                         f"independent of the input. {_STRICT}. You should ensure that your function is twice differentiable and that the "
                         "jacobian depends on the inputs (this would be violated by a linear function for example)."),
    "vhp": (_JACOBIAN + ".", _HESSIAN + _GRAPH),
    "gradient of hvp": (_JACOBIAN + ".", f"The hessian of the user-provided function with respect to input {{i}} is independent of the input. {_STRICT}. "
                        "You should ensure that your function is thrice differentiable and that the hessian depends on the inputs."),
    "hvp": (f"The hessian of the user-provided function is independent of entry {{i}} in the grad_jacobian. {_STRICT} as it prevents from using the "
            "double backward trick to replace forward mode AD.", _HESSIAN + _GRAPH),
}


def _check_outputs(outputs, strict):
    if strict:
        for i, y in enumerate(outputs):
            if not y.requires_grad:
                raise RuntimeError(f"Output {i} of the user-provided function does not require gradients. The outputs must be computed in a "
                                   "differentiable manner from the input when running in strict mode.")


def _gradients(outputs, inputs, weights, create_graph, strict, stage, output=0):
    """Gradients of the weighted outputs; zeros for inputs that the outputs do not depend on.

    Errors: RuntimeError for such inputs, if `strict`.
    """
    pairs = [(y, w) for y, w in zip(outputs, weights) if y.requires_grad]
    if pairs:
        found = grad([y for y, _ in pairs], inputs, [w for _, w in pairs], create_graph=create_graph, retain_graph=True, allow_unused=True)
    else:
        found = (None,) * len(inputs)
    if strict:
        for i, g in enumerate(found):
            if g is None or create_graph and not g.requires_grad:
                raise RuntimeError(_ERRORS[stage][g is not None].format(i=i, k=output))
    return [_t.zeros_like(x) if g is None else g for g, x in zip(found, inputs)]


def _weights(v, of, what, function):
    """The vector of a product as a tuple. It may be None for one tensor of one element."""
    if v is None:
        if len(of) != 1 or of[0].numel() != 1:
            raise RuntimeError(f"The vector v can only be None if the {what} a single Tensor with a single element.")
        return (_t.ones_like(of[0]),)
    given, _ = _tuple(v, "v", function)
    if len(given) != len(of):
        raise RuntimeError("The given v should contain a single Tensor." if len(of) == 1 else
                           f"v is a tuple of invalid length: should be {len(of)} but got {len(given)}.")
    for i, (a, b) in enumerate(zip(given, of)):
        if a.shape != b.shape:
            raise RuntimeError(f"{f'Entry {i} in ' if len(of) > 1 else ''}v has invalid size: should be {b.size()} but got {a.size()}.")
    return given


def _single_output(outputs, is_tuple, function):
    if is_tuple:
        raise RuntimeError(f"The function given to {function} should return a single Tensor")
    if outputs[0].numel() != 1:
        raise RuntimeError(f"The Tensor returned by the function given to {function} should contain a single element")


def vjp(func: _Function, inputs: Tensor | tuple[Tensor, ...], v: Tensor | tuple[Tensor, ...] | None = None, create_graph: bool = False,
        strict: bool = False) -> tuple[Any, Any]:
    """Returns the results of a function, and the product of a vector with its Jacobian.

    Args:
      func: function of Tensors that returns a Tensor or a tuple of Tensors
      inputs: its arguments
      v: the vector, with the shapes of the results; None is 1, for one result of one element
      create_graph: whether the results can be differentiated
      strict: whether independence of an input raises; otherwise its derivative is 0

    Shapes: any; the product as `inputs`.
    Errors: TypeError for inputs or results that are not Tensors; RuntimeError for a `v` of other
    shapes, and, if `strict`, for results that do not depend on an input.
    """
    with enable_grad():
        given, is_tuple = _tuple(inputs, "inputs", "vjp")
        x = _leaves(given, create_graph)
        y, several = _tuple(func(*x), "outputs of the user-provided function", "vjp")
        _check_outputs(y, strict)
        weights = _weights(v, y, "user-provided function returns", "vjp")
        found = _gradients(y, x, weights, create_graph, strict, "vjp")
    return _finished(y, several, create_graph), _finished(found, is_tuple, create_graph)


def _transposed_product(y, x, v, create_graph, strict, function):
    """The products of the Jacobian of y with v. The product of a vector u with the Jacobian is
    linear in u; its derivative with respect to u, applied to v, is the Jacobian times v.
    """
    u = tuple(_t.zeros_like(part).requires_grad_() for part in y)
    found = _gradients(y, x, u, True, strict, f"gradient of {function}")
    return _gradients(found, u, v, create_graph, strict, function)


def jvp(func: _Function, inputs: Tensor | tuple[Tensor, ...], v: Tensor | tuple[Tensor, ...] | None = None, create_graph: bool = False,
        strict: bool = False) -> tuple[Any, Any]:
    """Returns the results of a function, and the product of its Jacobian with a vector. It takes
    two backward passes.

    Args:
      func: function of Tensors that returns a Tensor or a tuple of Tensors
      inputs: its arguments
      v: the vector, with the shapes of the inputs; None is 1, for one input of one element
      create_graph: whether the results can be differentiated
      strict: whether independence of an input raises; otherwise its derivative is 0

    Shapes: any; the product as the results.
    Errors: TypeError for inputs or results that are not Tensors; RuntimeError for a `v` of other
    shapes, and, if `strict`, for results that do not depend on an input.
    """
    with enable_grad():
        given, _ = _tuple(inputs, "inputs", "jvp")
        x = _leaves(given, create_graph)
        weights = _weights(v, x, "input to the user-provided function is", "jvp")
        y, several = _tuple(func(*x), "outputs of the user-provided function", "jvp")
        _check_outputs(y, strict)
        product = _transposed_product(y, x, weights, create_graph, strict, "jvp")
    return _finished(y, several, create_graph), _finished(product, several, create_graph)


def jacobian(func: _Function, inputs: Tensor | tuple[Tensor, ...], create_graph: bool = False, strict: bool = False, vectorize: bool = False,
             strategy: str = "reverse-mode") -> Any:
    """Returns the Jacobian of a function: the derivatives of all elements of its results with
    respect to all elements of its inputs. It takes a backward pass for each element.

    Args:
      func: function of Tensors that returns a Tensor or a tuple of Tensors
      inputs: its arguments
      create_graph: whether the Jacobian can be differentiated
      strict: whether independence of an input raises; otherwise its derivative is 0
      vectorize: whether one backward pass computes all rows of the Jacobian, as by vmap
      strategy: "reverse-mode", or with `vectorize` "forward-mode", which needs one pass for all inputs

    Shapes: results (M...), inputs (N...), the Jacobian (M..., N...). With a tuple of inputs or of
    results it is a tuple of them, with both a tuple of tuples, whose first index is the result's.
    Errors: NotImplementedError for the strategy "forward-mode" without `vectorize`; TypeError for
    inputs or results that are not Tensors; RuntimeError, if `strict`, for results that do not depend
    on an input, and for `strict` with `vectorize`, or with that strategy.
    """
    if strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError('Expected strategy to be either "forward-mode" or "reverse-mode". Hint: If your function has more outputs than '
                             'inputs, "forward-mode" tends to be more performant. Otherwise, prefer to use "reverse-mode".')
    if strategy == "forward-mode":
        if strict:
            raise RuntimeError('torch.autograd.functional.jacobian: `strict=True` and `strategy="forward-mode"` are not supported together (yet). '
                               'Please either set `strict=False` or `strategy="reverse-mode"`.')
        if not vectorize:
            raise NotImplementedError("Computing Jacobian using forward-AD or forward-over-reverse Hessian is only implemented for `vectorize=True`.")
        return _forward_jacobian(func, inputs, create_graph)
    if strict and vectorize:
        raise RuntimeError("torch.autograd.functional.jacobian: `strict=True` and `vectorized=True` are not supported together. Please either set "
                           "`strict=False` or `vectorize=False`.")
    with enable_grad():
        given, is_tuple = _tuple(inputs, "inputs", "jacobian")
        x = _leaves(given, create_graph)
        y, several = _tuple(func(*x), "outputs of the user-provided function", "jacobian")
        _check_outputs(y, strict)
        parts = []
        for k, of in enumerate(y):
            if vectorize:
                parts.append(_rows_at_once(of, x, create_graph))
                continue
            rows = [_gradients([element], x, [_t.ones_like(element)], create_graph, strict, "jacobian", k) for element in of.reshape(-1)]
            parts.append(tuple(_t.stack(column).view(of.shape + part.shape) if rows else _t.zeros(of.shape + part.shape, dtype=part.dtype)
                               for part, column in zip(x, zip(*rows) if rows else [()] * len(x))))
    result = tuple(_finished(columns, is_tuple, create_graph) for columns in parts)
    return result if several else result[0]


def _rows_at_once(of, x, create_graph):
    """The derivatives of all elements of a result, by one pass with a batch of gradients."""
    found: Any = [None] * len(x)
    if of.requires_grad:
        units = _t.eye(of.numel(), dtype=of.dtype, device=of.device).reshape(of.numel(), *of.shape)
        found = grad(of, x, units, True, create_graph, allow_unused=True, is_grads_batched=True)
    return tuple(_t.zeros(of.shape + part.shape, dtype=part.dtype, device=part.device) if g is None else g.reshape(of.shape + part.shape)
                 for g, part in zip(found, x))


def _forward_jacobian(func, inputs, create_graph):
    """The Jacobian by a batch of tangents, one for each element of the inputs."""
    from torch_np.func import _forward, vmap

    given, is_tuple = _tuple(inputs, "inputs", "jacobian")
    several = False

    def results(*x):
        nonlocal several
        y, several = _tuple(func(*x), "outputs of the user-provided function", "jacobian")
        return y
    sizes = [x.numel() for x in given]
    with enable_grad():
        columns = vmap(lambda *t: _forward.pushed(results, given, t))(*_forward.directions(given, sizes))
        parts = [[part.reshape((*part.shape[:-1], *x.shape)) for part, x in zip(column.movedim(0, -1).split(sizes, -1), given)] for column in columns]
    result = tuple(_finished(part, is_tuple, create_graph) for part in parts)
    return result if several else result[0]


def hessian(func: _Function, inputs: Tensor | tuple[Tensor, ...], create_graph: bool = False, strict: bool = False, vectorize: bool = False,
            outer_jacobian_strategy: str = "reverse-mode") -> Any:
    """Returns the Hessian of a function of one element: its second derivatives.

    Args:
      func: function of Tensors that returns a Tensor with one element
      inputs: its arguments
      create_graph: whether the Hessian can be differentiated
      strict: whether independence of an input raises; otherwise its derivatives are 0
      vectorize: a hint without effect on the values: backward passes run one after another
      outer_jacobian_strategy: as `strategy` in `jacobian`, for the second derivative

    Shapes: for an input (N...) the Hessian is (N..., N...). For a tuple of inputs it is a tuple of
    tuples, one for each pair.
    Errors: NotImplementedError for the strategy "forward-mode" without `vectorize`; RuntimeError for a
    result of several elements, and, if `strict`, for independence of an input.
    """
    _, is_tuple = _tuple(inputs, "inputs", "hessian")

    def value(*x: Tensor) -> Any:
        result, several = _tuple(func(*x), "outputs of the user-provided function", "hessian")
        _check_outputs(result, strict)
        _single_output(result, several, "hessian")
        return result[0].reshape(())

    def gradient(*x: Tensor) -> Any:
        if outer_jacobian_strategy == "forward-mode":
            x = tuple(t.requires_grad_() for t in x)
        first = jacobian(value, x, create_graph=True)
        for i, g in enumerate(first):
            if strict and not g.requires_grad:
                raise RuntimeError(_ERRORS["first derivative"][1].format(i=i))
        return first if is_tuple else first[0]

    return jacobian(gradient, inputs, create_graph, strict, vectorize, outer_jacobian_strategy)


def _first_derivatives(func, inputs, create_graph, strict, function):
    given, is_tuple = _tuple(inputs, "inputs", function)
    x = _leaves(given, create_graph)
    y, several = _tuple(func(*x), "outputs of the user-provided function", function)
    _check_outputs(y, strict)
    _single_output(y, several, function)
    return x, y, _gradients(y, x, [_t.ones_like(y[0])], True, strict, "first derivative"), is_tuple


def vhp(func: _Function, inputs: Tensor | tuple[Tensor, ...], v: Tensor | tuple[Tensor, ...] | None = None, create_graph: bool = False,
        strict: bool = False) -> tuple[Any, Any]:
    """Returns the result of a function of one element, and the product of a vector with its
    Hessian.

    Args:
      func: function of Tensors that returns a Tensor with one element
      inputs: its arguments
      v: the vector, with the shapes of the inputs; None is 1, for one input of one element
      create_graph: whether the results can be differentiated
      strict: whether independence of an input raises; otherwise its derivative is 0

    Shapes: any; the product as `inputs`.
    Errors: RuntimeError for a result of several elements, for a `v` of other shapes, and, if
    `strict`, for independence of an input.
    """
    with enable_grad():
        x, y, first, is_tuple = _first_derivatives(func, inputs, create_graph, strict, "vhp")
        weights = _weights(v, x, "input to the user-provided function is", "vhp")
        product = _gradients(first, x, weights, create_graph, strict, "vhp")
    return _finished(y, False, create_graph), _finished(product, is_tuple, create_graph)


def hvp(func: _Function, inputs: Tensor | tuple[Tensor, ...], v: Tensor | tuple[Tensor, ...] | None = None, create_graph: bool = False,
        strict: bool = False) -> tuple[Any, Any]:
    """Returns the result of a function of one element, and the product of its Hessian with a
    vector. `vhp` gives the same with one backward pass less.

    Args:
      func: function of Tensors that returns a Tensor with one element
      inputs: its arguments
      v: the vector, with the shapes of the inputs; None is 1, for one input of one element
      create_graph: whether the results can be differentiated
      strict: whether independence of an input raises; otherwise its derivative is 0

    Shapes: any; the product as `inputs`.
    Errors: RuntimeError for a result of several elements, for a `v` of other shapes, and, if
    `strict`, for independence of an input.
    """
    with enable_grad():
        x, y, first, is_tuple = _first_derivatives(func, inputs, create_graph, strict, "hvp")
        weights = _weights(v, x, "input to the user-provided function is", "hvp")
        product = _transposed_product(first, x, weights, create_graph, strict, "hvp")
    return _finished(y, False, create_graph), _finished(product, is_tuple, create_graph)


def _construct_standard_basis_for(tensors: tuple[Tensor, ...], tensor_numels: tuple[int, ...]) -> tuple[Tensor, ...]:
    """PyTorch's private function: the columns of an identity matrix, as one matrix for each tensor. Its
    dtype and device are those of the tensor.
    """
    if len(tensors) != len(tensor_numels) or not tensors:
        raise AssertionError("Expected tensors and tensor_numels to have the same length, which is not 0")
    rows = sum(tensor_numels)
    chunks = tuple(t.new_zeros((rows, n)) for t, n in zip(tensors, tensor_numels))
    first = 0
    for chunk, n in zip(chunks, tensor_numels):
        chunk.diagonal(-first).fill_(1)
        first += n
    return chunks
