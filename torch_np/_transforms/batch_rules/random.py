"""Random numbers: of each sample, of all samples the same, or none at all."""
from __future__ import annotations

from typing import Any

from torch_np import _C
from torch_np._C import _torch
from torch_np._transforms.batch_rules.table import DRAWS, check_changeable, is_batched, rule
from torch_np._transforms.batching import Batch, padded, run

_BY_SIZE = {"randn": 0, "rand": 0, "randint": 1, "randint.low": 2, "normal.float_float": 2, "random_randn": 0, "random_rand": 0}
_LIKE = ("randn_like", "rand_like", "randint_like", "randint_like.low_dtype")
_IN_PLACE = ("uniform_", "normal_", "log_normal_", "cauchy_", "exponential_", "geometric_", "bernoulli_.Tensor", "bernoulli_", "random_",
             "random_.to", "random_.from")
_OF_PARAMETERS = ("bernoulli", "bernoulli.p", "_standard_gamma", "poisson", "binomial", "normal.Tensor_Tensor", "normal.float_Tensor",
                  "normal.Tensor_float")
_OTHERS = ("randperm", "multinomial", "_dropout", "random_draw", "random_integers", "random_permutation", "random_choice", "random_multinomial",
           "random_dirichlet", "random_multivariate_hypergeometric")
# The handler gets their calls on tensors that are not batched, too.
_SAME_OF_BATCHED = "Vmap does not currently support same randomness with a batched tensor input. Please file an issue with functorch"
RANDOM = (*_BY_SIZE, *_LIKE, *_IN_PLACE, *_OF_PARAMETERS, *_OTHERS)


def _check(b: Batch, call: Any) -> None:
    if b.randomness == "error":
        raise RuntimeError("vmap: called random operation while in randomness error mode. Please either use the 'same' or 'different' randomness "
                           "flags on vmap or perform the randomness operation out of vmap")
    if b.randomness == "same" and any(is_batched(b, a) for a in call.args) and call.name in (*_OF_PARAMETERS, *_OTHERS):
        raise RuntimeError(_SAME_OF_BATCHED)


def _once(call: Any) -> Any:
    """A draw that all samples share."""
    return call.run(call.args)


@rule(*_BY_SIZE, composed=True)
def _by_size(b: Batch, call: Any) -> Any:
    _check(b, call)
    if b.randomness == "same":
        return _once(call)
    args = call.args
    place = _BY_SIZE[call.name]
    args[place] = [b.size, *args[place]]
    return b.wrap(call.run(args))


@rule(*_LIKE, composed=True)
def _like(b: Batch, call: Any) -> Any:
    _check(b, call)
    args = call.args
    part = b.part(args[0])
    if b.randomness == "same":
        args[0] = args[0] if part is None else part[0] if b.size else part.new_empty(part.shape[1:])
        return call.run(args)
    args[0] = b.full(args[0]).detach()
    return b.wrap(call.run(args))


@rule(*_IN_PLACE, composed=True)
def _in_place(b: Batch, call: Any) -> Any:
    _check(b, call)
    args = call.args
    target = args[0]
    part = b.part(target)
    others = any(is_batched(b, a) for a in args[1:])
    if b.randomness == "same" and others:
        raise RuntimeError(_SAME_OF_BATCHED)
    if part is None:
        if others:
            check_changeable(b, target, call.name)
        if b.randomness == "same":
            return _once(call)
        raise RuntimeError("vmap: Cannot ask for different inplace randomness on an unbatched tensor. This will appear like same randomness. "
                           "If this is necessary for your usage, please file an issue with functorch.")
    if b.randomness == "same":
        drawn = part.new_empty(part.shape[1:])
        call.run([drawn, *args[1:]])
        part.copy_(drawn)
    else:
        call.run([part, *[b.aligned(a, target.dim()) if isinstance(a, _C.Tensor) else a for a in args[1:]]])
    _C._bump_version(target)
    return target


@rule(*_OF_PARAMETERS, composed=True)
def _of_parameters(b: Batch, call: Any) -> Any:
    _check(b, call)
    if b.randomness == "same":
        return _once(call)
    rank = max([a.dim() for a in call.args if isinstance(a, _C.Tensor)])
    return b.wrap(call.run([padded(b.full(a), rank) if isinstance(a, _C.Tensor) else a for a in call.args]))


@rule("randperm", "random_permutation", "random_choice", "random_draw", "random_integers", "random_multinomial", "random_dirichlet",
      "random_multivariate_hypergeometric", composed=True)
def _one_by_one(b: Batch, call: Any) -> Any:
    _check(b, call)
    if b.randomness == "same":
        return _once(call)
    if any(is_batched(b, a) for a in call.args):
        raise NotImplementedError(f"vmap: {call.name}() with batched parameters")
    return b.wrap(_torch.stack([call.run(call.args) for _ in range(max(b.size, 1))])[:b.size])


@rule("multinomial", composed=True)
def _multinomial(b: Batch, call: Any) -> Any:
    _check(b, call)
    if b.randomness == "same":
        return _once(call)
    args = call.args
    weights = b.full(args[0])
    args[0] = weights.reshape(-1, weights.shape[-1])
    made = call.run(args)
    return b.wrap(made.reshape(*weights.shape[:-1], made.shape[-1]))


DRAWS.update((_by_size, _like, _in_place, _of_parameters, _one_by_one, _multinomial))
_SELU_LIMIT = -1.7580993408473766


@rule("_dropout")
def _dropout(b: Batch, call: Any) -> Any:
    x, keep, alpha, generator = call.args
    if b.randomness == "error":
        _check(b, call)
    part = b.part(x)
    if b.randomness == "different":
        return b.wrapped(call.run([b.full(x).contiguous(), keep, alpha, generator]))
    if part is None:
        return _once(call)
    # One mask for all samples: the shift of dropped elements comes from a sample of zeros.
    shift, kept = call.run([part.new_zeros(part.shape[1:]), keep, alpha, generator])
    scale = (keep * (1 + (1 - keep) * _SELU_LIMIT ** 2)) ** -0.5 if alpha else 1 / keep
    made = run("kept_scaled", kept, part, _torch.tensor(scale, dtype=part.dtype), None, None, None, None, 0, 0)
    return b.wrap(made + shift), kept


DRAWS.add(_dropout)
