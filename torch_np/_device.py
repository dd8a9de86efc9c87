"""Moving arrays between devices: `_cuda`, `_cpu` on ndarray; `cuda`, `cpu` on Tensor."""
from torch_np import _C


def _no_cuda(self, device=None, non_blocking=False):
    """The array on the GPU. Errors: RuntimeError where there is none."""
    raise RuntimeError("CUDA is not available: this build of torch_np has no CUDA library. "
                       "torch_np.cuda.is_available() tells beforehand")


def _to_cpu(self):
    """The array in the memory of the CPU; itself if it is there."""
    return self


def _to_device(self, device, /, *, stream=None):
    """The array on `device`. Errors: ValueError for another device than 'cpu', or a `stream`."""
    if stream is not None:
        raise ValueError("The stream argument in to_device() is not supported")
    if str(device) != "cpu":
        raise ValueError(f"Unsupported device: {device}. Only 'cpu' is available in this build")
    return self


def attach():
    """Gives both types their methods; called once, by torch_np."""
    _C.ndarray._cuda, _C.ndarray._cpu, _C.ndarray.to_device = _no_cuda, _to_cpu, _to_device
    _C.Tensor.cuda, _C.Tensor.cpu = _no_cuda, _to_cpu
