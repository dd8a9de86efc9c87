"""torch_np: a tensor engine with two faces.

`torch_np` has PyTorch's interface (`torch_np.Tensor`, `input`, `dim`, `keepdim`), and
`torch_np.numpy` has NumPy's (`np.ndarray`, `a`, `axis`, `keepdims`). Both wrap the same tensors:
the conversions `x._torch()` and `t._np_compat()` cost nothing.
"""
from __future__ import annotations as _annotations

import sys as _sys
from types import FunctionType as _FunctionType, ModuleType as _ModuleType
from typing import TYPE_CHECKING as _TYPE_CHECKING, Any as _Any

from torch_np import _C

# Makes the extension's modules importable by name, as the stubs in torch_np/_C/*.pyi declare them.
_sys.modules.update({_module.__name__: _module for _module in vars(_C).values() if isinstance(_module, _ModuleType)})
_C.__path__ = [f"{__path__[0]}/_C"]  # of modules in Python: _autograd, _functions, _functorch

from torch_np._C import (  # noqa: E402
    Generator as Generator, Size as Size, Tensor as Tensor, device as device, dtype as dtype,
    get_default_dtype as get_default_dtype, get_num_threads as get_num_threads, set_num_threads as set_num_threads,
)
# type checkers use the first definition of a name; at run time the one below replaces it
if _TYPE_CHECKING:
    from builtins import bool as _bool
    from collections.abc import Sequence as _Sequence

    from typing_extensions import TypeIs as _TypeIs

    from torch_np._report import Report as _Report
    from torch_np._torch.products import block_diag as block_diag, cartesian_prod as cartesian_prod, chain_matmul as chain_matmul
    from torch_np._torch.grids import atleast_1d as atleast_1d, atleast_2d as atleast_2d, atleast_3d as atleast_3d, broadcast_tensors as broadcast_tensors
    from torch_np._torch.copies import conj as conj
    from torch_np._torch.products import einsum as einsum
    from torch_np._torch.searching import nonzero as nonzero
    from torch_np._typing import DTypeLike as _DTypeLike
from torch_np._C._torch import *  # type: ignore[assignment]  # noqa: E402,F401,F403
from torch_np._C import (  # noqa: E402
    bfloat16 as bfloat16, bool as bool, complex64 as complex64, complex128 as complex128, float16 as float16, float32 as float32,
    float64 as float64, int8 as int8, int16 as int16, int32 as int32, int64 as int64, uint8 as uint8, uint16 as uint16,
    uint32 as uint32, uint64 as uint64,
)
double, half, long, short, cfloat, cdouble = (
    _C.float64, _C.float16, _C.int64, _C.int16, _C.complex64, _C.complex128)
float, int = _C.float32, _C.int32  # noqa: A001  (PyTorch's names)
from math import inf as inf, nan as nan, pi as pi  # noqa: E402

from torch_np._deferred import deferred as _deferred  # noqa: E402
from torch_np._registry import Namespace as _Namespace  # noqa: E402
setattr(_C, "_functions", _deferred("torch_np._C._functions"))
setattr(_C, "_autograd", _deferred("torch_np._C._autograd"))
setattr(_C, "is_grad_enabled", _C._is_grad_enabled)  # PyTorch's name
from torch_np import autograd as autograd, cpu as cpu, cuda as cuda  # noqa: E402
from torch_np._torch import device as _device, html as _html, tensor_methods as _tensor_methods, tensor_str as _tensor_str  # noqa: E402,F401
from torch_np._torch import tensor_absent as _tensor_absent, tensor_attributes as _tensor_attributes, tensor_views as _tensor_views  # noqa: E402,F401
from torch_np._torch import tensor_sparse as _tensor_sparse  # noqa: E402,F401
from torch_np.autograd import (  # noqa: E402
    enable_grad as enable_grad, inference_mode as inference_mode, is_grad_enabled as is_grad_enabled,
    is_inference_mode_enabled as is_inference_mode_enabled, no_grad as no_grad, set_grad_enabled as set_grad_enabled,
)
from torch_np._torch.precision import *  # noqa: E402,F401,F403
from torch_np._torch.memory_format import *  # noqa: E402,F401,F403
from torch_np._torch.dtype_info import *  # noqa: E402,F403
from torch_np._torch.functions import *  # noqa: E402,F403
from torch_np._torch.storage import *  # noqa: E402,F403
from torch_np._torch.random import *  # noqa: E402,F401,F403

