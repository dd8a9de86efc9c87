"""torch_np.utils.data._utils.collate: combines samples into a batch."""
from __future__ import annotations

import copy
import re
from collections.abc import Callable, Mapping, MutableMapping, MutableSequence, Sequence
from typing import Any

import numpy

from torch_np import _C

np_str_obj_array_pattern = re.compile("[SaUO]")  # of dtypes that are not numbers; PyTorch's name
default_collate_err_msg_format = "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {}"
CollateMap = Mapping[Any, Callable[..., Any]] | None


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
        return data if np_str_obj_array_pattern.search(data.dtype.str) else torch_np.as_tensor(data)
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


def collate_tensor_fn(batch: Any, *, collate_fn_map: CollateMap = None) -> Any:
    """Returns the stacked tensors.

    Args:
      batch: list of tensors of the same shape
      collate_fn_map: has no effect

    Shapes: tensors (...) give (batch, ...).
    """
    import torch_np

    return _stacked([b if _C._is_array(b) else torch_np.as_tensor(b) for b in batch])


def collate_numpy_array_fn(batch: Any, *, collate_fn_map: CollateMap = None) -> Any:
    """Returns NumPy arrays as one tensor, by the function of tensors in `collate_fn_map`.

    Args:
      batch: list of arrays of the same shape
      collate_fn_map: functions by class

    Shapes: arrays (...) give (batch, ...).
    Errors: TypeError for arrays of text or objects, and without a function of tensors.
    """
    import torch_np

    first = batch[0]
    if np_str_obj_array_pattern.search(first.dtype.str):
        raise TypeError(default_collate_err_msg_format.format(first.dtype))
    return collate([torch_np.as_tensor(b) for b in batch], collate_fn_map=collate_fn_map)


def collate_numpy_scalar_fn(batch: Any, *, collate_fn_map: CollateMap = None) -> Any:
    """Returns NumPy's scalars as a tensor.

    Args:
      batch: list of scalars
      collate_fn_map: has no effect

    Shapes: (batch,).
    """
    import torch_np

    return torch_np.as_tensor(numpy.array(batch))


def collate_float_fn(batch: Any, *, collate_fn_map: CollateMap = None) -> Any:
    """Returns floats as a tensor of float64.

    Args:
      batch: list of floats
      collate_fn_map: has no effect

    Shapes: (batch,).
    """
    import torch_np

    return torch_np.tensor(batch, dtype=torch_np.float64)


def collate_int_fn(batch: Any, *, collate_fn_map: CollateMap = None) -> Any:
    """Returns ints as a tensor of int64, and bools as one of bools.

    Args:
      batch: list of ints
      collate_fn_map: has no effect

    Shapes: (batch,).
    """
    import torch_np

    return torch_np.tensor(batch)


def collate_str_fn(batch: Any, *, collate_fn_map: CollateMap = None) -> Any:
    """Returns the list of texts itself.

    Args:
      batch: list of texts
      collate_fn_map: has no effect
    """
    return batch


default_collate_fn_map: dict[Any, Callable[..., Any]] = {
    _C.Tensor: collate_tensor_fn, _C.ndarray: collate_tensor_fn, numpy.ndarray: collate_numpy_array_fn, float: collate_float_fn,
    int: collate_int_fn, str: collate_str_fn, bytes: collate_str_fn, (numpy.bool_, numpy.number, numpy.object_): collate_numpy_scalar_fn,
}


def collate(batch: Any, *, collate_fn_map: CollateMap = None) -> Any:
    """Combines a list of samples into a batch, by a function for each class of samples. Mappings
    and sequences of no such class are collated item by item.

    Args:
      batch: list of samples of the same structure
      collate_fn_map: functions by class or tuple of classes. They are called with the list of
        samples, and with `collate_fn_map` by keyword.

    Shapes: those of the functions.
    Errors: TypeError for a sample of any other type, RuntimeError for samples of different sizes.
    """
    first = batch[0]
    kind = type(first)
    if collate_fn_map:
        combine = collate_fn_map.get(kind) or next((f for k, f in collate_fn_map.items() if isinstance(first, k)), None)
        if combine is not None:
            return combine(batch, collate_fn_map=collate_fn_map)
    if isinstance(first, Mapping):
        return _rebuilt(first, {key: collate([d[key] for d in batch], collate_fn_map=collate_fn_map) for key in first})
    if isinstance(first, tuple) and hasattr(first, "_fields"):
        return kind(*(collate(list(samples), collate_fn_map=collate_fn_map) for samples in zip(*batch, strict=True)))
    if isinstance(first, Sequence) and not isinstance(first, (str, bytes)):
        if any(len(b) != len(first) for b in batch):
            raise RuntimeError("each element in list of batch should be of equal size")
        parts = [collate(list(samples), collate_fn_map=collate_fn_map) for samples in zip(*batch)]
        return parts if isinstance(first, tuple) else _rebuilt(first, parts)
    raise TypeError(default_collate_err_msg_format.format(kind))


def default_collate(batch: Any) -> Any:
    """Combines a list of samples into a batch.

    Tensors are stacked. Numbers and NumPy arrays become Tensors. Text stays a list. Mappings and
    sequences are collated item by item.

    Args:
      batch: list of samples of the same structure

    Shapes: tensors (...) give (batch, ...), numbers (batch,).
    Errors: TypeError for a sample of any other type, RuntimeError for samples of different sizes.
    """
    return collate(batch, collate_fn_map=default_collate_fn_map)
