"""Collation: combines samples into a batch."""
from __future__ import annotations

import copy
import re
from collections.abc import Callable, Mapping, MutableMapping, MutableSequence, Sequence
from typing import Any

import numpy

from torch_np import _C

_NOT_NUMBERS = re.compile("[SaUO]")


def _rebuilt(like: Any, items: Any) -> Any:
    """A mapping or sequence of the class of `like` with these items; `items` itself if the class
    cannot be constructed from them.
    """
    try:
        made: Any
        if isinstance(like, MutableMapping):
            made = copy.copy(like)
            made.update(items)
        elif isinstance(like, MutableSequence) and not isinstance(like, list):
            made = copy.copy(like)
            made[:] = items
        else:
            made = type(like)(items)
        return made
    except TypeError:
        return items


def default_convert(data: Any) -> Any:
    """Converts NumPy arrays in `data` to Tensors, also within mappings and sequences.

    Args:
      data: any object; other values are returned unchanged

    Shapes: unchanged.
    """
    import torch_np

    if _C._is_array(data):
        return data
    if isinstance(data, (numpy.ndarray, numpy.generic)):
        return data if _NOT_NUMBERS.search(data.dtype.str) else torch_np.as_tensor(data)
    if isinstance(data, Mapping):
        return _rebuilt(data, {k: default_convert(v) for k, v in data.items()})
    if isinstance(data, tuple):
        parts = [default_convert(v) for v in data]
        return type(data)(*parts) if hasattr(data, "_fields") else parts
    if isinstance(data, Sequence) and not isinstance(data, (str, bytes)):
        return _rebuilt(data, [default_convert(v) for v in data])
    return data


def _stacked(batch: list[Any]) -> Any:
    import torch_np
    from torch_np.utils.data import _sharing, _worker

    first = batch[0]
    if isinstance(first, _C.ndarray):
        return torch_np.stack([b._torch() for b in batch])._np_compat()
    if _worker.get_worker_info() is None or not first.is_cpu or any(t.shape != first.shape or t.dtype != first.dtype or t.requires_grad
                                                                    for t in batch):
        return torch_np.stack(batch)
    # In shared memory, so that sending it copies nothing.
    out = _sharing.new((len(batch), *first.shape), first.dtype)
    return torch_np.stack(batch) if out is None else torch_np.stack(batch, out=out)


def default_collate(batch: Any) -> Any:
    """Combines a list of samples into a batch.

    Tensors are stacked. Numbers and NumPy arrays become Tensors. Text stays a list. Mappings and
    sequences are collated item by item.

    Args:
      batch: list of samples of the same structure

    Shapes: tensors (...) give (batch, ...), numbers (batch,).
    Errors: TypeError for a sample of any other type, RuntimeError for samples of different sizes.
    """
    import torch_np

    first = batch[0]
    kind = type(first)
    if _C._is_array(first):
        return _stacked(list(batch))
    if isinstance(first, numpy.ndarray):
        if _NOT_NUMBERS.search(first.dtype.str):
            raise TypeError(f"default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {first.dtype}")
        return default_collate([torch_np.as_tensor(b) for b in batch])
    if isinstance(first, numpy.generic) and not isinstance(first, (float, str, bytes)):
        return torch_np.as_tensor(numpy.array(batch))
    if isinstance(first, float):
        return torch_np.tensor(batch, dtype=torch_np.float64)
    if isinstance(first, int):
        return torch_np.tensor(batch)
    if isinstance(first, (str, bytes)):
        return batch
    if isinstance(first, Mapping):
        return _rebuilt(first, {key: default_collate([d[key] for d in batch]) for key in first})
    if isinstance(first, tuple) and hasattr(first, "_fields"):
        return kind(*(default_collate(list(samples)) for samples in zip(*batch, strict=True)))
    if isinstance(first, Sequence):
        if any(len(b) != len(first) for b in batch):
            raise RuntimeError("each element in list of batch should be of equal size")
        parts = [default_collate(list(samples)) for samples in zip(*batch)]
        return parts if isinstance(first, tuple) else _rebuilt(first, parts)
    raise TypeError(f"default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {kind}")


def pinned(data: Any) -> Any:
    """`data` with its tensors copied to pinned memory."""
    if isinstance(data, _C.Tensor):
        return data.pin_memory() if data.is_cpu else data
    if isinstance(data, (str, bytes)):
        return data
    if isinstance(data, Mapping):
        return _rebuilt(data, {k: pinned(v) for k, v in data.items()})
    if isinstance(data, tuple) and hasattr(data, "_fields"):
        return type(data)(*(pinned(v) for v in data))
    if isinstance(data, tuple):
        return [pinned(v) for v in data]
    if isinstance(data, Sequence):
        return _rebuilt(data, [pinned(v) for v in data])
    pin: Callable[[], Any] | None = getattr(data, "pin_memory", None)
    return pin() if callable(pin) else data
