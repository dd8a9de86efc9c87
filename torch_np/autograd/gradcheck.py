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

import functools
import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from torch_np import _C
from torch_np._absent import absent_function
from torch_np._C import _torch
from torch_np.autograd import _gradcheck_backward as _backward, _gradcheck_values as _values
from torch_np.autograd._gradcheck_forward import Forward as _Forward
from torch_np.autograd._gradcheck_values import GradcheckError as GradcheckError
from torch_np.autograd._run import grad
from torch_np.autograd.grad_mode import enable_grad

if TYPE_CHECKING:
    from torch_np._typing import TensorLike


def gradcheck(func: Callable[..., Any], inputs: TensorLike | Sequence[Any], *, eps: float = 1e-6, atol: float = 1e-5, rtol: float = 1e-3,
              raise_exception: bool = True, nondet_tol: float = 0.0, check_undefined_grad: bool = True, check_grad_dtypes: bool = False,
              check_batched_grad: bool = False, check_batched_forward_grad: bool = False, check_forward_ad: bool = False,
              check_backward_ad: bool = True, fast_mode: bool = False, masked: bool | None = None) -> bool:
    """Whether the gradients of `func(*inputs)` agree with finite differences, for all inputs that
    require a gradient.

    They agree if |analytic - numeric| <= atol + rtol |numeric| for each element. Only outputs that
    require a gradient are compared; if there is none, the differences must be 0. Gradients must be 0 if
    those of the outputs are. The memory of the inputs is changed temporarily.

    Args:
      func: Function of the inputs that returns arrays.
      inputs: Arguments of the function; those that require a gradient are float64 or complex128.
      eps: Step of the finite differences.
      atol: Absolute tolerance.
      rtol: Relative tolerance.
      raise_exception: Whether a difference raises GradcheckError; otherwise False is returned.
      nondet_tol: Largest difference allowed between the gradients of two runs.
      check_undefined_grad: Whether to check that outputs without a gradient count as outputs whose
        gradient is 0, and inputs without a tangent as inputs whose tangent is 0. It calls the function
        again.
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
    RuntimeError if elements of an input share memory; AssertionError if there is nothing to check, for a
    check of batches without the check that it extends, and if the shapes or dtypes of the outputs depend
    on the values of the inputs. Inputs of other dtypes give a UserWarning.
    """
    if not (check_backward_ad or check_forward_ad):
        raise AssertionError("Expected at least one of check_forward_ad or check_backward_ad to be True")
    if check_batched_forward_grad and not check_forward_ad:
        raise AssertionError("Setting check_batched_forward_grad=True requires check_forward_ad to be True")
    if check_batched_grad and not check_backward_ad:
        raise AssertionError("Setting check_batched_grad=True requires check_backward_ad to be True")
    if any(_C._is_sparse(x) and _values.wants_grad(x) for x in _as_tuple(inputs)):
        from torch_np.sparse import _gradcheck

        return _gradcheck.check_sparse(gradcheck, func, inputs, masked, eps=eps, atol=atol, rtol=rtol, raise_exception=raise_exception,
                                       nondet_tol=nondet_tol, check_undefined_grad=check_undefined_grad, check_batched_grad=check_batched_grad,
                                       check_forward_ad=check_forward_ad)
    inputs = _as_tuple(inputs)
    _check_inputs(inputs)
    try:
        outputs = _values.outputs_of(func, inputs)

        @functools.cache
        def differences(number):
            return _values.differences(func, inputs, inputs[number], eps)
        if check_backward_ad:
            _check_backward(func, inputs, outputs, differences, eps, atol, rtol, nondet_tol, check_batched_grad, check_undefined_grad)
        if check_forward_ad:
            forward = _Forward(func, inputs, check_batched_forward_grad)
            for i, x in enumerate(inputs):
                if _values.wants_grad(x):
                    forward.check(i, differences(i), len(outputs), atol, rtol)
            if check_undefined_grad:
                forward.check_undefined()
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def _as_tuple(inputs):
    return (inputs,) if _values.is_array(inputs) else tuple(inputs)


def _check_inputs(inputs):
    wanted = [(i, x) for i, x in enumerate(inputs) if _values.wants_grad(x)]
    if not wanted:
        raise ValueError("gradcheck expects at least one input tensor to require gradient, but none of the them have "
                         "requires_grad=True.")
    for i, x in wanted:
        t = _values.plain(x)
        if t.dtype not in (_C.float64, _C.complex128):
            warnings.warn(f"Input #{i} requires gradient and is not a double precision floating point or complex. "
                          "This check will likely fail if all the inputs are not of double precision floating point or complex. ", stacklevel=4)
        if any(stride == 0 and size > 1 for stride, size in zip(t.stride(), t.shape)):
            raise RuntimeError(f"The {i}th input has a dimension with stride 0. gradcheck only supports inputs that are non-overlapping to be able to "
                               "compute the numerical gradients correctly. You should call .contiguous on the input before passing it to gradcheck.")


