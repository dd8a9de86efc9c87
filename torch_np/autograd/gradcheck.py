"""Checks of derivatives against finite differences.

The analytic derivatives take one backward pass for each output element, the numerical ones a
central difference for each input element. Complex numbers have two directions, which are compared
separately. A gradient g of a real L at x means dL/d(Re x) = Re g and dL/d(Im x) = Im g. A complex
output f counts as the two real functions Re f (gradient 1) and Im f (gradient 1j).

Inputs are float64 or complex128, as rounding errors dominate differences in lower precision. The
truncation error of a central difference is O(eps^2) and its rounding error O(1e-16 / eps), so eps =
1e-6 leaves about 9 digits of a value near 1.
"""
from __future__ import annotations

import itertools
import random
import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy

from torch_np import _C
from torch_np._absent import absent_function
from torch_np._C import _torch
from torch_np._torch.arguments import as_tensor
from torch_np.autograd._run import _stacked, grad
from torch_np.autograd.grad_mode import enable_grad

if TYPE_CHECKING:
    from torch_np._typing import TensorLike


class GradcheckError(RuntimeError):
    """Raised if an analytic gradient differs from the finite differences."""


def _is_array(value):
    return _C._is_array(value)


def _tensor(value):
    """Returns an array as a Tensor without history."""
    return (value._torch() if _C._is_ndarray(value) else value).detach()


def _wants_grad(value):
    return _is_array(value) and (value._torch() if _C._is_ndarray(value) else value).requires_grad


def _indices(tensor):
    return itertools.product(*(range(n) for n in tensor.shape))


def _flat(value):
    """Returns the elements of an array as Python numbers, in row-major order."""
    def walk(item):
        if isinstance(item, list):
            for part in item:
                yield from walk(part)
        else:
            yield item
    return list(walk(_tensor(value).tolist()))


def _is_complex(value):
    return _tensor(value).dtype in (_C.complex64, _C.complex128)


def _is_inexact(value):
    return _is_array(value) and _tensor(value).dtype in (
        _C.float16, _C.bfloat16, _C.float32, _C.float64, _C.complex64, _C.complex128)


def _outputs(func, inputs):
    result = func(*inputs)
    several = isinstance(result, (tuple, list))
    # Without a gradient, 0-d results of the NumPy face are NumPy scalars.
    arrays = (as_tensor(o) if isinstance(o, numpy.generic) else o for o in (result if several else (result,)))
    return [o for o in arrays if _is_inexact(o)]


def _differences(func, inputs, x, eps):
    """Returns, for each element and direction of x, the derivatives of all outputs' elements, as
    one list for each output.
    """
    data = _tensor(x)
    rows = []
    for index in _indices(data):
        here = data[index].item()
        for step in (eps, eps * 1j) if _is_complex(x) else (eps,):
            sides = []
            for moved in (here + step, here - step):
                data[index] = moved
                # Gradients are recorded: the function may look at requires_grad.
                sides.append([_flat(o) for o in _outputs(func, inputs)])
            data[index] = here
            rows.append([[(a - b) / (2 * eps) for a, b in zip(up, down)] for up, down in zip(*sides, strict=True)])
    return rows


def _gradients(output, wanted):
    """Returns, for each element and direction of the output, the gradients of all `wanted`, as one
    list of real numbers for each input.
    """
    rows = []
    if not _wants_grad(output):
        n = len(_flat(output)) * (2 if _is_complex(output) else 1)
        return [[[0.0] * len(_components(x, None)) for x in wanted] for _ in range(n)]
    for index in _indices(_tensor(output)):
        for seed in (1.0, 1j) if _is_complex(output) else (1.0,):
            weight = _torch.zeros_like(_tensor(output))
            weight[index] = seed
            grads = grad(output, wanted, weight, retain_graph=True, allow_unused=True)
            for g, x in zip(grads, wanted):
                if g is not None and (tuple(g.shape) != tuple(x.shape) or g.dtype != x.dtype):
                    raise GradcheckError(f"a gradient has shape {tuple(g.shape)} and dtype {g.dtype}, but its input has shape {tuple(x.shape)} and dtype {x.dtype}")
            rows.append([_components(x, g) for x, g in zip(wanted, grads)])
    return rows


def _components(x, g):
    values = [0.0] * len(_flat(x)) if g is None else _flat(g)
    if not _is_complex(x):
        return values
    return [part for v in values for part in (complex(v).real, complex(v).imag)]


