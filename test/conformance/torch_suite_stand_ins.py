"""Stand-ins for modules of PyTorch that only its own tests import, such as torch._inductor.

A stand-in is an empty module. Each of its names is a class that raises NotImplementedError when it is called.
"""
import contextlib
import functools
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import os
import pkgutil
import sys
import types
import unittest
import weakref

import packaging.version

import torch_np

# These modules, and those below them.
MODULES = """torch._C._profiler torch._dynamo.test_case torch._dynamo.testing torch._export torch._functorch._aot_autograd torch._functorch.aot_autograd torch._functorch.apis torch._functorch.autograd_function torch._functorch.batch_norm_replacement
torch._functorch.compilers torch._functorch.config torch._functorch.partitioners torch._functorch.pyfunctorch torch._functorch.python_key torch._higher_order_ops torch._inductor torch._lazy torch._logging torch._native torch._prims
torch._prims_common torch._refs torch._torch_docs torch._utils_internal torch._vendor torch.ao.nn torch.ao.ns
torch.ao.quantization.quantization_mappings torch.ao.quantization.quantize_fx torch.autograd._functions
torch.autograd.profiler_util torch.backends.python_native torch.backends.quantized torch.backends.xnnpack
torch.jit._logging torch.jit.frontend torch.jit.mobile torch.jit.quantized torch.nested._internal
torch.nn.parallel._functions torch.profiler._cuspy torch.utils._dtype_abbrs torch.utils._import_utils
torch.utils._triton torch.utils.data.datapipes.iter""".split()


def is_module(name):
    try:
        return importlib.util.find_spec(name) is not None
    except ImportError:
        return False


def import_dill():
    return importlib.import_module("dill") if is_module("dill") else None


class Precision:
    """The precision of a library that torch_np does not use. Programs may set it."""

    fp32_precision = "none"


# Names of stand-ins that are not absent.
VALUES = {
    "torch._dynamo.test_case": {"TestCase": unittest.TestCase},
    "torch._inductor.utils": {"GPU_TYPES": ["cuda", "mps", "xpu", "mtia"]},
    "torch._inductor.config": {"patch": lambda *args, **kwargs: lambda function: function},
    "torch._logging.scribe": {"open_source_signpost": lambda *args, **kwargs: None},
    "torch._export.wrappers": {"mark_subclass_constructor_exportable_experimental": lambda function: function},
    "torch._native.dsl_registry": {"dsl_registry": types.SimpleNamespace(is_dsl_available=lambda name: False)},
    "torch._prims_common": {"corresponding_complex_dtype": lambda dtype: dtype.to_complex()},
    "torch._utils_internal": {
        "IS_FBSOURCE": False, "get_writable_path": lambda path: path,
        "get_file_path_2": lambda *parts: os.path.join(*parts)},
    "torch._vendor.packaging": {"version": packaging.version},
    "torch.backends.python_native": {"available_dsls": []},
    "torch.backends.quantized": {"engine": "none", "supported_engines": ["none"]},
    "torch.backends.xnnpack": {"enabled": False},
    "torch.utils._import_utils": {
        "_check_module_exists": is_module, "dill_available": lambda: is_module("dill"), "import_dill": import_dill},
    "torch.utils._triton": {"has_triton": lambda: False},
}

# Names that modules of torch_np lack. They are absent ...
NAMES = {
    "torch": """_chunk_cat _native_batch_norm_legit _scaled_mm _scaled_mm_v2 _unsafe_masked_index
        _unsafe_masked_index_put_accumulate per_channel_affine_float_qparams per_tensor_affine per_tensor_symmetric""",
    "torch._C": "_ConvBackend ScriptDict ScriptFunction ScriptList ScriptMethod TensorType",
    "torch.ao.quantization": """QuantType default_dynamic_qat_qconfig default_dynamic_qconfig
        default_embedding_qat_qconfig default_per_channel_qconfig default_qconfig
        default_symmetric_qnnpack_qat_qconfig float_qparams_weight_only_qconfig""",
    "torch._dynamo.utils": "LazyString",
    "torch._subclasses.fake_tensor": "FakeTensorConverter",
    "torch.autograd": "_calculate_shape",
    "torch.autograd.function": "_nested_map",
    "torch.autograd.gradcheck": "_get_numerical_jacobian _iter_tensors",
    "torch.distributions.dirichlet": "_Dirichlet_backward",
    "torch.distributions.kl": "_kl_expfamily_expfamily",
    "torch.fx.experimental": "_config",
    "torch.optim.lr_scheduler": "EPOCH_DEPRECATION_WARNING",
    "torch._functorch.make_functional": "functional_init_with_buffers",
    "torch.ops.aten": """_batch_norm_with_update _efficient_attention_forward _new_zeros_with_same_feature_meta _flash_attention_forward
        _safe_softmax
        _scaled_dot_product_flash_attention_for_cpu _softmax_backward_data _upsample_bilinear2d_aa
        native_dropout_backward""",
    "torch.sparse": "sampled_addmm",
    "torch.onnx": "OperatorExportTypes",
    "torch.testing": "FileCheck",
}

