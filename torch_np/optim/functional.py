"""Steps of the optimisers as functions of lists of tensors.

Each function changes the parameters and the state in place, as one `step()` of the optimiser does,
and returns None. Programs call them under `no_grad()`, unless the step itself is differentiated.
The state tensors and options are those of the optimiser's class. `foreach`, `fused`, `capturable`
and `has_complex` choose among ways of the same result and have no effect; `differentiable` is given
by the mode of recording. Steps are composed of operators; the classes of torch_np.optim are faster.
"""
from __future__ import annotations

from typing import Any

from torch_np import Tensor
from torch_np._C import _is_sparse
from torch_np.optim import _sparse_steps, _steps
from torch_np.optim.adafactor import adafactor_step
from torch_np.optim.muon import muon_step

__all__ = ["adadelta", "adafactor", "adagrad", "adam", "adamax", "adamw", "asgd", "muon", "nadam", "radam", "rmsprop", "rprop", "sgd",
           "sparse_adam"]


def _refuse(function: str, **given: Any) -> None:
    asked = [name for name, value in given.items() if value is not None and value is not False]
    if asked:
        raise NotImplementedError(f"{function}(): {', '.join(asked)}: scaled gradients are not implemented; unscale them first")


def _run(formula: Any, params: list[Tensor], grads: list[Tensor], steps: list[Tensor], state: dict[str, list[Tensor]], options: dict[str, Any]) -> None:
    for i, (p, g) in enumerate(zip(params, grads, strict=True)):
        if _is_sparse(g):
            if formula is not _steps.adagrad:
                raise RuntimeError(f"{formula.__name__}(): sparse gradients are not supported")
            _sparse_steps.adagrad(p, g, {"step": steps[i], "sum": state["sum"][i]}, options)
            continue
        formula(p, g, {"step": steps[i], **{name: tensors[i] for name, tensors in state.items() if tensors}}, options)


def adadelta(params: list[Tensor], grads: list[Tensor], square_avgs: list[Tensor], acc_deltas: list[Tensor], state_steps:
             list[Tensor], capturable: bool = False, foreach: bool | None = None, differentiable: bool = False, has_complex: bool =
             False, *, lr: float | Tensor, rho: float, eps: float, weight_decay: float, maximize: bool) -> None:
    """Performs one step of Adadelta.

    Args:
      params: the parameters
      grads: their gradients
      square_avgs: state `square_avg` of each parameter
      acc_deltas: state `acc_delta` of each parameter
      state_steps: numbers of steps so far
      capturable: no effect
      foreach: no effect
      differentiable: no effect
      has_complex: no effect
      lr: learning rate
      rho: decay rate of the running means
      eps: term added to the denominator
      weight_decay: weight of the L2 penalty
      maximize: step along the gradient

    Shapes: those of the parameters.
    """
    _run(_steps.adadelta, params, grads, state_steps, {"square_avg": square_avgs, "acc_delta": acc_deltas}, dict(lr=lr, rho=rho,
         eps=eps, weight_decay=weight_decay, maximize=maximize))


def adagrad(params: list[Tensor], grads: list[Tensor], state_sums: list[Tensor], state_steps: list[Tensor], fused: bool | None =
            None, grad_scale: Tensor | None = None, found_inf: Tensor | None = None, has_sparse_grad: bool = False, foreach: bool |
            None = None, differentiable: bool = False, has_complex: bool = False, *, lr: float | Tensor, weight_decay: float,
            lr_decay: float, eps: float, maximize: bool) -> None:
    """Performs one step of Adagrad.

    Args:
      params: the parameters
      grads: their gradients
      state_sums: state `sum` of each parameter
      state_steps: numbers of steps so far
      fused: no effect
      grad_scale: must be None
      found_inf: must be None
      has_sparse_grad: no effect
      foreach: no effect
      differentiable: no effect
      has_complex: no effect
      lr: learning rate
      weight_decay: weight of the L2 penalty
      lr_decay: decay of the learning rate
      eps: term added to the denominator
      maximize: step along the gradient

    Shapes: those of the parameters.
    Errors: NotImplementedError for scaled gradients.
    """
    _refuse("adagrad", grad_scale=grad_scale, found_inf=found_inf)
    _run(_steps.adagrad, params, grads, state_steps, {"sum": state_sums}, dict(lr=lr, weight_decay=weight_decay,
         lr_decay=lr_decay, eps=eps, maximize=maximize))