def _directions(values, is_complex):
    return [part for v in values for part in (v.real, v.imag)] if is_complex else [complex(v).real for v in values]


def gradcheck(func: Callable[..., Any], inputs: TensorLike | Sequence[Any], *, eps: float = 1e-6, atol: float = 1e-5, rtol: float = 1e-3,
              raise_exception: bool = True, nondet_tol: float = 0.0, check_undefined_grad: bool = True, check_grad_dtypes: bool = False,
              check_batched_grad: bool = False, check_batched_forward_grad: bool = False, check_forward_ad: bool = False,
              check_backward_ad: bool = True, fast_mode: bool = False, masked: bool | None = None) -> bool:
    """Whether the gradients of `func(*inputs)` agree with finite differences, for all inputs that
    require a gradient.

    They agree if |analytic - numeric| <= atol + rtol |numeric| for each element. The memory of the
    inputs is changed temporarily.

    Args:
      func: Function of the inputs that returns arrays.
      inputs: Arguments of the function; those that require a gradient are float64 or complex128.
      eps: Step of the finite differences.
      atol: Absolute tolerance.
      rtol: Relative tolerance.
      raise_exception: Whether a difference raises GradcheckError; otherwise False is returned.
      nondet_tol: Largest difference allowed between the gradients of two runs.
      check_undefined_grad: Ignored: outputs are differentiated one at a time, without gradients for
        the others.
      check_grad_dtypes: Ignored: dtypes are always compared.
      check_batched_grad: Whether to check the gradients of batches of output gradients, too
        (`is_grads_batched` of `grad`).
      check_batched_forward_grad: Whether to check the tangents for batches of tangents, too.
      check_forward_ad: Whether to check tangents (`autograd.forward_ad`), too: for each input, those
        along one random direction.
      check_backward_ad: Whether to check gradients.
      fast_mode: Ignored: all elements are always checked.
      masked: For sparse inputs, whether only elements that are specified are inputs; otherwise all are.

    Shapes: `inputs` any; all elements of all outputs are checked.
    Errors: GradcheckError for different gradients; ValueError if no input requires a gradient;
    AssertionError if there is nothing to check, and for a check of batches without the check that it
    extends. Inputs of other dtypes give a UserWarning.
    """
    if not (check_backward_ad or check_forward_ad):
        raise AssertionError("Expected at least one of check_forward_ad or check_backward_ad to be True")
    if check_batched_forward_grad and not check_forward_ad:
        raise AssertionError("Setting check_batched_forward_grad=True requires check_forward_ad to be True")
    if check_batched_grad and not check_backward_ad:
        raise AssertionError("Setting check_batched_grad=True requires check_backward_ad to be True")
    if any(_C._is_sparse(x) and _wants_grad(x) for x in _as_tuple(inputs)):
        from torch_np.sparse import _gradcheck

        return _gradcheck.check_sparse(gradcheck, func, inputs, masked, eps=eps, atol=atol, rtol=rtol, raise_exception=raise_exception,
                                       nondet_tol=nondet_tol, check_batched_grad=check_batched_grad, check_forward_ad=check_forward_ad)
    try:
        _check(func, _as_tuple(inputs), eps, atol, rtol, nondet_tol, check_batched_grad, check_backward_ad,
               _Forward(check_batched_forward_grad) if check_forward_ad else None)
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def _as_tuple(inputs):
    return (inputs,) if _is_array(inputs) else tuple(inputs)