# ... or have a value.
NAME_VALUES = {
    "torch": {"_grid_sampler_2d_cpu_fallback": lambda input, grid, mode, padding, align_corners: torch_np.nn.functional.grid_sample(
                  input, grid, ("bilinear", "nearest", "bicubic")[mode], ("zeros", "border", "reflection")[padding], align_corners),
              "_mkldnn": torch_np._torch.layouts._make("_mkldnn"), "_nnpack_available": lambda: False, "_disable_dynamo": lambda function=None, recursive=True: function or (lambda f: f),
              "_segment_reduce": torch_np.segment_reduce, "foreach": types.SimpleNamespace(**{
        name.removeprefix("_foreach_"): getattr(torch_np, name) for name in dir(torch_np) if name.startswith("_foreach_")})},
    "torch._C._functorch": {"_is_vmap_fallback_enabled": lambda: True, "_set_vmap_fallback_enabled": lambda on: None},
    "torch._C": {"_debug_only_are_vmap_fallback_warnings_enabled": lambda: True, "_debug_only_display_vmap_fallback_warnings": lambda on: None,
                 "_DisableFuncTorch": contextlib.nullcontext, "_get_deterministic_fill_uninitialized_memory": lambda: torch_np.utils.deterministic.fill_uninitialized_memory,
                 "_set_deterministic_fill_uninitialized_memory": lambda mode: setattr(
                     torch_np.utils.deterministic, "fill_uninitialized_memory", mode),
                 "_get_cpu_capability": lambda: torch_np.backends.cpu.get_cpu_capability(),
                 "_get_privateuse1_backend_name": lambda: "privateuseone",
                 "_is_alias_of": lambda a, b: a.untyped_storage().data_ptr() == b.untyped_storage().data_ptr(),
                 "_infer_size": lambda a, b: torch_np.broadcast_shapes(a, b),
                 "_set_mkldnn_enabled": lambda enabled: torch_np.backends.mkldnn.set_flags(enabled) and None,
                 "_TorchFunctionState": types.SimpleNamespace(ENABLED=0), "_get_torch_function_state": lambda: 0,
                 "_set_torch_function_state": lambda state: None},
    "torch._utils": {"_element_size": lambda dtype: dtype.itemsize,
                     "_is_privateuse1_backend_available": lambda: False},
    "torch.autograd": {"kineto_available": lambda: False},
    "torch.backends": {"disable_global_flags": lambda: None},
    "torch.backends.cuda.cuBLASModule": {"fp32_precision": "none"},
    "torch.backends.cudnn": {"conv": Precision(), "rnn": Precision(), "is_acceptable": lambda tensor: False},
    "torch.backends.mkldnn": {"conv": Precision(), "matmul": Precision(), "rnn": Precision()},
    "torch.profiler": {"itt": types.SimpleNamespace(is_available=lambda: False)},
    "torch.utils.data._utils": {"MP_STATUS_CHECK_INTERVAL": 5.0},
    "torch.cpu": {"_is_avx2_supported": lambda: torch_np.backends.cpu.get_cpu_capability() != "DEFAULT"},
}


class Absent(type):
    """The type of an absent name. An attribute of it is absent, too."""

    def __call__(cls, *args, **kwargs):
        raise NotImplementedError(f"{cls.__module__}.{cls.__qualname__}: torch_np does not have it")

    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return absent(f"{cls.__qualname__}.{name}", cls.__module__)


def absent(name, module):
    return Absent(name.rpartition(".")[2], (), {"__all__": (), "__qualname__": name, "__module__": module})


class StandIn(types.ModuleType):
    __path__ = ()
    __all__ = ()

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        if f"{self.__name__}.{name}" in VALUES:     # a module, which nothing has imported yet
            return importlib.import_module(f"{self.__name__}.{name}")
        return absent(name, self.__name__)


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path=None, target=None):
        if any(f"{name}.".startswith(f"{module}.") for module in MODULES):
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec):
        return StandIn(spec.name, "Stand-in of a module that torch_np does not have.")

    def exec_module(self, module):
        vars(module).update(VALUES.get(module.__name__, {}))


class DelayedError(torch_np.autograd.Function):
    """The identity function, whose derivative raises an error."""

    @staticmethod
    def forward(ctx, message, *tensors):
        ctx.message = message
        return tensors[0].clone() if len(tensors) == 1 else tuple(t.clone() for t in tensors)

    @staticmethod
    def backward(ctx, *grads):
        raise RuntimeError(ctx.message)


class UndefinedGrad(torch_np.autograd.Function):
    """The identity function, whose derivative is undefined."""

    @staticmethod
    def forward(ctx, x):
        return x.clone()

    @staticmethod
    def backward(ctx, grad):
        return None