def adam(params: list[Tensor], grads: list[Tensor], exp_avgs: list[Tensor], exp_avg_sqs: list[Tensor], max_exp_avg_sqs:
         list[Tensor], state_steps: list[Tensor], foreach: bool | None = None, capturable: bool = False, differentiable: bool =
         False, fused: bool | None = None, grad_scale: Tensor | None = None, found_inf: Tensor | None = None, has_complex: bool =
         False, decoupled_weight_decay: bool = False, *, amsgrad: bool, beta1: float | Tensor, beta2: float | Tensor, lr: float |
         Tensor, weight_decay: float, eps: float, maximize: bool) -> None:
    """Performs one step of Adam.

    Args:
      params: the parameters
      grads: their gradients
      exp_avgs: state `exp_avg` of each parameter
      exp_avg_sqs: state `exp_avg_sq` of each parameter
      max_exp_avg_sqs: state `max_exp_avg_sq` of each parameter; used with `amsgrad`
      state_steps: numbers of steps so far
      foreach: no effect
      capturable: no effect
      differentiable: no effect
      fused: no effect
      grad_scale: must be None
      found_inf: must be None
      has_complex: no effect
      decoupled_weight_decay: multiply the parameter by `1 - lr * weight_decay` instead of
        adding the penalty
      amsgrad: use the largest mean of squares
      beta1: decay rate of the running mean
      beta2: decay rate of the mean of squares
      lr: learning rate
      weight_decay: weight of the L2 penalty
      eps: term added to the denominator
      maximize: step along the gradient

    Shapes: those of the parameters.
    Errors: NotImplementedError for scaled gradients.
    """
    _refuse("adam", grad_scale=grad_scale, found_inf=found_inf)
    _run(_steps.adam, params, grads, state_steps, {"exp_avg": exp_avgs, "exp_avg_sq": exp_avg_sqs, "max_exp_avg_sq":
         max_exp_avg_sqs}, dict(amsgrad=amsgrad, betas=(beta1, beta2), lr=lr, weight_decay=weight_decay, eps=eps,
         maximize=maximize, decoupled_weight_decay=decoupled_weight_decay))


def adamax(params: list[Tensor], grads: list[Tensor], exp_avgs: list[Tensor], exp_infs: list[Tensor], state_steps: list[Tensor],
           foreach: bool | None = None, maximize: bool = False, differentiable: bool = False, capturable: bool = False, has_complex:
           bool = False, *, eps: float, beta1: float, beta2: float, lr: float | Tensor, weight_decay: float) -> None:
    """Performs one step of Adamax.

    Args:
      params: the parameters
      grads: their gradients
      exp_avgs: state `exp_avg` of each parameter
      exp_infs: state `exp_inf` of each parameter
      state_steps: numbers of steps so far
      foreach: no effect
      maximize: step along the gradient
      differentiable: no effect
      capturable: no effect
      has_complex: no effect
      eps: term added to the denominator
      beta1: decay rate of the running mean
      beta2: decay rate of the mean of squares
      lr: learning rate
      weight_decay: weight of the L2 penalty

    Shapes: those of the parameters.
    """
    _run(_steps.adamax, params, grads, state_steps, {"exp_avg": exp_avgs, "exp_inf": exp_infs}, dict(betas=(beta1, beta2),
         lr=lr, weight_decay=weight_decay, eps=eps, maximize=maximize))


def adamw(params: list[Tensor], grads: list[Tensor], exp_avgs: list[Tensor], exp_avg_sqs: list[Tensor], max_exp_avg_sqs:
          list[Tensor], state_steps: list[Tensor], foreach: bool | None = None, capturable: bool = False, differentiable: bool =
          False, fused: bool | None = None, grad_scale: Tensor | None = None, found_inf: Tensor | None = None, has_complex: bool =
          False, *, amsgrad: bool, beta1: float | Tensor, beta2: float | Tensor, lr: float | Tensor, weight_decay: float, eps:
          float, maximize: bool) -> None:
    """Performs one step of AdamW.

    Args:
      params: the parameters
      grads: their gradients
      exp_avgs: state `exp_avg` of each parameter
      exp_avg_sqs: state `exp_avg_sq` of each parameter
      max_exp_avg_sqs: state `max_exp_avg_sq` of each parameter; used with `amsgrad`
      state_steps: numbers of steps so far
      foreach: no effect
      capturable: no effect
      differentiable: no effect
      fused: no effect
      grad_scale: must be None
      found_inf: must be None
      has_complex: no effect
      amsgrad: use the largest mean of squares
      beta1: decay rate of the running mean
      beta2: decay rate of the mean of squares
      lr: learning rate
      weight_decay: decay coefficient
      eps: term added to the denominator
      maximize: step along the gradient

    Shapes: those of the parameters.
    Errors: NotImplementedError for scaled gradients.
    """
    _refuse("adamw", grad_scale=grad_scale, found_inf=found_inf)
    _run(_steps.adam, params, grads, state_steps, {"exp_avg": exp_avgs, "exp_avg_sq": exp_avg_sqs, "max_exp_avg_sq":
         max_exp_avg_sqs}, dict(amsgrad=amsgrad, betas=(beta1, beta2), lr=lr, weight_decay=weight_decay, eps=eps,
         maximize=maximize, decoupled_weight_decay=True))


