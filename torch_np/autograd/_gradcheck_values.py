"""Values that gradcheck compares: central differences of a function, and its gradients, as Python numbers."""
from __future__ import annotations

import itertools
import random

import numpy

from torch_np import _C
from torch_np._C import _torch
from torch_np._torch.arguments import as_tensor
from torch_np.autograd._run import grad


BATCHES_DIFFER = "gradcheck or gradgradcheck failed while testing batched gradient computation"


class GradcheckError(RuntimeError):
    """Raised if an analytic gradient differs from the finite differences."""

    __module__ = "torch_np.autograd.gradcheck"


def is_array(value):
    return _C._is_array(value)


def as_torch(value):
    return value._torch() if _C._is_ndarray(value) else value


def in_face_of(value, tensor):
    """Returns a tensor as an array if `value` is one of the NumPy face."""
    return tensor._np_compat() if _C._is_ndarray(value) else tensor


def plain(value):
    """Returns an array as a Tensor without history."""
    return as_torch(value).detach()


def wants_grad(value):
    return is_array(value) and as_torch(value).requires_grad


def _indices(tensor):
    return itertools.product(*(range(n) for n in tensor.shape))


def flat(value):
    """Returns the elements of an array as Python numbers, in row-major order."""
    def walk(item):
        if isinstance(item, list):
            for part in item:
                yield from walk(part)
        else:
            yield item
    return list(walk(plain(value).tolist()))


def is_complex(value):
    return plain(value).dtype in (_C.complex64, _C.complex128)


def is_inexact(value):
    return is_array(value) and plain(value).dtype in (_C.float16, _C.bfloat16, _C.float32, _C.float64, _C.complex64, _C.complex128)


def outputs_of(func, inputs):
    """The results of the function that have a floating or complex dtype."""
    result = func(*inputs)
    several = isinstance(result, (tuple, list))
    # Without a gradient, 0-d results of the NumPy face are NumPy scalars.
    arrays = (as_tensor(o) if isinstance(o, numpy.generic) else o for o in (result if several else (result,)))
    return [o for o in arrays if is_inexact(o)]


def differences(func, inputs, x, eps):
    """Returns, for each element and direction of x, the derivatives of all outputs' elements, as
    one list for each output.
    """
    data = as_torch(x).data  # has a version of its own: graphs of x stay usable
    rows = []
    for index in _indices(data):
        here = data[index].item()
        for step in (eps, eps * 1j) if is_complex(x) else (eps,):
            sides = []
            for moved in (here + step, here - step):
                data[index] = moved
                # Gradients are recorded: the function may look at requires_grad.
                sides.append([plain(o) for o in outputs_of(func, inputs)])
                sides[-1] = [(o.shape, o.dtype, flat(o)) for o in sides[-1]]
            data[index] = here
            _check_alike(sides[0], sides[1], index, eps)
            rows.append([[(a - b) / (2 * eps) for a, b in zip(up, down)] for (*_, up), (*_, down) in zip(*sides, strict=True)])
    return rows


def _check_alike(above, below, index, eps):
    """Checks that outputs beside each other have the same shapes and dtypes."""
    if len(above) != len(below):
        raise AssertionError(f"Expected `func` to return as many outputs when inputs are perturbed on index {index} by {eps}, but got "
                             f"{len(above)} and {len(below)}.")
    for (shape, dtype, _), (other_shape, other_dtype, _) in zip(above, below):
        for word, one, other in (("shape", shape, other_shape), ("dtype", dtype, other_dtype)):
            if one != other:
                raise AssertionError(f"Expected `func` to return outputs with the same {word} when inputs are perturbed on index {index} by {eps}, "
                                     f"but got: {word}s {one} and {other}.")


def gradients(output, wanted):
    """Returns, for each element and direction of the output, the gradients of all `wanted`, as one
    list of real numbers for each input.
    """
    rows = []
    if not wants_grad(output):
        n = len(flat(output)) * (2 if is_complex(output) else 1)
        return [[[0.0] * len(components(x, None)) for x in wanted] for _ in range(n)]
    for index in _indices(plain(output)):
        for seed in (1.0, 1j) if is_complex(output) else (1.0,):
            weight = _torch.zeros_like(plain(output))
            weight[index] = seed
            grads = grad(output, wanted, weight, retain_graph=True, allow_unused=True)
            for g, x in zip(grads, wanted):
                check_gradient(g, x)
            rows.append([components(x, g) for x, g in zip(wanted, grads)])
    return rows


def check_gradient(g, x):
    """Checks the kind of a gradient."""
    if g is None:
        return
    if _C._is_sparse(g) and not _C._is_sparse(x):
        raise GradcheckError(f"grad is incorrect layout ({as_torch(g).layout} is not {as_torch(x).layout})")
    if tuple(g.shape) != tuple(x.shape) or g.dtype != x.dtype:
        raise GradcheckError(f"a gradient has shape {tuple(g.shape)} and dtype {g.dtype}, but its input has shape {tuple(x.shape)} and dtype {x.dtype}")


def components(x, g):
    """The elements of a gradient of x as real numbers; None is 0."""
    values = [0.0] * len(flat(x)) if g is None else flat(g)
    if not is_complex(x):
        return values
    return [part for v in values for part in (complex(v).real, complex(v).imag)]


def directions(values, is_complex):
    return [part for v in values for part in (v.real, v.imag)] if is_complex else [complex(v).real for v in values]


def normal_like(output, gaps=False):
    """Normally distributed numbers in the shape of an output, with a fixed seed. They require a gradient."""
    source = random.Random(0)
    weight = _torch.zeros_like(plain(output))
    if gaps:  # every other element of a tensor twice as large
        weight = _torch.stack([weight, weight], -1)[..., 0]
    for index in _indices(weight):
        value = source.gauss(0, 1)
        weight[index] = complex(value, source.gauss(0, 1)) if is_complex(output) else value
    return in_face_of(output, weight.requires_grad_())