class WeakTensorRef:
    def __init__(self, tensor):
        self.tensor = weakref.ref(tensor)

    def expired(self):
        return self.tensor() is None


def accumulate_grad_type():
    leaf = torch_np.ones(1, requires_grad=True)
    return type(leaf.clone().grad_fn.next_functions[0][0])


NAME_VALUES["torch._C"] |= {
    "_WeakTensorRef": WeakTensorRef,
    "_functions": types.SimpleNamespace(
        AccumulateGrad=accumulate_grad_type(), DelayedError=lambda message, count: functools.partial(DelayedError.apply, message),
        UndefinedGrad=lambda: UndefinedGrad.apply)}


def no_jit_fn(*args, **kwargs):
    return absent("jiterator", "torch.cuda")


def input_mask(input, *args, mask, **kwargs):
    return torch_np.broadcast_to(mask, input.shape).to(torch_np.bool)


def output_mask(op, input, *args, dim=None, keepdim=False, mask=None, **kwargs):
    """The elements of a masked operation's result that are defined."""
    mask = input_mask(input, mask=mask)
    if op.__name__ in ("softmax", "log_softmax", "softmin", "normalize", "cumsum", "cumprod"):
        return mask
    args = args[1:] if op.__name__ == "norm" else args
    dim = args[0] if args else dim
    dims = range(input.dim()) if dim is None or dim == () else [dim] if isinstance(dim, int) else dim
    return torch_np.any(mask, [d % max(input.dim(), 1) for d in dims], bool(keepdim)) if input.dim() else mask


def reduction_identity(name, input, *args):
    """The value of an element that changes no result of a reduction, or None."""
    name, dtype = name.rpartition(".")[2], input.dtype
    numbers = dtype.is_floating_point or dtype.is_complex
    if name in ("mean", "var", "std"):
        return None
    if name == "median":
        return torch_np.tensor(float("nan"), dtype=dtype if dtype.is_floating_point else torch_np.float32)
    if name in ("sum", "cumsum", "norm", "prod", "cumprod"):
        lowest = name == "norm" and args and args[0] == -float("inf")
        return torch_np.tensor(float("inf") if lowest else name.endswith("prod"), dtype=dtype)
    least = name in ("amax", "argmax", "logaddexp", "logsumexp")
    if numbers:
        return torch_np.tensor(-float("inf") if least else float("inf"), dtype=dtype)
    return torch_np.tensor(torch_np.iinfo(dtype).min if least else torch_np.iinfo(dtype).max, dtype=dtype)


NAME_VALUES["torch.masked"] = {
    "_input_mask": input_mask, "_output_mask": output_mask, "_reduction_identity": reduction_identity}
NAME_VALUES["torch.storage"] = {
    "_get_always_warn_typed_storage_removal": lambda: False, "_set_always_warn_typed_storage_removal": lambda always: None,
    "_dtype_to_storage_type_map": lambda: {
    kind.dtype: name for name, kind in vars(torch_np).items() if name.endswith("Storage") and hasattr(kind, "dtype")
    and isinstance(kind.dtype, torch_np.dtype)}}
NAME_VALUES["torch.cuda.jiterator"] = {"_create_jit_fn": no_jit_fn, "_create_multi_output_jit_fn": no_jit_fn}


class Refused:
    """An operator whose schema torch_np.library.custom_op refuses. Functions can be registered for it."""

    def __init__(self, reason):
        self.reason = reason

    def __getattr__(self, name):
        if not name.startswith("register_"):
            raise AttributeError(name)
        return lambda *args, **kwargs: lambda function: function

    def __call__(self, *args, **kwargs):
        raise NotImplementedError(self.reason)


def custom_op_or_refused(custom_op):
    """custom_op, for the helpers' operators: one of them returns a number beside tensors."""
    @functools.wraps(custom_op)
    def made(name, fn=None, **kwargs):
        def decorate(function):
            try:
                return custom_op(name, **kwargs)(function)
            except ValueError as error:
                if not name.startswith("_torch_testing::"):
                    raise
                refused = Refused(str(error))
                setattr(torch_np.ops._torch_testing, name.partition("::")[2], refused)
                return refused
        return decorate if fn is None else decorate(fn)
    return made


def install():
    torch_np.library.custom_op = custom_op_or_refused(torch_np.library.custom_op)
    sys.meta_path.insert(0, Finder())
    for module in ("torch.testing._comparison", "torch.testing._utils"):    # helpers read them as attributes
        importlib.import_module(module)
    for module in MODULES:      # tests read them as attributes, too
        parent = importlib.import_module(module.rpartition(".")[0])
        if not hasattr(parent, "__path__"):
            parent.__path__ = []
        importlib.import_module(module)
    for module, names in NAMES.items():
        add(module, {name: absent(name, module) for name in names.split()})
    for module, values in NAME_VALUES.items():
        add(module, values)


def add(module, values):
    module = pkgutil.resolve_name(module)
    for name, value in values.items():
        if not hasattr(module, name):
            setattr(module, name, value)
