"""How chunks travel between workers, to disk when memory is short, and into the names of tasks.

A chunk is sent by what pickle's protocol 5 has out of band: its own memory, which nobody copies before the socket or the file. What
arrives is the memory that it was received into. Chunks that repeat elements (`dask.array.ones`) are sent as these elements.
"""
from __future__ import annotations

import pickle
from typing import Any

from dask.sizeof import sizeof
from dask.tokenize import normalize_token

import torch_np.numpy as np
from torch_np import _C


def register() -> None:
    """Registers all of this file; what is of `distributed`, where that is installed."""
    sizeof.register(np.ndarray, size_of)
    normalize_token.register(np.ndarray, token_of)
    try:
        from distributed.protocol.serialize import dask_deserialize, dask_serialize
    except ImportError:
        return
    dask_serialize.register(np.ndarray, serialize)
    dask_deserialize.register(np.ndarray, deserialize)


def _distinct(x: np.ndarray) -> np.ndarray:
    """`x` with one element for each axis that repeats its elements."""
    if x.ndim == 0 or 0 not in x.strides:
        return x
    return x[tuple(slice(1) if stride == 0 else slice(None) for stride in x.strides)]


def size_of(x: np.ndarray) -> int:
    """The bytes of the elements of `x`: what a worker counts, and gets back when it spills `x`."""
    return int(_distinct(x).nbytes)


def serialize(x: np.ndarray) -> tuple[dict[str, Any], list[Any]]:
    """A header and the frames of `x`: a short pickle, and the memory of `x`; of a copy, where its elements are not side by side.

    An array with a gradient is sent by value, one on a device by the way of the CPU, as pickle does.
    """
    elements = _distinct(x)
    if str(x.device) == "cpu" and not x._requires_grad and not (elements.flags.c_contiguous or elements.flags.f_contiguous):
        elements = np.array(elements, order="K")
    buffers: list[Any] = []
    header = pickle.dumps(elements, protocol=5, buffer_callback=buffers.append)
    views = [memoryview(b) for b in buffers]
    return {"shape": x.shape if elements.shape != x.shape else None, "writeable": [not v.readonly for v in views]}, [header, *views]


def deserialize(header: dict[str, Any], frames: list[Any]) -> np.ndarray:
    """The array that `serialize` made `header` and `frames` of, over the memory of the frames.

    Decompressed frames may be read-only: an array that could be written to gets a copy of them.
    """
    buffers = [bytearray(f) if writeable and memoryview(f).readonly else f for f, writeable in zip(frames[1:], header["writeable"])]
    x = pickle.loads(frames[0], buffers=buffers)
    return x if header["shape"] is None else np.broadcast_to(x, header["shape"])


def token_of(x: np.ndarray) -> tuple[Any, ...]:
    """What the name of a task on `x` is made of: equal for equal elements, and another than that of NumPy's array."""
    return "torch_np", normalize_token(_C._numpy_view(x._detach()._cpu()))
