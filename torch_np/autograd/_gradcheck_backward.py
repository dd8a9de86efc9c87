"""Checks of gradients beyond the Jacobian: repeated passes, batches, and output gradients that are zero or missing."""
from __future__ import annotations

import warnings

import numpy

from torch_np import _C
from torch_np._C import _torch
from torch_np.autograd._gradcheck_values import BATCHES_DIFFER, GradcheckError, as_torch, check_gradient, flat, normal_like, outputs_of, plain, wants_grad
from torch_np.autograd._run import _stacked, grad


def check_batches(outputs, wanted):
    """Checks that a batch of gradients of an output gives the gradients of its members."""
    for output in outputs:
        members = [normal_like(output).detach() if isinstance(output, _C.Tensor) else normal_like(output) for _ in range(2)]
        try:
            batches = grad(output, wanted, _stacked(members), retain_graph=True, allow_unused=True, is_grads_batched=True)
        except RuntimeError as error:
            raise GradcheckError(f"{BATCHES_DIFFER}, got: {error}") from error
        for i, member in enumerate(members):
            for batch, one in zip(batches, grad(output, wanted, member, retain_graph=True, allow_unused=True)):
                if (batch is None) != (one is None) or one is not None and not numpy.allclose(flat(batch[i]), flat(one), equal_nan=True):
                    raise GradcheckError(f"{BATCHES_DIFFER}: a gradient of a batch differs")


def check_determined(first, second, tolerance):
    """Checks that two backward passes give the same gradients."""
    for rows, others in zip(first, second):
        for row, other in zip(rows, others):
            for values, again in zip(row, other):
                if any(abs(a - b) > tolerance for a, b in zip(values, again)):
                    raise GradcheckError("Backward is not reentrant, i.e., running backward with same input and grad_output multiple times gives "
                                         f"different values. The tolerance for nondeterminism was nondet_tol={tolerance}.")


def check_proportional(outputs, wanted):
    """Checks that gradients of outputs that are 0 give gradients that are 0."""
    seeds = [_torch.zeros_like(plain(o)) for o in outputs]
    for g, x in zip(grad(outputs, wanted, seeds, retain_graph=True, allow_unused=True), wanted):
        check_gradient(g, x)
        if g is not None and any(flat(g)):
            raise GradcheckError("backward not multiplied by grad_output: the gradient is not 0 where that of the outputs is")


def check_undefined(func, inputs, wanted):
    """Checks that the gradients are 0, or None, if the gradients of all outputs, or of one, are None and the others 0."""
    from torch_np._C._functions import UndefinedGrad

    def outputs():
        return [as_torch(o) for o in outputs_of(func, inputs) if wants_grad(o)]

    undefined = UndefinedGrad()
    cases = [[undefined(o) for o in outputs()]]
    if len(cases[0]) > 1:
        cases += [[undefined(o) if i == k else o for i, o in enumerate(outputs())] for k in range(len(cases[0]))]
    for case in cases:
        try:
            found = grad(case, wanted, [_torch.zeros_like(plain(o)) for o in case], allow_unused=True)
        except RuntimeError as error:
            _warn_undefined()
            raise GradcheckError("Expected backward function to handle undefined output grads: the gradients of outputs that were not used are None, "
                                 f"and backward raised: {error}") from error
        if any(g is not None and any(flat(g)) for g in found):
            _warn_undefined()
            raise GradcheckError("Expected all input grads to be undefined or zero when all output grads are undefined or zero.")


def _warn_undefined():
    warnings.warn("Backwards compatibility: New undefined gradient support checking feature is enabled by default, but it may break existing "
                  'callers of this function. If this is true for you, you can call this function with "check_undefined_grad=False" to disable '
                  "the feature", stacklevel=6)
