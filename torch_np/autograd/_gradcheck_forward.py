"""Checks of tangents for gradcheck."""
from __future__ import annotations

import numpy

from torch_np._C import _torch
from torch_np.autograd._gradcheck_values import BATCHES_DIFFER, GradcheckError, as_torch, components, flat, in_face_of, normal_like, outputs_of, plain, wants_grad


class Forward:
    """Checks of the tangents of a function's outputs.

    Args:
      batched: Whether to check batches of tangents.
    """

    def __init__(self, func, inputs, batched):
        self._func, self._inputs, self._batched = func, inputs, batched
        self._wanted = [i for i, x in enumerate(inputs) if wants_grad(x)]

    def check(self, number, numeric, count, atol, rtol):
        """Checks the tangents of `count` outputs along a random direction of an input."""
        x = self._inputs[number]
        direction = plain(normal_like(x))
        zeros = {i: _torch.zeros_like(plain(self._inputs[i])) for i in self._wanted}
        found = self._tangents(zeros | {number: direction})
        weights = components(x, direction)
        for k in range(count if numeric else 0):
            expected = [sum(w * row[k][i] for w, row in zip(weights, numeric)) for i in range(len(numeric[0][k]))]
            for e, f in zip(expected, [0.0] * len(expected) if found[k] is None else flat(found[k]), strict=True):
                if not abs(e - f) <= atol + rtol * abs(e):
                    raise GradcheckError(f"Jacobian computed with forward mode mismatch for output {k} with respect to input {number}: "
                                         f"a tangent is {f!r}, and {e!r} by finite differences")
        if self._batched:
            self._check_batch(number, direction)

    def _tangents(self, directions):
        """The tangents of the outputs, for tangents of some inputs by their numbers. The others have none."""
        from torch_np.autograd import forward_ad

        def given(i, x):
            if not wants_grad(x):
                return x
            made = forward_ad.make_dual(plain(x), directions[i]) if i in directions else plain(x)
            return in_face_of(x, made)
        with forward_ad.dual_level():
            outputs = outputs_of(self._func, [given(i, x) for i, x in enumerate(self._inputs)])
            results = [forward_ad.unpack_dual(as_torch(o)).tangent for o in outputs]
        return [None if t is None else t.detach() for t in results]

    def _check_batch(self, number, direction):
        """Checks that a batch of two tangents of an input gives the tangents of its members."""
        from torch_np.func import vmap

        members = [direction, 2 * direction]
        each = [self._tangents({number: t}) for t in members]
        has_tangent = [t is not None for t in each[0]]

        def tangents(t):
            return tuple(_torch.zeros_like(one) if g is None else g
                         for one, g in zip(each[0], self._tangents({number: t})) if one is not None)
        try:
            batches = iter(vmap(tangents)(_torch.stack(members)) if any(has_tangent) else ())
        except RuntimeError as error:
            raise GradcheckError(f"{BATCHES_DIFFER}, got: {error}") from error
        for k, has in enumerate(has_tangent):
            if has and not numpy.allclose(flat(next(batches)), [v for ts in each for v in flat(ts[k])], equal_nan=True):
                raise GradcheckError(f"{BATCHES_DIFFER}: a tangent of a batch differs")

    def check_undefined(self):
        """Checks that an input without a tangent counts as one whose tangent is 0."""
        directions = {i: plain(normal_like(self._inputs[i])) for i in self._wanted}
        for number in self._wanted:
            others = {i: t for i, t in directions.items() if i != number}
            zero = self._tangents(others | {number: _torch.zeros_like(directions[number])})
            for k, (one, other) in enumerate(zip(zero, self._tangents(others), strict=True)):
                if one is not None and other is not None and not numpy.allclose(flat(one), flat(other), equal_nan=True):
                    raise GradcheckError(f"Mismatch in tangent values for output {k} when input {number} has an undefined tangent value. "
                                         f"Got: {other} but expected: {one}")
