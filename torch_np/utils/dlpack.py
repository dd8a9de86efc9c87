"""torch_np.utils.dlpack: exchange of tensors without copies, by DLPack."""
from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Any

from torch_np import _C
from torch_np._absent import absent_class

if TYPE_CHECKING:
    from torch_np._typing import DeviceLike

__all__ = ["DLDeviceType", "ReadOnlyTensorWrapper", "from_dlpack", "to_dlpack"]


class DLDeviceType(enum.IntEnum):
    """Numbers of the kinds of devices in DLPack."""

    kDLCPU = 1
    kDLCUDA = 2
    kDLCUDAHost = 3
    kDLOpenCL = 4
    kDLVulkan = 7
    kDLMetal = 8
    kDLVPI = 9
    kDLROCM = 10
    kDLROCMHost = 11
    kDLExtDev = 12
    kDLCUDAManaged = 13
    kDLOneAPI = 14
    kDLWebGPU = 15
    kDLHexagon = 16
    kDLMAIA = 17


def from_dlpack(ext_tensor: Any, *, device: DeviceLike | None = None, copy: bool | None = None) -> _C.Tensor:
    """Returns a tensor with the memory of an array of another library.

    Args:
      ext_tensor: An array with the method `__dlpack__`, or a DLPack capsule.
      device: Device of the result; None is that of the array.
      copy: Whether the elements are copied: True always, False never, None if it is necessary.

    Shapes: as the array.
    Errors: BufferError or ValueError if a copy is necessary and `copy` is False.
    """
    given: dict[str, Any] = {}
    if device is not None:
        given["device"] = device
    if copy is not None:
        given["copy"] = copy
    if not given or hasattr(ext_tensor, "__dlpack__"):
        return _C._torch.from_dlpack(ext_tensor, **given)
    raise TypeError("from_dlpack(): device and copy need an object with __dlpack__, not a capsule")


def to_dlpack(tensor: _C.Tensor) -> Any:
    """Returns a DLPack capsule of the tensor's memory.

    Args:
      tensor: The tensor.

    Shapes: any.
    """
    return tensor.__dlpack__()


ReadOnlyTensorWrapper: Any = absent_class(
    "ReadOnlyTensorWrapper", "tensors cannot be read-only; give the consumer a copy, tensor.clone(), or an ndarray with flags.writeable = False",
    __name__)
