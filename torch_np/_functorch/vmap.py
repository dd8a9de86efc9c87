"""Private names beside `vmap` that packages import."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from torch_np._C import Tensor as Tensor
from torch_np._C._functorch import _add_batch_dim as _add_batch_dim, _remove_batch_dim as _remove_batch_dim
from torch_np._transforms.batching import Batch
from torch_np.func import vmap as vmap
from torch_np.func._vmap import _name as _get_name, first_size  # noqa: F401
from torch_np.utils._pytree import (
    _broadcast_to_and_flatten as _broadcast_to_and_flatten, tree_flatten as tree_flatten, tree_unflatten as tree_unflatten,
)


def _maybe_remove_batch_dim(name: str, batched_output: Any, vmap_level: int, batch_size: int, out_dim: int | None) -> NoReturn:
    _remove_batch_dim(batched_output, vmap_level, batch_size, out_dim)


def chunk_vmap(func: Callable[..., Any], in_dims: int | tuple[Any, ...] = 0, out_dims: Any = 0, randomness: str = "error",
               chunks: int = 2) -> Callable[..., Any]:
    """As `vmap`, with a number of chunks instead of their size.

    Args:
      func: Function of tensors without the dimension of the batch.
      in_dims: Dimension of the batch in each argument.
      out_dims: Dimension of the batch in each result.
      randomness: 'different' random numbers for each sample, the 'same', or 'error'.
      chunks: Number of parts of the batch that are computed one after the other.
    """
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        size = -(-first_size(in_dims, args) // chunks)
        return vmap(func, in_dims, out_dims, randomness, chunk_size=max(size, 1))(*args, **kwargs)
    return vmap(func, in_dims, out_dims, randomness) if chunks == 1 else wrapped


def restore_vmap(func: Callable[..., Any], in_dims: Any, batch_size: int, randomness: str) -> Callable[..., tuple[Any, Any]]:
    """As `vmap`, for a batch that may have no argument. The function returns the results and their dimensions of
    the batch; a result that is the same for all samples has none.

    Args:
      func: Function of tensors without the dimension of the batch.
      in_dims: Dimension of the batch in each argument, nested as the arguments.
      batch_size: Number of samples.
      randomness: 'different' random numbers for each sample, the 'same', or 'error'.
    """
    def wrapped(*args: Any, **kwargs: Any) -> tuple[Any, Any]:
        leaves, structure = tree_flatten(args)
        dims = _broadcast_to_and_flatten(in_dims, structure)
        if dims is None:
            raise ValueError("restore_vmap(): in_dims is not compatible with the structure of the arguments")
        device = next((leaf.device for leaf in leaves if isinstance(leaf, Tensor)), "cpu")
        batch = Batch(batch_size, randomness, device)
        samples = [leaf if dim is None else batch.wrap(leaf.movedim(dim, 0)) for leaf, dim in zip(leaves, dims)]
        with batch.active():
            results, shape = tree_flatten(func(*tree_unflatten(samples, structure), **kwargs))
        parts = [batch.part(result) for result in results]
        return (tree_unflatten([r if p is None else p for r, p in zip(results, parts)], shape),
                tree_unflatten([None if p is None else 0 for p in parts], shape))
    return wrapped
