"""Functions that pickles of tensors and parameters name, at the place where PyTorch has them."""
from torch_np.serialization._rebuild import (  # noqa: F401
    _rebuild_meta_tensor_no_storage, _rebuild_parameter, _rebuild_parameter_with_state, _rebuild_tensor, _rebuild_tensor_v2, _rebuild_tensor_v3,
)