def _check_backward(func, inputs, outputs, differences, eps, atol, rtol, nondet_tol, batched, undefined):
    places = [i for i, x in enumerate(inputs) if _values.wants_grad(x)]
    wanted = [inputs[i] for i in places]
    numbers = [k for k, o in enumerate(outputs) if _values.wants_grad(o)]
    if not numbers:
        if any(v for i in places for row in differences(i) for values in row for v in values):
            raise GradcheckError("Numerical gradient for function expected to be zero: no output requires a gradient")
        return
    outputs = [outputs[k] for k in numbers]
    analytic = [_values.gradients(o, wanted) for o in outputs]
    _backward.check_determined(analytic, [_values.gradients(o, wanted) for o in outputs], nondet_tol)
    for which, (number, x) in enumerate(zip(places, wanted)):
        numeric = differences(number)
        if numeric and len(numeric[0]) <= numbers[-1]:
            raise GradcheckError(f"the function returned fewer outputs when inputs are perturbed by {eps}")
        for k, output in enumerate(outputs):
            _compare(output, k, number, _values.is_complex(x), [rows[which] for rows in analytic[k]], [row[numbers[k]] for row in numeric], atol, rtol)
    if batched:
        _backward.check_batches(outputs, wanted)
    if undefined:
        _backward.check_undefined(func, inputs, wanted)
    _backward.check_proportional(outputs, wanted)


def _compare(output, k, number, is_complex_input, analytic, numeric, atol, rtol):
    """Compares the gradients of an output by an input with the differences. For a complex output the imaginary part comes first."""
    parts = ("imaginary", "real") if _values.is_complex(output) else (None,)
    for p, part in enumerate(parts):
        for j, values in enumerate(numeric):
            found = _values.directions(values, part is not None)
            for i in range(len(parts) - 1 - p, len(found), len(parts)):
                a, n = analytic[i][j], found[i]
                if abs(a - n) <= atol + rtol * abs(n):
                    continue
                note = " (elements count the real and the imaginary part separately)" if part or is_complex_input else ""
                raise GradcheckError(
                    (f"While considering the {part} part of complex outputs only, " if part else "") +
                    f"Jacobian mismatch for output {k} with respect to input {number}: output {k}, element {i}, with respect to input {number}, "
                    f"element {j}: analytic {a!r}, numeric {n!r}{note}")


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
      check_undefined_grad: As in `gradcheck`.
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
    if any(_C._is_sparse(x) and _values.wants_grad(x) for x in inputs):
        from torch_np.sparse import _gradcheck

        return _gradcheck.check_sparse(gradgradcheck, func, inputs, masked, grad_outputs=grad_outputs, eps=eps, atol=atol, rtol=rtol,
                                       gen_non_contig_grad_outputs=gen_non_contig_grad_outputs, raise_exception=raise_exception,
                                       nondet_tol=nondet_tol, check_undefined_grad=check_undefined_grad, check_batched_grad=check_batched_grad,
                                       check_fwd_over_rev=check_fwd_over_rev)
    used = _values.outputs_of(func, inputs)
    wanted = [i for i, x in enumerate(inputs) if _values.wants_grad(x)]
    trained = [k for k, o in enumerate(used) if _values.wants_grad(o)]
    if not trained:
        return True  # no output requires a gradient
    if grad_outputs is None:
        grad_outputs = [_values.normal_like(used[k], gen_non_contig_grad_outputs) for k in trained]
    grad_outputs = _as_tuple(grad_outputs)
    n = len(inputs)

    def first_derivative(*args):
        xs, weights = list(args[:n]), args[n:]
        for i in wanted:
            if not _values.wants_grad(xs[i]):  # a tensor with a tangent
                leaf = _C._without_history(_values.as_torch(xs[i])).requires_grad_()
                xs[i] = _values.in_face_of(xs[i], leaf)
        with enable_grad():
            outputs = _values.outputs_of(func, xs)
            grads = grad([outputs[k] for k in trained], [xs[i] for i in wanted], weights, create_graph=True, allow_unused=True)
        return [g for g in grads if g is not None]

    return gradcheck(first_derivative, inputs + grad_outputs, eps=eps, atol=atol, rtol=rtol,
                     raise_exception=raise_exception, nondet_tol=nondet_tol, check_undefined_grad=check_undefined_grad,
                     check_batched_grad=check_batched_grad, check_forward_ad=check_fwd_over_rev, check_backward_ad=check_rev_over_rev)


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
    of = [x for x in (_as_tuple(inputs) if target is None else _as_tuple(target)) if _values.wants_grad(x)]
    return [_matrix(_values.differences(lambda *x: fn(x), inputs, x, eps), 0) for x in of]


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
    wanted = [x for x in _as_tuple(inputs) if _values.wants_grad(x)]
    rows, again = _values.gradients(output, wanted), _values.gradients(output, wanted)
    try:
        _backward.check_determined([rows], [again], nondet_tol)
        same = True
    except GradcheckError:
        same = False
    jacobians = tuple(_torch.tensor([row[i] for row in rows], dtype=_C.float64).transpose(0, 1) for i in range(len(wanted)))
    return jacobians, same, True, True


get_numerical_jacobian_wrt_specific_input = absent_function(
    "get_numerical_jacobian_wrt_specific_input", "use get_numerical_jacobian, or torch_np.autograd.functional.jacobian", __name__)