def _check(func, inputs, eps, atol, rtol, nondet_tol, batched, backward, forward):
    wanted = [x for x in inputs if _wants_grad(x)]
    if not wanted:
        raise ValueError("gradcheck expects at least one input tensor to require gradient, but none of the them have "
                         "requires_grad=True.")
    for x in wanted:
        if _tensor(x).dtype not in (_C.float64, _C.complex128):
            warnings.warn(f"Input #{_inputs_index(inputs, x)} requires gradient and is not a double precision floating point or complex. "
                          "This check will likely fail if all the inputs are not of double precision floating point or complex. ", stacklevel=4)
    outputs = _outputs(func, inputs)
    analytic = [_gradients(o, wanted) for o in outputs] if backward else []
    if backward:
        _check_determined(analytic, [_gradients(o, wanted) for o in outputs], nondet_tol)
    if batched:
        _check_batches([o for o in outputs if _wants_grad(o)], wanted)
    is_complex = [_is_complex(o) for o in outputs]
    numerics = []
    for which, x in enumerate(wanted):
        number = _inputs_index(inputs, x)
        numeric = _differences(func, inputs, x, eps)
        for j, row in enumerate(numeric):
            if len(row) != len(outputs):
                raise GradcheckError(f"the function returned {len(outputs)} outputs with gradients enabled, and {len(row)} without")
            for k, values in enumerate(row if backward else ()):
                for i, n in enumerate(_directions(values, is_complex[k])):
                    a = analytic[k][i][which][j]
                    if not abs(a - n) <= atol + rtol * abs(n):
                        raise GradcheckError(
                            f"Jacobian mismatch for output {k} with respect to input {number}: output {k}, element {i}, with respect to input {number}, "
                            f"element {j}: analytic {a!r}, numeric {n!r}" +
                            (" (elements count the real and the imaginary part separately)"
                             if is_complex[k] or _is_complex(x) else ""))
        numerics.append((number, numeric))
    for number, numeric in numerics if forward is not None else ():
        forward.check(func, inputs, number, numeric, len(outputs), atol, rtol)


class _Forward:
    """Checks of tangents against the numerical Jacobian."""

    def __init__(self, batched: bool) -> None:
        self._batched = batched

    def check(self, func, inputs, number, numeric, count, atol, rtol):
        """Checks the tangents of `count` outputs along a random direction of an input."""
        direction = _tensor(_normal_like(inputs[number]))
        found = self._tangents(func, inputs, number, direction)
        weights = _components(inputs[number], direction)
        for k in range(count):
            if not numeric:
                continue
            expected = [sum(w * row[k][i] for w, row in zip(weights, numeric)) for i in range(len(numeric[0][k]))]
            for e, f in zip(expected, [0.0] * len(expected) if found[k] is None else _flat(found[k]), strict=True):
                if not abs(e - f) <= atol + rtol * abs(e):
                    raise GradcheckError(f"Jacobian computed with forward mode mismatch for output {k} with respect to input {number}: "
                                         f"a tangent is {f!r}, and {e!r} by finite differences")
        if self._batched:
            self._check_batch(func, inputs, number, direction, found)

    def _tangents(self, func, inputs, number, direction):
        """The tangents of the outputs, where those of the other inputs are 0."""
        from torch_np.autograd import forward_ad

        def dual(i, x):
            data = _tensor(x)
            made = forward_ad.make_dual(data, direction if i == number else _torch.zeros_like(data))
            return made._np_compat() if _C._is_ndarray(x) else made
        with forward_ad.dual_level():
            given = [dual(i, x) if _wants_grad(x) else x for i, x in enumerate(inputs)]
            results = [forward_ad.unpack_dual(o._torch() if _C._is_ndarray(o) else o).tangent for o in _outputs(func, given)]
        return [None if t is None else t.detach() for t in results]

    def _check_batch(self, func, inputs, number, direction, found):
        from torch_np.func import vmap

        def tangents(t):
            return tuple(_torch.zeros_like(f) if g is None else g for f, g in zip(shown, self._tangents(func, inputs, number, t)) if f is not None)
        shown = [None if t is None else t for t in found]
        try:
            batches = vmap(tangents)(_torch.stack([direction, 2 * direction]))
        except RuntimeError as error:
            raise GradcheckError(f"gradcheck or gradgradcheck failed while testing batched gradient computation, got: {error}") from error
        for batch, one in zip(batches, [t for t in found if t is not None]):
            if not numpy.allclose(_flat(batch), [*_flat(one), *_flat(2 * one)], equal_nan=True):
                raise GradcheckError("gradcheck or gradgradcheck failed while testing batched gradient computation: a tangent of a batch differs")


def _check_batches(outputs, wanted):
    """Checks that a batch of gradients of an output gives the gradients of its members."""
    for output in outputs:
        members = [_normal_like(output).detach() if isinstance(output, _C.Tensor) else _normal_like(output) for _ in range(2)]
        try:
            batches = grad(output, wanted, _stacked(members), retain_graph=True, allow_unused=True, is_grads_batched=True)
        except RuntimeError as error:
            raise GradcheckError(f"gradcheck or gradgradcheck failed while testing batched gradient computation, got: {error}") from error
        for i, member in enumerate(members):
            for batch, one in zip(batches, grad(output, wanted, member, retain_graph=True, allow_unused=True)):
                if (batch is None) != (one is None) or one is not None and not numpy.allclose(_flat(batch[i]), _flat(one), equal_nan=True):
                    raise GradcheckError("gradcheck or gradgradcheck failed while testing batched gradient computation: a gradient of a batch differs")