def asgd(params: list[Tensor], grads: list[Tensor], axs: list[Tensor], mus: list[Tensor], etas: list[Tensor], state_steps:
         list[Tensor], foreach: bool | None = None, maximize: bool = False, differentiable: bool = False, capturable: bool = False,
         has_complex: bool = False, *, lambd: float, lr: float | Tensor, t0: float, alpha: float, weight_decay: float) -> None:
    """Performs one step of ASGD.

    Args:
      params: the parameters
      grads: their gradients
      axs: state `ax` of each parameter
      mus: state `mu` of each parameter
      etas: state `eta` of each parameter
      state_steps: numbers of steps so far
      foreach: no effect
      maximize: step along the gradient
      differentiable: no effect
      capturable: no effect
      has_complex: no effect
      lambd: decay term
      lr: learning rate
      t0: step at which averaging starts
      alpha: power of the decay of the learning rate
      weight_decay: weight of the L2 penalty

    Shapes: those of the parameters.
    """
    _run(_steps.asgd, params, grads, state_steps, {"ax": axs, "mu": mus, "eta": etas}, dict(lambd=lambd, lr=lr, t0=t0,
         alpha=alpha, weight_decay=weight_decay, maximize=maximize))


def nadam(params: list[Tensor], grads: list[Tensor], exp_avgs: list[Tensor], exp_avg_sqs: list[Tensor], mu_products: list[Tensor],
          state_steps: list[Tensor], decoupled_weight_decay: bool = False, foreach: bool | None = None, capturable: bool = False,
          differentiable: bool = False, has_complex: bool = False, maximize: bool = False, *, beta1: float, beta2: float, lr: float
          | Tensor, weight_decay: float, momentum_decay: float, eps: float) -> None:
    """Performs one step of NAdam.

    Args:
      params: the parameters
      grads: their gradients
      exp_avgs: state `exp_avg` of each parameter
      exp_avg_sqs: state `exp_avg_sq` of each parameter
      mu_products: state `mu_product` of each parameter
      state_steps: numbers of steps so far
      decoupled_weight_decay: multiply the parameter by `1 - lr * weight_decay` instead of
        adding the penalty
      foreach: no effect
      capturable: no effect
      differentiable: no effect
      has_complex: no effect
      maximize: step along the gradient
      beta1: decay rate of the running mean
      beta2: decay rate of the mean of squares
      lr: learning rate
      weight_decay: weight of the L2 penalty
      momentum_decay: decay of the momentum
      eps: term added to the denominator

    Shapes: those of the parameters.
    """
    _run(_steps.nadam, params, grads, state_steps, {"exp_avg": exp_avgs, "exp_avg_sq": exp_avg_sqs, "mu_product": mu_products},
         dict(betas=(beta1, beta2), lr=lr, weight_decay=weight_decay, momentum_decay=momentum_decay, eps=eps, maximize=maximize,
         decoupled_weight_decay=decoupled_weight_decay))


def radam(params: list[Tensor], grads: list[Tensor], exp_avgs: list[Tensor], exp_avg_sqs: list[Tensor], state_steps: list[Tensor],
          decoupled_weight_decay: bool = False, foreach: bool | None = None, differentiable: bool = False, capturable: bool = False,
          has_complex: bool = False, maximize: bool = False, *, beta1: float, beta2: float, lr: float, weight_decay: float, eps:
          float) -> None:
    """Performs one step of RAdam.

    Args:
      params: the parameters
      grads: their gradients
      exp_avgs: state `exp_avg` of each parameter
      exp_avg_sqs: state `exp_avg_sq` of each parameter
      state_steps: numbers of steps so far
      decoupled_weight_decay: multiply the parameter by `1 - lr * weight_decay` instead of
        adding the penalty
      foreach: no effect
      differentiable: no effect
      capturable: no effect
      has_complex: no effect
      maximize: step along the gradient
      beta1: decay rate of the running mean
      beta2: decay rate of the mean of squares
      lr: learning rate
      weight_decay: weight of the L2 penalty
      eps: term added to the denominator

    Shapes: those of the parameters.
    """
    _run(_steps.radam, params, grads, state_steps, {"exp_avg": exp_avgs, "exp_avg_sq": exp_avg_sqs}, dict(betas=(beta1, beta2),
         lr=lr, weight_decay=weight_decay, eps=eps, maximize=maximize, decoupled_weight_decay=decoupled_weight_decay))


