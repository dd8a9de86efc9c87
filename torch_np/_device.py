"""Arrays on devices: what both types have besides the operators of native_functions.yaml, and the default device.

ndarray has `_cuda`, `_cpu`, `_to` and NumPy 2's `to_device`; Tensor has PyTorch's `cuda`, `cpu`, `to` from the operator list.
"""
from torch_np import _C

_to = _C._cuda.to_device


def _cuda(self, device=None, non_blocking=False):
    """The array on the GPU `device` (a number, 'cuda:1'; None: the current one): itself if it is there. With `non_blocking`,
    a copy from pinned memory is not waited for.

    Errors: RuntimeError where there is no such GPU."""
    if device is None:
        device = self._device if str(self._device) != "cpu" else "cuda"
    device = f"cuda:{device}" if isinstance(device, int) else str(device)
    if not device.startswith("cuda"):
        raise RuntimeError(f"_cuda() takes a GPU, not {device!r}")
    return _to(self, device, non_blocking)


def _cpu(self):
    """The array in the memory of the CPU: itself if it is there."""
    return _to(self, "cpu", False)


def _to_(self, device=None, dtype=None, non_blocking=False, copy=False):
    """The array on `device`, with elements of `dtype`: itself if it is so already and no `copy` is asked for. A dtype may come
    as the first argument."""
    if device is not None and dtype is None and not _is_device(device):
        device, dtype = None, device
    moved = self if device is None else _to(self, str(device), non_blocking)
    if dtype is not None:
        moved = moved.astype(dtype, copy=False)
    return moved.copy() if copy and moved is self else moved


def _is_device(value):
    return isinstance(value, _C.device) or isinstance(value, str) and value.partition(":")[0] in ("cpu", "cuda")


def _to_device(self, device, /, *, stream=None):
    """The array on `device`: itself if it is there. Errors: ValueError for what is no device, or for a `stream`."""
    if stream is not None:
        raise ValueError("The stream argument in to_device() is not supported: work goes into the current one")
    if not _is_device(device):
        raise ValueError(f"Unsupported device: {device!r}. Expected 'cpu', 'cuda' or 'cuda:<number>'")
    return _to(self, str(device), False)


def _pin_memory(self):
    """The array in host memory that copies to a GPU need not wait for: itself if it is so already."""
    return _C._cuda.pin_memory(self)


def _is_pinned(self):
    """Whether the array is in pinned memory."""
    return _C._cuda.is_pinned(self)


def _record_stream(self, stream):
    """Keeps the memory from being handed out again before `stream` is done with what it has been given."""
    _C._cuda.record_stream(self, stream.cuda_stream)


def get_default_device():
    """Where new arrays are made unless something else says where; the CPU at first."""
    return _C._cuda.get_default_device()


def set_default_device(device):
    """Makes new arrays on `device` unless something else says where; None: on the CPU again. For the whole process.

    Errors: RuntimeError where there is no such device."""
    _C._cuda.set_default_device(device)


def attach():
    """Gives both types their methods; called once, by torch_np."""
    _C.ndarray._cuda, _C.ndarray._cpu, _C.ndarray._to, _C.ndarray.to_device = _cuda, _cpu, _to_, _to_device
    for name, method in (("pin_memory", _pin_memory), ("is_pinned", _is_pinned), ("record_stream", _record_stream)):
        setattr(_C.Tensor, name, method)
        setattr(_C.ndarray, f"_{name}", method)
