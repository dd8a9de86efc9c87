"""How chunks travel between workers, to disk when memory is short, and into the names of tasks.

A chunk is sent as its own memory, which nobody copies before the socket or the file; what arrives is an array over the memory that was
received. Chunks that repeat elements (`dask.array.ones`) are sent as these elements.
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
    """A header, and as the frame the memory of `x`, or of a copy where its elements are not side by side.

    An array with a gradient, or on a device, is sent as pickle has it.
    """
    if str(x.device) != "cpu" or x._requires_grad:
        return {"pickle": True}, [pickle.dumps(x, protocol=5)]
    elements = _distinct(x)
    order = sorted(range(x.ndim), key=lambda axis: -abs(elements.strides[axis]))
    rows = elements.transpose(order)
    if not rows.flags.c_contiguous:
        rows = np.ascontiguousarray(rows)
    header = {"dtype": x.dtype.name, "shape": x.shape, "order": order, "rows": rows.shape, "writeable": [x.flags.writeable]}
    elements_as_bytes: Any = rows.reshape(-1).view(np.uint8)  # a buffer, which stubs cannot say before Python 3.12
    return header, [memoryview(elements_as_bytes)]


def deserialize(header: dict[str, Any], frames: list[Any]) -> np.ndarray:
    """The array that `serialize` made `header` and `frames` of, over the memory of the frame.

    What was decompressed may be read-only: an array that could be written to gets a copy of it.
    Shapes: that of the array.
    """
    if header.get("pickle"):
        return pickle.loads(frames[0])
    (frame,), (writeable,) = frames, header["writeable"]
    if writeable and memoryview(frame).readonly:
        frame = bytearray(frame)
    x = np.ndarray(tuple(header["rows"]), dtype=np.dtype(header["dtype"]), buffer=frame)
    x = x.transpose([header["order"].index(axis) for axis in range(x.ndim)])
    if x.shape != tuple(header["shape"]):
        x = np.broadcast_to(x, header["shape"])
    if not writeable and x.flags.writeable:
        x.flags.writeable = False
    return x


def token_of(x: np.ndarray) -> tuple[Any, ...]:
    """What the name of a task on `x` is made of: equal for equal elements, and another than that of NumPy's array."""
    return "torch_np", normalize_token(_C._numpy_view(x._detach()._cpu()))