set_printoptions = _tensor_str.set_printoptions
get_default_device, set_default_device = _device.get_default_device, _device.set_default_device
_C._set_repr_functions(torch_repr=_tensor_str._str_intern, torch_str=_tensor_str._str_intern)

from torch_np._torch.products import (  # noqa: E402
    _addmm_activation as _addmm_activation, _int_mm as _int_mm,
    block_diag as block_diag, cartesian_prod as cartesian_prod, chain_matmul as chain_matmul, einsum as einsum, tensordot as tensordot,
)
from torch_np._torch.foreach import *  # noqa: E402,F401,F403
from torch_np._torch.layers import *  # noqa: E402,F401,F403
from torch_np._torch.shapes import broadcast_shapes as broadcast_shapes  # noqa: E402
from torch_np._torch.distinct import unique as unique, unique_consecutive as unique_consecutive  # noqa: E402
from torch_np._torch.grids import (  # noqa: E402
    atleast_1d as atleast_1d, atleast_2d as atleast_2d, atleast_3d as atleast_3d, broadcast_tensors as broadcast_tensors,
    meshgrid as meshgrid, unravel_index as unravel_index,
)
from torch_np._torch.histogramdd import histogramdd as histogramdd  # noqa: E402
from torch_np._torch.private_operators import *  # noqa: E402,F401,F403
from torch_np._torch.searching import nonzero as nonzero  # noqa: E402
from torch_np._torch.segments import hash_tensor as hash_tensor, segment_reduce as segment_reduce  # noqa: E402
from torch_np import (  # noqa: E402
    backends as backends, fft as fft, linalg as linalg, numpy as numpy, return_types as return_types,
)

from torch_np._torch.gradient import gradient as gradient  # noqa: E402
from torch_np._lobpcg import lobpcg as lobpcg  # noqa: E402
from torch_np._torch.low_rank import pca_lowrank as pca_lowrank, svd_lowrank as svd_lowrank  # noqa: E402
from torch_np._torch.windows import (  # noqa: E402
    bartlett_window as bartlett_window, blackman_window as blackman_window, hamming_window as hamming_window, hann_window as hann_window,
    kaiser_window as kaiser_window,
)
from torch_np._C._torch import _standard_gamma as _standard_gamma  # noqa: E402
from torch_np._C._torch_nn_functional import bilinear as bilinear  # noqa: E402
from torch_np.linalg import det as det, slogdet as slogdet  # noqa: E402

if _TYPE_CHECKING:
    from torch_np import (
        __config__ as __config__, __future__ as __future__, _dynamo as _dynamo, _vmap_internals as _vmap_internals, accelerator as accelerator,
        amp as amp, ao as ao,
        compiler as compiler, distributed as distributed, distributions as distributions, export as export, func as func, functional as functional,
        fusion as fusion,
        futures as futures, fx as fx, hub as hub, jit as jit, library as library, masked as masked, monitor as monitor, mps as mps,
        mtia as mtia, multiprocessing as multiprocessing, nested as nested, nn as nn, onnx as onnx, operator as operator, optim as optim,
        overrides as overrides, package as package, profiler as profiler, quantization as quantization, quasirandom as quasirandom, random as random, safetensors as safetensors,
        serialization as serialization, signal as signal, sparse as sparse, special as special, storage as storage, testing as testing, torch_version as torch_version, types as types,
        utils as utils,
        version as version, xpu as xpu,
    )
    from torch_np.func import vmap as vmap
    from torch_np.jit import ScriptModule as ScriptModule
    from torch_np.sparse._top import (
        ccol_indices_copy as ccol_indices_copy, col_indices_copy as col_indices_copy, crow_indices_copy as crow_indices_copy,
        indices_copy as indices_copy, native_norm as native_norm, resize_as_sparse_ as resize_as_sparse_, row_indices_copy as row_indices_copy,
        sparse_bsc_tensor as sparse_bsc_tensor, sparse_bsr_tensor as sparse_bsr_tensor, sparse_compressed_tensor as sparse_compressed_tensor,
        sparse_coo_tensor as sparse_coo_tensor, sparse_csc_tensor as sparse_csc_tensor, sparse_csr_tensor as sparse_csr_tensor,
        dsmm as dsmm, hsmm as hsmm, hspmm as hspmm, saddmm as saddmm, smm as smm, spmm as spmm, sspaddmm as sspaddmm, values_copy as values_copy,
    )