def rmsprop(params: list[Tensor], grads: list[Tensor], square_avgs: list[Tensor], grad_avgs: list[Tensor], momentum_buffer_list:
            list[Tensor], state_steps: list[Tensor], foreach: bool | None = None, maximize: bool = False, differentiable: bool =
            False, capturable: bool = False, has_complex: bool = False, *, lr: float | Tensor, alpha: float, eps: float,
            weight_decay: float, momentum: float, centered: bool) -> None:
    """Performs one step of RMSprop.

    Args:
      params: the parameters
      grads: their gradients
      square_avgs: state `square_avg` of each parameter
      grad_avgs: state `grad_avg` of each parameter
      momentum_buffer_list: state `momentum_buffer` of each parameter
      state_steps: numbers of steps so far
      foreach: no effect
      maximize: step along the gradient
      differentiable: no effect
      capturable: no effect
      has_complex: no effect
      lr: learning rate
      alpha: decay rate
      eps: term added to the denominator
      weight_decay: weight of the L2 penalty
      momentum: momentum factor
      centered: subtract the squared mean

    Shapes: those of the parameters.
    """
    _run(_steps.rmsprop, params, grads, state_steps, {"square_avg": square_avgs, "grad_avg": grad_avgs, "momentum_buffer":
         momentum_buffer_list}, dict(lr=lr, alpha=alpha, eps=eps, weight_decay=weight_decay, momentum=momentum,
         centered=centered, maximize=maximize))


def rprop(params: list[Tensor], grads: list[Tensor], prevs: list[Tensor], step_sizes: list[Tensor], state_steps: list[Tensor],
          foreach: bool | None = None, capturable: bool = False, maximize: bool = False, differentiable: bool = False, has_complex:
          bool = False, *, step_size_min: float, step_size_max: float, etaminus: float, etaplus: float) -> None:
    """Performs one step of Rprop.

    Args:
      params: the parameters
      grads: their gradients
      prevs: state `prev` of each parameter
      step_sizes: state `step_size` of each parameter
      state_steps: numbers of steps so far
      foreach: no effect
      capturable: no effect
      maximize: step along the gradient
      differentiable: no effect
      has_complex: no effect
      step_size_min: smallest step size
      step_size_max: largest step size
      etaminus: factor of a decrease
      etaplus: factor of an increase

    Shapes: those of the parameters.
    """
    _run(_steps.rprop, params, grads, state_steps, {"prev": prevs, "step_size": step_sizes}, dict(etas=(etaminus, etaplus),
         step_sizes=(step_size_min, step_size_max), maximize=maximize))


def sgd(params: list[Tensor], d_p_list: list[Tensor], momentum_buffer_list: list[Tensor | None], has_sparse_grad: bool = False,
        foreach: bool | None = None, fused: bool | None = None, grad_scale: Tensor | None = None, found_inf: Tensor | None = None, *,
        weight_decay: float, momentum: float, lr: float | Tensor, dampening: float, nesterov: bool, maximize: bool) -> None:
    """Performs one step of SGD.

    Args:
      params: the parameters
      d_p_list: their gradients
      momentum_buffer_list: their momentum buffers, which replace None
      has_sparse_grad: no effect
      foreach: no effect
      fused: no effect
      grad_scale: must be None
      found_inf: must be None
      weight_decay: weight of the L2 penalty
      momentum: momentum factor
      lr: learning rate
      dampening: dampening of the momentum
      nesterov: use `d + momentum * buffer` instead of the buffer
      maximize: step along the gradient

    Shapes: those of the parameters.
    Errors: NotImplementedError for scaled gradients.
    """
    _refuse("sgd", grad_scale=grad_scale, found_inf=found_inf)
    options = dict(weight_decay=weight_decay, momentum=momentum, lr=lr, dampening=dampening, nesterov=nesterov, maximize=maximize)
    for i, (p, g) in enumerate(zip(params, d_p_list, strict=True)):
        state: dict[str, Any] = {"momentum_buffer": momentum_buffer_list[i]} if momentum else {}
        (_sparse_steps if _is_sparse(g) else _steps).sgd(p, g, state, options)
        if momentum:
            momentum_buffer_list[i] = state["momentum_buffer"]


