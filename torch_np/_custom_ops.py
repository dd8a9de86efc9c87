"""torch_np._custom_ops: PyTorch's former names of functions of torch_np.library."""
from __future__ import annotations

from torch_np._absent import absent_function
from torch_np.library import custom_op as custom_op, get_ctx as get_ctx, impl as impl, infer_schema as infer_schema, register_fake

impl_abstract = register_fake
_REASON = "a derivative is two functions of one registration; use torch_np.library.register_autograd"
impl_backward = absent_function("impl_backward", _REASON, __name__)
impl_save_for_backward = absent_function("impl_save_for_backward", _REASON, __name__)
