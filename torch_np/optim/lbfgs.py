"""LBFGS: the limited-memory BFGS (Broyden-Fletcher-Goldfarb-Shanno) method."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch_np
from torch_np import Tensor
from torch_np._C import _is_sparse
from torch_np.optim._fused import check_lr
from torch_np.optim.optimizer import Optimizer, ParamsT

Evaluate = Callable[[float, Tensor], "tuple[float, Tensor]"]


def _minimum_of_cubic(x1: float, f1: float, g1: float, x2: float, f2: float, g2: float, low: float | None = None,
                      high: float | None = None) -> float:
    """The minimum, within the bounds, of the cubic through two points with given slopes.

    Source: Nocedal and Wright, Numerical Optimization, 2nd edition, equation 3.59.
    """
    if low is None or high is None:
        low, high = min(x1, x2), max(x1, x2)
    d1 = g1 + g2 - 3 * (f1 - f2) / (x1 - x2)
    square = d1 * d1 - g1 * g2
    if not square >= 0:
        return (low + high) / 2
    d2 = square ** 0.5
    if x1 <= x2:
        x = x2 - (x2 - x1) * ((g2 + d2 - d1) / (g2 - g1 + 2 * d2))
    else:
        x = x1 - (x1 - x2) * ((g1 + d2 - d1) / (g1 - g2 + 2 * d2))
    return min(max(x, low), high)


def _strong_wolfe(evaluate: Evaluate, t: float, d: Tensor, f: float, g: Tensor, slope: float, c1: float = 1e-4, c2: float = 0.9,
                  tolerance_change: float = 1e-9, most: int = 25) -> tuple[float, Tensor, float, int]:
    """Finds a step length along `d` that satisfies the strong Wolfe conditions.

    The search first brackets such a length, and then narrows the bracket. Returns the loss, the
    gradient, the step length and the number of evaluations.

    Source: Nocedal and Wright, algorithms 3.5 and 3.6.
    """
    size = float(d.abs().max())
    f_new, g_new = evaluate(t, d)
    evaluations, slope_new = 1, float(g_new.dot(d))
    t_old, f_old, g_old, slope_old = 0.0, f, g, slope
    done, iteration = False, 0
    bracket: list[tuple[float, float, Tensor, float]] = []
    while iteration < most:
        now = (t, f_new, g_new.clone(), slope_new)
        if f_new > f + c1 * t * slope or (iteration > 1 and f_new >= f_old):
            bracket = [(t_old, f_old, g_old, slope_old), now]
            break
        if abs(slope_new) <= -c2 * slope:
            bracket, done = [now], True
            break
        if slope_new >= 0:
            bracket = [(t_old, f_old, g_old, slope_old), now]
            break
        least, largest = t + 0.01 * (t - t_old), t * 10
        before, t = t, _minimum_of_cubic(t_old, f_old, slope_old, t, f_new, slope_new, least, largest)
        t_old, f_old, g_old, slope_old = before, f_new, g_new.clone(), slope_new
        f_new, g_new = evaluate(t, d)
        evaluations, slope_new, iteration = evaluations + 1, float(g_new.dot(d)), iteration + 1
    if iteration == most:
        bracket = [(0.0, f, g, slope), (t, f_new, g_new, slope_new)]
    slow = False
    low, high = (0, 1) if bracket[0][1] <= bracket[-1][1] else (1, 0)
    while not done and iteration < most:
        ends = [b[0] for b in bracket]
        width = abs(ends[1] - ends[0])
        if width * size < tolerance_change:
            break
        t = _minimum_of_cubic(bracket[0][0], bracket[0][1], bracket[0][3], bracket[1][0], bracket[1][1], bracket[1][3])
        margin = 0.1 * (max(ends) - min(ends))
        if min(max(ends) - t, t - min(ends)) < margin:
            if slow or t >= max(ends) or t <= min(ends):
                t = max(ends) - margin if abs(t - max(ends)) < abs(t - min(ends)) else min(ends) + margin
                slow = False
            else:
                slow = True
        else:
            slow = False
        f_new, g_new = evaluate(t, d)
        evaluations, slope_new, iteration = evaluations + 1, float(g_new.dot(d)), iteration + 1
        now = (t, f_new, g_new.clone(), slope_new)
        if f_new > f + c1 * t * slope or f_new >= bracket[low][1]:
            bracket[high] = now
            low, high = (0, 1) if bracket[0][1] <= bracket[1][1] else (1, 0)
        else:
            if abs(slope_new) <= -c2 * slope:
                done = True
            elif slope_new * (bracket[high][0] - bracket[low][0]) >= 0:
                bracket[high] = bracket[low]
            bracket[low] = now
    t, f_new, g_new, _ = bracket[low if len(bracket) > 1 else 0]
    return f_new, g_new, t, evaluations


class LBFGS(Optimizer):
    """L-BFGS optimiser, a quasi-Newton method with an approximate inverse Hessian.

    The Hessian is built from the last `history_size` changes of parameters and gradients. It
    supports a single parameter group.

    Args:
      params: parameters to optimise: Tensors, (name, Tensor) pairs, or dictionaries that each
        define a group by "params" and options of its own
      lr: step length without a line search, and the initial one with it
      max_iter: largest number of steps in a call of `step(closure)`
      max_eval: largest number of closure calls in a call of `step(closure)`; `max_iter * 5 // 4` by
        default
      tolerance_grad: stop when no element of the gradient is larger
      tolerance_change: stop when neither a parameter nor the loss changes by more
      history_size: number of past changes kept
      line_search_fn: "strong_wolfe", or None for steps of fixed length
      maximize: step along the gradient instead of against it

    Errors: ValueError for more than one group and for a negative lr; RuntimeError if
    `line_search_fn` is neither "strong_wolfe" nor None.
    Source: Liu and Nocedal, Math. Program. 45 (1989) 503.
    """

    def __init__(self, params: ParamsT, lr: float | Tensor = 1, max_iter: int = 20, max_eval: int | None = None,
                 tolerance_grad: float = 1e-7, tolerance_change: float = 1e-9, history_size: int = 100,
                 line_search_fn: str | None = None, *, maximize: bool = False) -> None:
        check_lr(lr)
        if max_eval is None:
            max_eval = max_iter * 5 // 4
        super().__init__(params, dict(lr=lr, max_iter=max_iter, max_eval=max_eval, tolerance_grad=tolerance_grad,
                                      tolerance_change=tolerance_change, history_size=history_size, line_search_fn=line_search_fn,
                                      maximize=maximize))
        if len(self.param_groups) != 1:
            raise ValueError("LBFGS doesn't support per-parameter options (parameter groups)")
        self._params: list[Tensor] = self.param_groups[0]["params"]

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self._params = self.param_groups[0]["params"]

    def _gradient(self) -> Tensor:
        parts = []
        for p in self._params:
            part = torch_np.zeros_like(p) if p.grad is None else p.grad.to_dense() if _is_sparse(p.grad) else p.grad
            parts.append((torch_np.view_as_real(part) if part.is_complex() else part).reshape(-1))
        flat = torch_np.cat(parts)
        return -flat if self.param_groups[0]["maximize"] else flat

    def _move(self, t: float, direction: Tensor) -> None:
        first = 0
        for p in self._params:
            real = torch_np.view_as_real(p) if p.is_complex() else p
            n = real.numel()
            real.add_(direction[first:first + n].reshape(real.shape) * t)
            first += n

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Performs up to `max_iter` steps and returns the loss at the start.

        Args:
          closure: function that clears the gradients, computes the loss and its gradients, and
            returns the loss; it is called several times

        Errors: TypeError without a closure.
        """
        if closure is None:
            raise TypeError("LBFGS.step() needs a closure that computes the loss")
        with torch_np.no_grad():
            return self._step(closure)

    def _step(self, closure: Callable[[], Any]) -> Any:
        def loss_at() -> Any:
            with torch_np.enable_grad():
                return closure()

        group = self.param_groups[0]
        lr, most, most_evaluations = float(group["lr"]), group["max_iter"], group["max_eval"]
        search, size = group["line_search_fn"], group["history_size"]
        sign = -1.0 if group["maximize"] else 1.0
        state = self.state[self._params[0]]
        state.setdefault("func_evals", 0)
        state.setdefault("n_iter", 0)
        original = loss_at()
        loss, evaluations = sign * float(original), 1
        state["func_evals"] += 1
        g = self._gradient()
        if g.abs().max() <= group["tolerance_grad"]:
            return original
        def of_state(name: str) -> Any:
            return state.get(name)

        d, t, old_dirs, old_stps, ro = (of_state(k) for k in ("d", "t", "old_dirs", "old_stps", "ro"))
        h_diag, previous_g, previous_loss = (of_state(k) for k in ("H_diag", "prev_flat_grad", "prev_loss"))
        iteration = 0
        while iteration < most:
            iteration += 1
            state["n_iter"] += 1
            if state["n_iter"] == 1:
                d, old_dirs, old_stps, ro, h_diag = -g, [], [], [], 1
            else:
                y, s = g - previous_g, d * t
                ys = y.dot(s)
                if ys > 1e-10:
                    if len(old_dirs) == size:
                        old_dirs.pop(0), old_stps.pop(0), ro.pop(0)
                    old_dirs.append(y)
                    old_stps.append(s)
                    ro.append(1.0 / ys)
                    h_diag = ys / y.dot(y)
                state.setdefault("al", [None] * size)
                factors, q = state["al"], -g
                for i in reversed(range(len(old_dirs))):
                    factors[i] = old_stps[i].dot(q) * ro[i]
                    q = q - old_dirs[i] * factors[i]
                d = q * h_diag
                for i in range(len(old_dirs)):
                    d = d + old_stps[i] * (factors[i] - old_dirs[i].dot(d) * ro[i])
            previous_g, previous_loss = g.clone(), loss
            t = min(1.0, 1.0 / float(g.abs().sum())) * lr if state["n_iter"] == 1 else lr
            slope = float(g.dot(d))
            if slope > -group["tolerance_change"]:
                break
            here = 0
            if search is not None:
                if search != "strong_wolfe":
                    raise RuntimeError("only 'strong_wolfe' is supported")
                start = [p.clone() for p in self._params]

                def evaluate(length: float, direction: Tensor) -> tuple[float, Tensor]:
                    self._move(length, direction)
                    value, gradient = sign * float(loss_at()), self._gradient()
                    for p, x in zip(self._params, start):
                        p.copy_(x)
                    return value, gradient

                loss, g, t, here = _strong_wolfe(evaluate, t, d, loss, g, slope)
                self._move(t, d)
                flat = bool(g.abs().max() <= group["tolerance_grad"])
            else:
                self._move(t, d)
                flat = False
                if iteration != most:
                    loss = sign * float(loss_at())
                    g = self._gradient()
                    flat = bool(g.abs().max() <= group["tolerance_grad"])
                    here = 1
            evaluations += here
            state["func_evals"] += here
            if (iteration == most or evaluations >= most_evaluations or flat or (d * t).abs().max() <= group["tolerance_change"]
                    or abs(loss - previous_loss) < group["tolerance_change"]):
                break
        state.update(d=d, t=t, old_dirs=old_dirs, old_stps=old_stps, ro=ro, H_diag=h_diag, prev_flat_grad=previous_g,
                     prev_loss=previous_loss)
        return original
