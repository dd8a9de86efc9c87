"""torch_np.utils._foreach_utils: lists of tensors in groups, as optimizers take them."""
from torch_np._torch.tensor_groups import (
    TensorListList as TensorListList,
    Indices as Indices,
    _get_foreach_kernels_supported_devices as _get_foreach_kernels_supported_devices,
    _get_fused_kernels_supported_devices as _get_fused_kernels_supported_devices,
    _group_tensors_by_device_and_dtype as _group_tensors_by_device_and_dtype,
    _device_has_foreach_support as _device_has_foreach_support,
    _has_foreach_support as _has_foreach_support,
)
