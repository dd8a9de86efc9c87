"""Serialisation of chunks for the network and for spilling to disk, and their tokens in task names.

A chunk is sent as its own memory, without a copy before the socket or file. The receiver gets an
array over the received buffer. Chunks that repeat elements (`dask.array.ones`) are sent as the
distinct elements.
"""
from __future__ import annotations

import pickle
from typing import Any

from dask.sizeof import sizeof
from dask.tokenize import normalize_token

import torch_np.numpy as np
from torch_np import _C


def register() -> None:
    """Registers the functions of this file with Dask, and with `distributed` if it is installed."""
    sizeof.register(np.ndarray, size_of)
    normalize_token.register(np.ndarray, token_of)
    try:
        from distributed.protocol.serialize import dask_deserialize, dask_serialize
    except ImportError:
        return
    dask_serialize.register(np.ndarray, serialize)
    dask_deserialize.register(np.ndarray, deserialize)


def _distinct(x: np.ndarray) -> np.ndarray:
    """`x` with each axis of stride 0 reduced to one element."""
    if x.ndim == 0 or 0 not in x.strides:
        return x
    return x[tuple(slice(1) if stride == 0 else slice(None) for stride in x.strides)]


def size_of(x: np.ndarray) -> int:
    """The size of the distinct elements of `x` in bytes: the memory that a worker frees when it
    spills `x`.
    """
    return int(_distinct(x).nbytes)


def serialize(x: np.ndarray) -> tuple[dict[str, Any], list[Any]]:
    """A header, and as the frame the memory of `x`, or of a copy if its elements are not
    contiguous.

    An array with a gradient, or on a device, is pickled.
    """
    if str(x.device) != "cpu" or x._requires_grad:
        return {"pickle": True}, [pickle.dumps(x, protocol=5)]
    elements = _distinct(x)
    order = sorted(range(x.ndim), key=lambda axis: -abs(elements.strides[axis]))
    rows = elements.transpose(order)
    if not rows.flags.c_contiguous:
        rows = np.ascontiguousarray(rows)
    header = {"dtype": x.dtype.name, "shape": x.shape, "order": order, "rows": rows.shape, "writeable": [x.flags.writeable]}
    # A buffer; Any, since typing has no buffer type before Python 3.12.
    elements_as_bytes: Any = rows.reshape(-1).view(np.uint8)
    return header, [memoryview(elements_as_bytes)]


def deserialize(header: dict[str, Any], frames: list[Any]) -> np.ndarray:
    """The array that `serialize` converted to `header` and `frames`, over the memory of the frame.

    A decompressed frame may be read-only. It is copied if the array was writable.

    Args:
      header: the header
      frames: list of the frame

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
    """The token of `x` in task names: equal for equal elements, and different from that of an equal
    NumPy array.
    """
    return "torch_np", normalize_token(_C._numpy_view(x._detach()._cpu()))
