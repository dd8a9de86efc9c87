"""Functions of one sample, applied to a batch."""
from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import torch_np
from torch_np import _C
from torch_np.utils._pytree import tree_flatten, tree_unflatten

__all__ = ["vmap"]


def _name(func: Any) -> str:
    return getattr(func, "__name__", None) or repr(func)


def _spread(dims: Any, value: Any, complain: Callable[[], ValueError]) -> list[Any]:
    """The dimensions for each leaf of `value`; one number stands for all leaves below it."""
    if dims is None or isinstance(dims, int):
        return [dims] * len(tree_flatten(value)[0])
    if isinstance(dims, dict) and isinstance(value, dict) and set(dims) == set(value):
        return [d for key in value for d in _spread(dims[key], value[key], complain)]
    if isinstance(dims, (tuple, list)) and isinstance(value, (tuple, list)) and len(dims) == len(value):
        return [d for a, b in zip(dims, value) for d in _spread(a, b, complain)]
    raise complain()


def _checked_inputs(func: Any, in_dims: Any, args: tuple[Any, ...]) -> tuple[list[Any], Any, list[Any], int]:
    """The leaves of the arguments, their structure, the dimension of each leaf, and the size of the batch."""
    head = f"vmap({_name(func)}, in_dims={in_dims}, ...)(<inputs>): "
    if not isinstance(in_dims, (int, tuple)):
        raise ValueError(f"{head}expected `in_dims` to be int or a (potentially nested) tuple matching the structure of inputs, "
                         f"got: {type(in_dims)}.")
    if not args:
        raise ValueError(f"vmap({_name(func)})(<inputs>): got no inputs. Maybe you forgot to add inputs, or you are trying to vmap over a "
                         "function with no inputs. The latter is unsupported.")
    leaves, structure = tree_flatten(args)
    dims = _spread(in_dims, args, lambda: ValueError(f"{head}in_dims is not compatible with the structure of `inputs`."))
    sizes = []
    for i, (leaf, dim) in enumerate(zip(leaves, dims)):
        if dim is None:
            continue
        if not isinstance(leaf, _C.Tensor):
            raise ValueError(f"{head}Got in_dim={dim} for an input but the input is of type {type(leaf)}. We cannot vmap over non-Tensor "
                             "arguments, please use None as the respective in_dim")
        if not -leaf.dim() <= dim < leaf.dim():
            raise ValueError(f"{head}Got in_dim={dim} for some input, but that input is a Tensor of dimensionality {leaf.dim()} so expected "
                             f"in_dim to satisfy -{leaf.dim()} <= in_dim < {leaf.dim()}.")
        sizes.append(leaf.shape[dim])
    if not sizes:
        raise ValueError("vmap: Expected at least one Tensor to vmap over")
    if len(set(sizes)) > 1:
        raise ValueError(f"vmap: Expected all tensors to have the same size in the mapped dimension, got sizes {sizes} for the mapped dimension")
    return leaves, structure, dims, sizes[0]


def _random_states() -> list[_C.Tensor]:
    """The states of the default generators: the CPU's, and those of GPUs."""
    return [torch_np.get_rng_state(), *(torch_np.cuda.get_rng_state_all() if torch_np.cuda.is_available() else ())]


def _set_random_states(states: list[_C.Tensor]) -> None:
    torch_np.set_rng_state(states[0])
    if states[1:]:
        torch_np.cuda.set_rng_state_all(states[1:])


def _joined(func: Any, results: list[Any], out_dims: Any, size: int) -> Any:
    """The results of all samples as a batch, in the structure of one result."""
    first, structure = tree_flatten(results[0])
    dims = _spread(out_dims[0] if isinstance(results[0], _C.Tensor) and isinstance(out_dims, tuple) and len(out_dims) == 1 else out_dims,
                   results[0], lambda: ValueError(f"vmap({_name(func)}, ..., out_dims={out_dims})(<inputs>): out_dims is not compatible with the "
                                                  "structure of `outputs`."))
    columns = [results] if isinstance(results[0], _C.Tensor) else list(zip(*(tree_flatten(r)[0] for r in results)))
    joined = []
    for k, (leaf, dim) in enumerate(zip(first, dims)):
        if dim is not None and not isinstance(leaf, _C.Tensor):
            raise ValueError(f"vmap({_name(func)}, ...): `{_name(func)}` must only return Tensors, got type {type(leaf)}. "
                             "Did you mean to set out_dims= to None for output?")
        joined.append(leaf if dim is None else torch_np.stack(columns[k], dim).narrow(dim, 0, size))
    return tree_unflatten(joined, structure)


def vmap(func: Callable[..., Any], in_dims: int | tuple[Any, ...] = 0, out_dims: Any = 0, randomness: str = "error", *,
         chunk_size: int | None = None) -> Callable[..., Any]:
    """Returns a function that applies `func` to each sample of a batch and puts the results together.
    `func` runs once for each sample, so the result is right for any `func`, but not faster than a loop.

    Args:
      func: Function of tensors without the dimension of the batch.
      in_dims: Dimension of the batch in each argument; one number for all, or a tuple, nested as the
        arguments. None passes an argument unchanged.
      out_dims: Dimension of the batch in each result; None returns the result of the first sample.
      randomness: 'different' random numbers for each sample, the 'same', or 'error', which refuses them.
      chunk_size: Number of samples that PyTorch computes together; it changes no result.

    Shapes: arguments and results of `func` with one more dimension. For an empty batch `func` runs once,
    on zeros.
    Errors: ValueError for dimensions that do not fit, and results that are not tensors; RuntimeError for
    another `randomness`, and for random numbers if it is 'error'.
    """
    if randomness not in ("error", "different", "same"):
        raise RuntimeError(f"Only allowed values for randomness are 'error', 'different', or 'same'. Got {randomness}")
    if chunk_size is not None and chunk_size < 1:
        raise ValueError(f"vmap: chunk_size should be None or greater than 0. (got {chunk_size})")

    def wrapped(*args: Any, **kwargs: Any) -> Any:
        leaves, structure, dims, size = _checked_inputs(func, in_dims, args)
        # For an empty batch, `func` runs once, on zeros.
        batches = leaves if size else [
            leaf if dim is None else leaf.new_zeros([1 if d == dim % leaf.dim() else n for d, n in enumerate(leaf.shape)]) for leaf, dim in zip(leaves, dims)]
        before = _random_states() if randomness != "different" else []
        results = []
        is_flat = len(leaves) == len(args) and all(map(operator.is_, leaves, args))
        for i in range(max(size, 1)):
            if i and randomness == "same":
                _set_random_states(before)
            sample = [leaf if dim is None else leaf.select(dim, i) for leaf, dim in zip(batches, dims)]
            results.append(func(*(sample if is_flat else tree_unflatten(sample, structure)), **kwargs))
        if randomness == "error" and not all(map(torch_np.equal, before, _random_states())):
            _set_random_states(before)
            raise RuntimeError("vmap: called random operation while in randomness error mode. Please either use the 'same' or 'different' "
                               "randomness flags on vmap or perform the randomness operation out of vmap")
        return _joined(func, results, out_dims, size)
    return wrapped
