"""Functions, classes and dtypes at the top of PyTorch's face that are not implemented."""
from __future__ import annotations

from typing import Any, NoReturn

from torch_np import _C, _public_names
from torch_np._absent import absent_class, absent_function

_SCRIPT = "PyTorch's script compiler is not implemented; call the function itself, or use torch_np.compile"
_QUANTISED = "quantised tensors are not implemented; use float tensors"
_CUDNN = "cuDNN is not used; call the function of torch_np.nn.functional"
_STATISTICS = "statistics of batches on several GPUs are not separate operators; use torch_np.nn.SyncBatchNorm"

_CLASSES = {
    _SCRIPT: """Argument ArgumentSpec BenchmarkConfig BenchmarkExecutionStats Block BufferDict CallStack Capsule Code CompleteArgumentSpec
        ConcreteModuleTypeBuilder DeepCopyMemoTable DeserializationStorageContext ErrorReport ExecutionPlan FileCheck Gradient Graph
        GraphExecutorState LockingLogger ModuleDict Node NoopLogger OperatorInfo ParameterDict PyTorchFileReader PyTorchFileWriter ScriptClass
        ScriptClassFunction ScriptDict ScriptDictIterator ScriptDictKeyIterator ScriptFunction ScriptList ScriptListIterator ScriptMethod
        ScriptObject ScriptObjectProperty SerializationStorageContext StaticModule TracingState Use Value
        AliasDb AnyType AwaitType BoolType ClassType ComplexType ConcreteModuleType DeviceObjType DictType EnumType FloatType FunctionSchema
        FutureType IODescriptor InferredType IntType InterfaceType ListType LiteScriptModule NoneType NumberType OptionalType PyObjectType
        RRefType ScriptModuleSerializer StreamObjType StringType SymBoolType SymIntType TensorType TupleType UnionType""",
}
_FUNCTIONS = {
    _SCRIPT: "import_ir_module import_ir_module_from_buffer merge_type_from_type_comment parse_ir parse_schema parse_type_comment unify_type_list",
    _QUANTISED: """choose_qparams_optimized fake_quantize_per_channel_affine fake_quantize_per_tensor_affine fused_moving_avg_obs_fake_quant
        int_repr quantize_per_channel quantize_per_tensor quantize_per_tensor_dynamic""",
    _CUDNN: """cudnn_affine_grid_generator cudnn_batch_norm cudnn_convolution cudnn_convolution_add_relu cudnn_convolution_relu
        cudnn_convolution_transpose cudnn_grid_sampler""",
    _STATISTICS: """batch_norm_backward_elemt batch_norm_backward_reduce batch_norm_elemt batch_norm_gather_stats
        batch_norm_gather_stats_with_counts batch_norm_stats batch_norm_update_stats""",
    "a gradient of slices is not a separate operator; use x[...] = y": "slice_inverse",
}


# Functions that PyTorch removed, and their successors.
REMOVED = {
    "cholesky": "torch_np.linalg.cholesky", "eig": "torch_np.linalg.eig", "lstsq": "torch_np.linalg.lstsq", "qr": "torch_np.linalg.qr",
    "solve": "torch_np.linalg.solve, whose arguments are in the other order", "symeig": "torch_np.linalg.eigh",
    "matrix_rank": "torch_np.linalg.matrix_rank",
}


class AbsentDtype:
    """A dtype that is not implemented. It has PyTorch's name and size, and can be compared and be a key;
    functions refuse it. It is an instance of `torch_np.dtype` for isinstance.
    """

    __slots__ = ("is_complex", "is_floating_point", "is_signed", "itemsize", "name")

    def __init__(self, name: str, itemsize: int, floating: bool = False, complex_: bool = False, signed: bool = False) -> None:
        self.name, self.itemsize = name, itemsize
        self.is_floating_point, self.is_complex, self.is_signed = floating, complex_, signed

    def _refuse(self) -> NoReturn:
        raise NotImplementedError(f"the dtype {self.name} is not implemented; the dtypes are those of docs/what_works.md")

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        return _C.dtype

    @property
    def dtype(self) -> NoReturn:
        """Raises NotImplementedError. Functions read it from an argument that is no dtype."""
        self._refuse()

    def to_complex(self) -> NoReturn:
        """Raises NotImplementedError."""
        self._refuse()

    def to_real(self) -> NoReturn:
        """Raises NotImplementedError."""
        self._refuse()

    def __repr__(self) -> str:
        return f"{_public_names.public}.{self.name}"

    def __reduce__(self) -> str:
        return self.name


names: dict[str, Any] = {}
for _reason, _list in _CLASSES.items():
    names.update((_name, absent_class(_name, _reason, "torch_np")) for _name in _list.split())
for _reason, _list in _FUNCTIONS.items():
    names.update((_name, absent_function(_name, _reason, "torch_np")) for _name in _list.split())
for _name in ("float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu", "float4_e2m1fn_x2"):
    names[_name] = AbsentDtype(_name, 1, floating=True, signed=_name != "float8_e8m0fnu")
names["complex32"] = names["chalf"] = AbsentDtype("complex32", 4, complex_=True, signed=True)
names["bcomplex32"] = AbsentDtype("bcomplex32", 4, complex_=True, signed=True)
for _name, _size in (("bits1x8", 1), ("bits2x4", 1), ("bits4x2", 1), ("bits8", 1), ("bits16", 2)):
    names[_name] = AbsentDtype(_name, _size)
names["bit"] = AbsentDtype("bit", 1)
for _i in range(1, 8):
    names[f"int{_i}"] = AbsentDtype(f"int{_i}", 1, signed=True)
    names[f"uint{_i}"] = AbsentDtype(f"uint{_i}", 1)
for _name, _size in (("quint8", 1), ("qint8", 1), ("qint32", 4), ("quint4x2", 1), ("quint2x4", 1)):
    names[_name] = AbsentDtype(_name, _size, signed=_name[1] == "i")


class JITException(RuntimeError):  # noqa: N818  (PyTorch's name)
    """PyTorch's error in a compiled program. Functions run in Python raise their own exceptions."""


class AcceleratorError(RuntimeError):
    """PyTorch's error of a device; errors here are RuntimeError."""


class FatalError(Exception):
    """PyTorch's error after which the process cannot continue; it is never raised here."""


def _removed(name: str, instead: str) -> Any:
    def function(*args: Any, **kwargs: Any) -> NoReturn:
        raise RuntimeError(f"{name}(): This function was deprecated since version 1.9 and is now removed; use {instead}")
    function.__name__ = function.__qualname__ = name
    function.__module__ = "torch_np"
    function.__doc__ = f"Raises RuntimeError: PyTorch removed this function; use {instead}."
    setattr(function, "_is_absent", True)
    return function


for _name, _instead in REMOVED.items():
    names[_name] = _removed(_name, _instead)
names.update(JITException=JITException, AcceleratorError=AcceleratorError, FatalError=FatalError)
for _name, _value in names.items():
    if not hasattr(_C, _name):
        setattr(_C, _name, _value)  # packages import them from the extension module
for _name in ("DisableTorchFunction", "DisableTorchFunctionSubclass"):
    names[_name] = getattr(_C, _name)