else:
    from torch_np._torch import late_names as _late_names
    globals()["__getattr__"] = _late_names.attribute  # type checkers must not see that it exists
    globals()["__dir__"] = _late_names.names
    globals().update((_name, _deferred(f"torch_np.{_name}")) for _name in (
        "__config__", "__future__", "_custom_ops", "_dynamo", "_functorch", "_guards", "_jit_internal", "_ops", "_subclasses", "_vmap_internals", "accelerator", "amp", "ao", "compiler", "distributed", "distributions", "export", "func",
        "functional", "fusion", "futures", "fx", "hub", "jit", "library", "masked", "monitor", "mps", "mtia", "multiprocessing", "nested", "nn", "onnx",
        "operator", "optim", "overrides", "package", "profiler", "quantization", "quasirandom", "random", "safetensors", "serialization", "signal", "sparse", "special", "storage", "testing",
        "torch_version", "types", "utils", "version", "xpu"))
    vars(cuda).update((_name, _deferred(f"torch_np.cuda.{_name}")) for _name in ("amp", "memory", "random", "streams"))
    setattr(cpu, "amp", _deferred("torch_np.cpu.amp"))
from torch_np._torch.legacy_types import *  # noqa: E402,F401,F403
from torch_np._torch.legacy_storages import *  # noqa: E402,F401,F403
from torch_np._torch.autocasting import *  # noqa: E402,F401,F403
from torch_np._torch import c_functional as _c_functional  # noqa: E402,F401
from torch_np._torch.checks import (  # noqa: E402
    _check as _check, _check_index as _check_index, _check_not_implemented as _check_not_implemented, _check_tensor_all as _check_tensor_all,
    _check_tensor_all_with as _check_tensor_all_with, _check_type as _check_type, _check_value as _check_value, _check_with as _check_with,
)
from torch_np._torch import engine_names as _engine_names  # noqa: E402,F401
from torch_np._torch.copies import *  # noqa: E402,F401,F403
from torch_np._torch.copies import conj as conj  # noqa: E402
from torch_np._torch.future import Future as Future  # noqa: E402
from torch_np._torch.layouts import *  # noqa: E402,F401,F403
from torch_np._torch.autocasting import autocast as autocast  # noqa: E402
from torch_np._torch.mixed_precision import GradScaler as GradScaler  # noqa: E402
from torch_np._torch.native_layers import *  # noqa: E402,F401,F403
from torch_np._torch.quantiles import *  # noqa: E402,F401,F403
from torch_np._torch.settings import *  # noqa: E402,F403
from torch_np._torch.settings import _assert as _assert  # noqa: E402
from torch_np._torch.symbolic import *  # noqa: E402,F401,F403
from torch_np._torch.toplevel import *  # noqa: E402,F401,F403
from torch_np._torch.absent_names import (  # noqa: E402
    AcceleratorError as AcceleratorError, FatalError as FatalError, JITException as JITException, names as _absent_names,
)
if _TYPE_CHECKING:
    from torch_np._C import DisableTorchFunction as DisableTorchFunction, DisableTorchFunctionSubclass as DisableTorchFunctionSubclass
    from torch_np._torch.absent_declarations import *  # noqa: F403
globals().update((_name, _value) for _name, _value in _absent_names.items() if _name not in globals())

# Pickles refer to a function or class by the module that users import, not by its source file.
for _value in list(globals().values()):
    if isinstance(_value, (_FunctionType, type)) and _value.__module__.startswith("torch_np._torch."):
        _value.__module__ = __name__
del _value
from torch_np._overridable import make_overridable as _make_overridable  # noqa: E402
_make_overridable(globals())