def _check_determined(first, second, tolerance):
    """Checks that two backward passes give the same gradients."""
    for k, (rows, others) in enumerate(zip(first, second)):
        for row, other in zip(rows, others):
            for values, again in zip(row, other):
                if any(abs(a - b) > tolerance for a, b in zip(values, again)):
                    raise GradcheckError(f"the gradients of output {k} differ between two runs by more than nondet_tol={tolerance}")


def _inputs_index(inputs, x):
    return next(i for i, y in enumerate(inputs) if y is x)


def gradgradcheck(func: Callable[..., Any], inputs: TensorLike | Sequence[Any], grad_outputs: Any = None, *, eps: float = 1e-6,
                  atol: float = 1e-5, rtol: float = 1e-3, gen_non_contig_grad_outputs: bool = False, raise_exception: bool = True,
                  nondet_tol: float = 0.0, check_undefined_grad: bool = True, check_grad_dtypes: bool = False,
                  check_batched_grad: bool = False, check_fwd_over_rev: bool = False, check_rev_over_rev: bool = True,
                  fast_mode: bool = False, masked: bool = False) -> bool:
    """Whether the second derivatives of `func` agree with finite differences: `gradcheck` of its
    gradients, with respect to `inputs` and to the gradients of its outputs.

    Args:
      func: Function of the inputs that returns arrays.
      inputs: Arguments of the function; those that require a gradient are float64 or complex128.
      grad_outputs: Gradients of the outputs; None draws them from a normal distribution with a
        fixed seed.
      eps: Step of the finite differences.
      atol: Absolute tolerance.
      rtol: Relative tolerance.
      gen_non_contig_grad_outputs: Whether the drawn `grad_outputs` are not contiguous.
      raise_exception: Whether a difference raises GradcheckError; otherwise False is returned.
      nondet_tol: Largest difference allowed between the gradients of two runs.
      check_undefined_grad: Ignored.
      check_grad_dtypes: Ignored: dtypes are always compared.
      check_batched_grad: As in `gradcheck`.
      check_fwd_over_rev: As `check_forward_ad` in `gradcheck`, of the gradients.
      check_rev_over_rev: As `check_backward_ad` in `gradcheck`, of the gradients.
      fast_mode: Ignored: all elements are always checked.
      masked: As in `gradcheck`.

    Shapes: each of `grad_outputs` as its output.
    Errors: GradcheckError for different gradients; ValueError for inputs without gradients;
    AssertionError if there is nothing to check.
    """
    if not (check_rev_over_rev or check_fwd_over_rev):
        raise AssertionError("Expected at least one of check_fwd_over_rev or check_rev_over_rev to be True")
    inputs = _as_tuple(inputs)
    if any(_C._is_sparse(x) and _wants_grad(x) for x in inputs):
        from torch_np.sparse import _gradcheck

        return _gradcheck.check_sparse(gradgradcheck, func, inputs, masked, grad_outputs=grad_outputs, eps=eps, atol=atol, rtol=rtol,
                                       gen_non_contig_grad_outputs=gen_non_contig_grad_outputs, raise_exception=raise_exception,
                                       nondet_tol=nondet_tol, check_batched_grad=check_batched_grad, check_fwd_over_rev=check_fwd_over_rev)
    used = _outputs(func, inputs)
    wanted = [i for i, x in enumerate(inputs) if _wants_grad(x)]
    trained = [k for k, o in enumerate(used) if _wants_grad(o)]
    if not trained:
        return True  # no output requires a gradient
    if grad_outputs is None:
        grad_outputs = [_normal_like(used[k], gen_non_contig_grad_outputs) for k in trained]
    grad_outputs = _as_tuple(grad_outputs)
    n = len(inputs)

    def first_derivative(*args):
        xs, weights = list(args[:n]), args[n:]
        for i in wanted:
            if not _wants_grad(xs[i]):  # a tensor with a tangent
                leaf = _C._without_history(xs[i]._torch() if _C._is_ndarray(xs[i]) else xs[i]).requires_grad_()
                xs[i] = leaf._np_compat() if _C._is_ndarray(xs[i]) else leaf
        with enable_grad():
            outputs = _outputs(func, xs)
            grads = grad([outputs[k] for k in trained], [xs[i] for i in wanted], weights, create_graph=True, allow_unused=True)
        return [g for g in grads if g is not None]

    return gradcheck(first_derivative, inputs + grad_outputs, eps=eps, atol=atol, rtol=rtol,
                     raise_exception=raise_exception, nondet_tol=nondet_tol, check_batched_grad=check_batched_grad,
                     check_forward_ad=check_fwd_over_rev, check_backward_ad=check_rev_over_rev)


