"""Lists of tensors in groups, as optimizers take them: the functions of torch_np.utils._foreach_utils."""
from __future__ import annotations

from typing import Any, TypeAlias

from torch_np._C import Tensor, device, dtype

TensorListList: TypeAlias = list[list[Any]]
Indices: TypeAlias = list[int]


def _get_foreach_kernels_supported_devices() -> list[str]:
    """The types of devices, besides the CPU, that functions of lists of tensors run on."""
    return ["cuda"]


def _get_fused_kernels_supported_devices() -> list[str]:
    """The types of devices that fused steps of optimizers run on."""
    return ["cuda", "cpu"]


def _group_tensors_by_device_and_dtype(tensorlistlist: TensorListList, with_indices: bool = False,
                                       ) -> dict[tuple[device, dtype], tuple[TensorListList, Indices]]:
    """Splits lists of one length by the device and dtype of the tensors in the first list.

    The other lists may hold None and numbers. An empty list stays empty in every group. The indices
    are those in the first list, or empty unless `with_indices`.
    """
    if not tensorlistlist:
        raise RuntimeError("_group_tensors_by_device_and_dtype(): there must be at least one list")
    first = tensorlistlist[0]
    if not first:
        raise RuntimeError("_group_tensors_by_device_and_dtype(): the first list is empty")
    if any(not isinstance(t, Tensor) for t in first):
        raise RuntimeError("_group_tensors_by_device_and_dtype(): the first list must hold tensors only")
    if any(others and len(others) != len(first) for others in tensorlistlist):
        raise RuntimeError("_group_tensors_by_device_and_dtype(): the lists must be of the same length, or empty")
    groups: dict[tuple[device, dtype], tuple[TensorListList, Indices]] = {}
    for i, tensor in enumerate(first):
        lists, indices = groups.setdefault((tensor.device, tensor.dtype), ([[] for _ in tensorlistlist], []))
        for target, source in zip(lists, tensorlistlist):
            if source:
                target.append(source[i])
        if with_indices:
            indices.append(i)
    return groups


def _device_has_foreach_support(device: device) -> bool:
    """Whether functions of lists of tensors run on a device."""
    return device.type in (*_get_foreach_kernels_supported_devices(), "cpu")


def _has_foreach_support(tensors: list[Any], device: device) -> bool:
    """Whether functions of lists take these tensors: tensors of no other class, or None."""
    return _device_has_foreach_support(device) and all(t is None or type(t) is Tensor for t in tensors)