# The operators that users and libraries registered: torch_np.ops.<namespace>.<name>.
ops = _Namespace("torch_np.ops", numpy_face=False)

__version__ = "0.1.0"
cuda._find_library(__version__)


def Custom(*args: Tensor, op_type: str, **kwargs: _Any) -> _Any:  # noqa: N802  (MXNet's name)
    """Calls the operator that `torch_np.operator.register` registered as `op_type`. Returns its
    result, or a tuple of its results.

    On `device='meta'` only shapes and dtypes are inferred. A second derivative raises.

    Args:
      args: Tensors: the arguments and then the states, in the order of `list_arguments` and
        `list_auxiliary_states`. They may also be given by these names.
      op_type: Name under which the operator was registered.
      kwargs: Tensors by name. All other keywords are attributes: they are passed to the
        CustomOpProp as strings.

    Shapes: those that the CustomOpProp infers.
    Errors: ValueError for an operator that is not registered, and for shapes or counts that the
    CustomOpProp contradicts; TypeError for a wrong number of arguments, and for dtypes that it
    contradicts. Exceptions from its methods carry a note that names the method.
    """
    return operator.custom(args, op_type, kwargs, numpy_face=False)


def set_default_dtype(d: _DTypeLike, /) -> None:
    """Sets the dtype of new floating-point tensors, which is float32 at first.

    Args:
      d: A floating dtype.

    Errors: TypeError unless `d` is floating.
    """
    _C._set_default_dtype(d, False)


def is_tensor(obj: object) -> _TypeIs[Tensor]:
    """Whether `obj` is a Tensor.

    Args:
      obj: Any object.
    """
    return isinstance(obj, Tensor)


def install(*, torch: _bool = True, numpy: _bool = False, numpy_for: _Sequence[str] = (), no_numpy_for: _Sequence[str] = ()) -> None:
    """Makes `import torch` find this package, and `import numpy` torch_np.numpy, in this process and
    in those that it starts: programs and packages written for PyTorch and NumPy then run on
    torch_np. Call it before the first `import torch` or `import numpy`.

    `torch.nn` is then `torch_np.nn`, the same module; classes show themselves as `torch.Tensor`,
    `torch.__version__` is that of the PyTorch whose interface this is, and
    `importlib.metadata.version("torch")` gives it too.

    The program and packages in Python get torch_np.numpy. Packages with compiled code for NumPy's C
    interface get NumPy, and see our arrays as instances of numpy.ndarray. `sys.modules["numpy"]` is
    NumPy. A second call adds what it names.

    Args:
      torch: Whether this package stands for PyTorch.
      numpy: Whether `torch_np.numpy` stands for NumPy.
      numpy_for: Names of further packages that get NumPy.
      no_numpy_for: Names of packages that get torch_np.numpy, even if their compiled code uses NumPy.

    Errors: RuntimeError if PyTorch is already imported.
    Warnings: RuntimeWarning if child processes ignore the environment, as under `python -I`, and if
      the program has imported NumPy already.
    """
    from torch_np import _launcher

    _launcher.install(torch=torch, numpy=numpy, numpy_for=numpy_for, no_numpy_for=no_numpy_for)


def report() -> _Report:
    """Returns a context manager that records the calls of both faces, in all threads of the process,
    and sums them up. `print(r)` then shows a table: calls by function, how many torch_np and how many
    NumPy computed, and why; arrays that crossed to and from other libraries; expressions that were
    fused; the lines of the program where the time went. `r.data()` has the same as dictionaries and
    lists, and `r.save(path)` writes it as JSON, HTML or text, by the suffix of the path.

    It uses the profiler, of which a process has one at a time. Times are those of the calls on the
    CPU. Each call takes about a microsecond more. Without a report, nothing is recorded.

    Errors: RuntimeError from the `with` statement if a profile is being recorded already.
    """
    from torch_np import _report

    return _report.Report()


def load_ipython_extension(ipython: _Any) -> None:
    """Calls `install(numpy=True)`: IPython and notebooks call this function for `%load_ext torch_np`.

    Args:
      ipython: IPython's shell, which is not used.

    Errors: those of `install()`.
    """
    install(numpy=True)
