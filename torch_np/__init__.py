"""torch_np: a tensor engine with two faces.

`torch_np` speaks PyTorch's language (`torch_np.Tensor`, `input`, `dim`, `keepdim`), `torch_np.numpy` NumPy's
(`np.ndarray`, `a`, `axis`, `keepdims`). Both wrap the same tensors: `x._torch()` and `t._np_compat()` cost nothing.
"""
from torch_np import _C
from torch_np._C import Generator, Size, Tensor, device, dtype  # noqa: F401

_namespace = globals()
_namespace.update({name: value for name, value in vars(_C._torch).items() if not name.startswith("__")})
for _name in ("bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64", "float16", "bfloat16",
              "float32", "float64", "complex64", "complex128"):
    _namespace[_name] = getattr(_C, _name)
double, half, long, short, cfloat, cdouble = (
    _C.float64, _C.float16, _C.int64, _C.int16, _C.complex64, _C.complex128)
float, int = _C.float32, _C.int32  # noqa: A001  (PyTorch's names)
from math import inf, nan, pi  # noqa: E402,F401

from torch_np import _device, _tensor_str, autograd, cpu, cuda  # noqa: E402,F401
from torch_np.autograd import enable_grad, is_grad_enabled, no_grad, set_grad_enabled  # noqa: E402,F401
from torch_np._C import get_num_threads, set_num_threads  # noqa: E402,F401
from torch_np._precision import get_float32_matmul_precision, set_float32_matmul_precision  # noqa: E402,F401

get_default_device, set_default_device = _device.get_default_device, _device.set_default_device
_C._set_repr_functions(torch_repr=_tensor_str._tensor_repr, torch_str=_tensor_str._tensor_repr)

from torch_np._products import einsum, tensordot  # noqa: E402,F401
from torch_np import backends, fft, linalg, nn, numpy, return_types  # noqa: E402,F401

__version__ = "0.1.0"


def set_default_dtype(d, /):
    """Makes `d` the dtype of new floating tensors, in place of float32. Errors: TypeError unless it is floating."""
    _C._set_default_dtype(d, False)


def get_default_dtype():
    """The dtype of new floating tensors."""
    return _C._get_default_dtype(False)


def is_tensor(obj):
    """Whether `obj` is a Tensor."""
    return isinstance(obj, Tensor)