def adafactor(params: list[Tensor], grads: list[Tensor], row_vars: list[Tensor | None], col_vars: list[Tensor | None],
              variances: list[Tensor | None], state_steps: list[Tensor], foreach: bool | None = None, grad_scale: Tensor | None = None,
              found_inf: Tensor | None = None, has_complex: bool = False, *, d: float, lr: float | Tensor, beta2_decay: float,
              weight_decay: float, eps1: float, eps2: float, maximize: bool) -> None:
    """Performs one step of Adafactor.

    Args:
      params: the parameters
      grads: their gradients
      row_vars: state `row_var` of matrices
      col_vars: state `col_var` of matrices
      variances: state `variance` of other parameters
      state_steps: numbers of steps so far
      foreach: no effect
      grad_scale: must be None
      found_inf: must be None
      has_complex: must be False
      d: largest root mean square of an update
      lr: largest relative step
      beta2_decay: the gradient of step t has the weight `t ** beta2_decay`
      weight_decay: decay coefficient
      eps1: smallest denominator
      eps2: smallest root mean square of a parameter
      maximize: step along the gradient

    Shapes: those of the parameters.
    Errors: NotImplementedError for scaled and complex gradients.
    """
    _refuse("adafactor", grad_scale=grad_scale, found_inf=found_inf, has_complex=has_complex)
    for i, (p, g) in enumerate(zip(params, grads, strict=True)):
        state_steps[i] += 1
        adafactor_step(p, g, float(state_steps[i]), row_vars[i], col_vars[i], variances[i], lr=float(lr), beta2_decay=beta2_decay, eps1=eps1,
                       eps2=eps2, d=d, weight_decay=weight_decay, maximize=maximize)


def muon(params: list[Tensor], grads: list[Tensor], muon_momentum_bufs: list[Tensor], *, foreach: bool | None = None, lr: float,
         weight_decay: float, momentum: float, nesterov: bool, ns_coefficients: tuple[float, float, float], ns_steps: int, eps: float,
         adjust_lr_fn: str | None, has_complex: bool) -> None:
    """Performs one step of Muon.

    Args:
      params: matrices
      grads: their gradients
      muon_momentum_bufs: their momentum buffers
      foreach: no effect
      lr: learning rate
      weight_decay: decay coefficient
      momentum: decay rate of the running mean of the gradient
      nesterov: step along the mean of the next step
      ns_coefficients: coefficients of the polynomial
      ns_steps: steps of the polynomial
      eps: smallest norm
      adjust_lr_fn: factor of the learning rate
      has_complex: must be False

    Shapes: those of the parameters.
    Errors: NotImplementedError for complex gradients.
    """
    _refuse("muon", has_complex=has_complex)
    for p, g, buffer in zip(params, grads, muon_momentum_bufs, strict=True):
        muon_step(p, g, buffer, lr=lr, weight_decay=weight_decay, momentum=momentum, nesterov=nesterov, ns_coefficients=ns_coefficients,
                  ns_steps=ns_steps, eps=eps, adjust_lr_fn=adjust_lr_fn)


def sparse_adam(params: list[Tensor], grads: list[Tensor], exp_avgs: list[Tensor], exp_avg_sqs: list[Tensor], state_steps: list[int], *,
                eps: float, beta1: float, beta2: float, lr: float, maximize: bool) -> None:
    """Performs one step of SparseAdam.

    Args:
      params: the parameters
      grads: their sparse gradients
      exp_avgs: state `exp_avg` of each parameter
      exp_avg_sqs: state `exp_avg_sq` of each parameter
      state_steps: numbers of steps, with this one; they are not changed
      eps: term added to the denominator
      beta1: decay rate of the running mean
      beta2: decay rate of the mean of squares
      lr: learning rate
      maximize: step along the gradient

    Shapes: those of the parameters.
    """
    options = dict(eps=eps, betas=(beta1, beta2), lr=lr, maximize=maximize)
    for i, (p, g) in enumerate(zip(params, grads, strict=True)):
        _sparse_steps.adam(p, g, exp_avgs[i], exp_avg_sqs[i], int(state_steps[i]), options)