def _normal_like(output, gaps=False):
    source = random.Random(0)
    weight = _torch.zeros_like(_tensor(output))
    if gaps:  # every other element of a tensor twice as large
        weight = _torch.stack([weight, weight], -1)[..., 0]
    for index in _indices(weight):
        value = source.gauss(0, 1)
        weight[index] = complex(value, source.gauss(0, 1)) if _is_complex(output) else value
    result = weight._np_compat() if _C._is_ndarray(output) else weight
    weight.requires_grad_()
    return result


def _warn_private(name, grad_out):
    warnings.warn(f"`{name}` was part of PyTorch's private API and not meant to be exposed. We are deprecating it and it will be removed in a "
                  "future version of PyTorch. If you have a specific use for this or feature request for this to be a stable API, please file us "
                  "an issue at https://github.com/pytorch/pytorch/issues/new", FutureWarning, stacklevel=3)
    if grad_out != 1.0:
        raise ValueError("Expected grad_out to be 1.0. The argument is deprecated.")


def get_numerical_jacobian(fn: Callable[..., Any], inputs: Sequence[Any], target: Any = None, eps: float = 1e-3, grad_out: float = 1.0) -> list[_C.Tensor]:
    """PyTorch's deprecated function: the Jacobians of the first output of `fn(inputs)` by central differences.

    Args:
      fn: Function of the tuple of inputs.
      inputs: The inputs; derivatives are computed for those that require a gradient.
      target: The inputs for which to compute derivatives; None is all of them.
      eps: Step of the differences.
      grad_out: Must be 1.

    Shapes: for each input a matrix (elements of the input, elements of the output).
    Errors: ValueError for another `grad_out`.
    """
    _warn_private("get_numerical_jacobian", grad_out)
    of = [x for x in (_as_tuple(inputs) if target is None else _as_tuple(target)) if _wants_grad(x)]
    return [_matrix(_differences(lambda *x: fn(x), inputs, x, eps), 0) for x in of]


def _matrix(rows, output):
    return _torch.tensor([row[output] for row in rows], dtype=_C.complex128 if any(isinstance(v, complex) for r in rows for v in r[output]) else _C.float64)


def get_analytical_jacobian(inputs: Sequence[Any], output: TensorLike, nondet_tol: float = 0.0,
                            grad_out: float = 1.0) -> tuple[tuple[_C.Tensor, ...], bool, bool, bool]:
    """PyTorch's deprecated function: the Jacobians of `output` by backward passes. It also returns whether two runs
    agree, and whether the gradients have the shapes and the dtypes of the inputs.

    Args:
      inputs: The inputs; derivatives are computed for those that require a gradient.
      output: A result of a function of the inputs.
      nondet_tol: Largest difference allowed between the gradients of two runs.
      grad_out: Must be 1.

    Shapes: for each input a matrix (elements of the input, elements of the output).
    Errors: ValueError for another `grad_out`.
    """
    _warn_private("get_analytical_jacobian", grad_out)
    wanted = [x for x in _as_tuple(inputs) if _wants_grad(x)]
    rows, again = _gradients(output, wanted), _gradients(output, wanted)
    try:
        _check_determined([rows], [again], nondet_tol)
        same = True
    except GradcheckError:
        same = False
    jacobians = tuple(_torch.tensor([row[i] for row in rows], dtype=_C.float64).transpose(0, 1) for i in range(len(wanted)))
    return jacobians, same, True, True


get_numerical_jacobian_wrt_specific_input = absent_function(
    "get_numerical_jacobian_wrt_specific_input", "use get_numerical_jacobian, or torch_np.autograd.functional.jacobian", __name__)
