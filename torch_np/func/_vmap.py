"""Functions of one sample, applied to a batch."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch_np
from torch_np import _C
from torch_np._transforms.batching import Batch
from torch_np.utils._pytree import tree_flatten, tree_unflatten

__all__ = ["vmap"]


def _name(func: Any) -> str:
    return getattr(func, "__name__", None) or repr(func)


def _kind(value: Any) -> Any:
    """The class of a sequence; a named tuple is as any tuple."""
    return tuple if isinstance(value, tuple) else type(value)


def _spread(dims: Any, value: Any, complain: Callable[[], ValueError]) -> list[Any]:
    """The dimensions for each leaf of `value`; one number stands for all leaves below it."""
    if dims is None or isinstance(dims, int):
        return [dims] * len(tree_flatten(value)[0])
    if isinstance(dims, dict) and isinstance(value, dict) and set(dims) == set(value):
        return [d for key in value for d in _spread(dims[key], value[key], complain)]
    if isinstance(dims, (tuple, list)) and _kind(dims) == _kind(value) and len(dims) == len(value):
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


def first_size(in_dims: Any, args: tuple[Any, ...]) -> int:
    """The size of the batch of the arguments of a vmapped function."""
    return _checked_inputs("vmap", in_dims, args)[3]


def _joined(func: Any, batch: Batch, result: Any, out_dims: Any) -> Any:
    """The results of all samples, in the structure of one result."""
    name = _name(func)
    if not all(dim is None or isinstance(dim, int) for dim in tree_flatten(out_dims)[0]):
        raise ValueError(f"vmap({name}, ..., out_dims={out_dims}): `out_dims` must be an int, None or a python collection of ints representing "
                         "where in the outputs the vmapped dimension should appear.")
    leaves, structure = tree_flatten(result)
    dims = _spread(out_dims[0] if isinstance(result, _C.Tensor) and isinstance(out_dims, tuple) and len(out_dims) == 1 else out_dims, result,
                   lambda: ValueError(f"vmap({name}, ..., out_dims={out_dims})(<inputs>): out_dims is not compatible with the structure of "
                                      "`outputs`."))
    joined = []
    for leaf, dim in zip(leaves, dims):
        part = batch.part(leaf)
        if dim is None:
            if part is not None:
                raise ValueError(f"vmap({name}, ...): `{name}` can not return a BatchedTensor when out_dim is None")
            leaf = batch.plain(leaf)
        elif not isinstance(leaf, _C.Tensor):
            raise ValueError(f"vmap({name}, ...): `{name}` must only return Tensors, got type {type(leaf)}. "
                             "Did you mean to set out_dims= to None for output?")
        else:
            part = batch.full(leaf)
            leaf = part.movedim(0, dim) if dim else part
        joined.append(leaf)
    return tree_unflatten(joined, structure)


def _random_states() -> list[_C.Tensor]:
    """The states of the default generators: the CPU's, and those of GPUs."""
    return [torch_np.get_rng_state(), *(torch_np.cuda.get_rng_state_all() if torch_np.cuda.is_available() else ())]


def _set_random_states(states: list[_C.Tensor]) -> None:
    torch_np.set_rng_state(states[0])
    if states[1:]:
        torch_np.cuda.set_rng_state_all(states[1:])


def _in_chunks(vmapped: Callable[[list[Any]], Any], leaves: list[Any], dims: list[Any], size: int, chunk_size: int, out_dims: Any,
               randomness: str) -> Any:
    """Applies a vmapped function of the leaves to some samples at a time, and joins the results."""
    results = []
    before = _random_states() if randomness == "same" else []
    for start in range(0, size, chunk_size):
        if start and before:
            _set_random_states(before)
        length = min(chunk_size, size - start)
        results.append(vmapped([leaf if dim is None else leaf.narrow(dim, start, length) for leaf, dim in zip(leaves, dims)]))
    first, structure = tree_flatten(results[0])
    numbers = _spread(out_dims[0] if isinstance(results[0], _C.Tensor) and isinstance(out_dims, tuple) and len(out_dims) == 1 else out_dims,
                      results[0], lambda: ValueError("vmap: out_dims is not compatible with the structure of `outputs`."))
    columns = zip(*(tree_flatten(result)[0] for result in results))
    return tree_unflatten([leaf if dim is None else torch_np.cat(column, dim) for leaf, dim, column in zip(first, numbers, columns)], structure)


def vmap(func: Callable[..., Any], in_dims: int | tuple[Any, ...] = 0, out_dims: Any = 0, randomness: str = "error", *,
         chunk_size: int | None = None) -> Callable[..., Any]:
    """Returns a function that applies `func` to each sample of a batch and puts the results together.

    `func` runs once, on tensors without the dimension of the batch. Each of its operators computes all
    samples at once. Vmapped functions may be nested, differentiated and compiled.

    Args:
      func: Function of tensors without the dimension of the batch.
      in_dims: Dimension of the batch in each argument; one number for all, or a tuple, nested as the
        arguments. None passes an argument unchanged.
      out_dims: Dimension of the batch in each result; None returns a result that is the same for all
        samples.
      randomness: 'different' random numbers for each sample, the 'same', or 'error', which refuses them.
      chunk_size: Number of samples that are computed together, to save memory; None computes all.

    Shapes: arguments and results of `func` with one more dimension.
    Errors: ValueError for dimensions that do not fit, and results that are not tensors; RuntimeError for
    another `randomness`, for random numbers if it is 'error', for shapes and branches that depend on
    values, and if an operator writes a batched tensor into one that is not. An operator without a rule
    for batches runs once for each sample, with a UserWarning.
    """
    if randomness not in ("error", "different", "same"):
        raise RuntimeError(f"Only allowed values for randomness are 'error', 'different', or 'same'. Got {randomness}")
    if chunk_size is not None and chunk_size < 1:
        raise ValueError(f"vmap: chunk_size should be None or greater than 0. (got {chunk_size})")

    def wrapped(*args: Any, **kwargs: Any) -> Any:
        leaves, structure, dims, size = _checked_inputs(func, in_dims, args)

        def all_at_once(given: list[Any]) -> Any:
            parts = [leaf if dim is None else leaf.movedim(dim, 0) if dim else leaf for leaf, dim in zip(given, dims)]
            whole = next(part for part, dim in zip(parts, dims) if dim is not None)
            batch = Batch(whole.shape[0], randomness, whole.device)
            samples = [part if dim is None else batch.wrap(part) for part, dim in zip(parts, dims)]
            with batch.active():
                result = func(*tree_unflatten(samples, structure), **kwargs)
            return _joined(func, batch, result, out_dims)
        if chunk_size is None or size <= chunk_size:
            return all_at_once(leaves)
        return _in_chunks(all_at_once, leaves, dims, size, chunk_size, out_dims, randomness)
    return wrapped
