"""Automatic mixed precision: regions in which operators cast their operands, and the state of the
calling thread.

An operator's rule is the key `autocast` of its entry in native_functions.yaml. Functions that are
composed in Python have a rule by the decorator `ruled`.
"""
from __future__ import annotations

import copy
import functools
import threading
import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from torch_np import _C, _public_names

if TYPE_CHECKING:
    from typing import Self

    from torch_np._typing import DTypeLike

__all__ = [
    "autocast_decrement_nesting", "autocast_increment_nesting", "clear_autocast_cache", "get_autocast_cpu_dtype", "get_autocast_dtype",
    "get_autocast_gpu_dtype", "is_autocast_cache_enabled", "is_autocast_cpu_enabled", "is_autocast_enabled", "set_autocast_cache_enabled",
    "set_autocast_cpu_dtype", "set_autocast_cpu_enabled", "set_autocast_dtype", "set_autocast_enabled", "set_autocast_gpu_dtype"]

_Function = TypeVar("_Function", bound=Callable[..., Any])

_PLACES = {"cpu": 0, "cuda": 1}
# PyTorch's other devices: their state can be set, but no tensor can be there.
_OTHERS = frozenset({"mtia", "maia", "xpu", "ipu", "hpu", "xla", "mps"})
DEVICE_TYPES = frozenset("""cpu cuda ipu xpu mkldnn opengl opencl ideep hip ve fpga maia xla lazy vulkan mps meta hpu mtia
    privateuseone""".split())
_LOWER = (_C.bfloat16, _C.float16)


class _States(threading.local):
    def __init__(self) -> None:
        self.of: dict[str, tuple[bool, Any]] = {}


_states = _States()


def _type_of(device_type: Any) -> str:
    if not isinstance(device_type, str):
        raise TypeError(f"device_type must be a str, not {type(device_type).__name__}")
    name = device_type.partition(":")[0]
    if name not in _PLACES and name not in _OTHERS:
        raise RuntimeError(f"autocast: unknown device type '{device_type}'")
    return name


def _state(device_type: Any) -> tuple[bool, Any]:
    name = _type_of(device_type)
    if name in _PLACES:
        return _C._get_autocast(_PLACES[name])
    return _states.of.get(name, (False, _C.bfloat16 if name in ("hpu", "xla") else _C.float16))


def _set_state(device_type: Any, enabled: bool, dtype: Any) -> None:
    name = _type_of(device_type)
    if name in _PLACES:
        _C._set_autocast(_PLACES[name], enabled, dtype)
    else:
        _states.of[name] = (enabled, dtype)


def is_autocast_enabled(device_type: str = "cuda") -> bool:
    """Whether operators of this thread cast operands on a type of device.

    Args:
      device_type: Type of device, 'cpu' or 'cuda'.

    Errors: RuntimeError for an unknown type.
    """
    return _state(device_type)[0]


def is_autocast_cpu_enabled() -> bool:
    """Whether operators of this thread cast operands on the CPU."""
    return _state("cpu")[0]


def set_autocast_enabled(device_type: Any, enabled: bool | None = None) -> None:
    """Sets whether operators of this thread cast operands on a type of device. `autocast` does so for a
    block of code.

    Args:
      device_type: Type of device, 'cpu' or 'cuda'; or `enabled` for 'cuda'.
      enabled: Whether operators cast.

    Errors: RuntimeError for an unknown type, TypeError unless `enabled` is a bool.
    """
    if enabled is None:
        device_type, enabled = "cuda", device_type
    if not isinstance(enabled, bool):
        raise TypeError(f"set_autocast_enabled(): argument 'enabled' must be bool, not {type(enabled).__name__}")
    _set_state(device_type, enabled, _state(device_type)[1])


def set_autocast_cpu_enabled(enabled: bool) -> None:
    """Sets whether operators of this thread cast operands on the CPU.

    Args:
      enabled: Whether operators cast.

    Errors: TypeError unless `enabled` is a bool.
    """
    set_autocast_enabled("cpu", enabled)


def get_autocast_dtype(device_type: str) -> Any:
    """Returns the dtype to which operators of this thread cast on a type of device; at first bfloat16
    on the CPU and float16 on GPUs.

    Args:
      device_type: Type of device, 'cpu' or 'cuda'.

    Errors: RuntimeError for an unknown type.
    """
    return _state(device_type)[1]


def set_autocast_dtype(device_type: str, dtype: Any) -> None:
    """Sets the dtype to which operators of this thread cast on a type of device.

    Args:
      device_type: Type of device, 'cpu' or 'cuda'.
      dtype: Dtype.

    Errors: RuntimeError for an unknown type, TypeError unless `dtype` is a dtype.
    """
    if not isinstance(dtype, _C.dtype):
        raise TypeError(f"set_autocast_dtype(): argument 'dtype' must be torch_np.dtype, not {type(dtype).__name__}")
    _set_state(device_type, _state(device_type)[0], dtype)


def get_autocast_gpu_dtype() -> Any:
    """Returns the dtype to which operators of this thread cast on GPUs."""
    return get_autocast_dtype("cuda")


def set_autocast_gpu_dtype(dtype: Any) -> None:
    """Sets the dtype to which operators of this thread cast on GPUs.

    Args:
      dtype: Dtype.
    """
    set_autocast_dtype("cuda", dtype)


def get_autocast_cpu_dtype() -> Any:
    """Returns the dtype to which operators of this thread cast on the CPU."""
    return get_autocast_dtype("cpu")


def set_autocast_cpu_dtype(dtype: Any) -> None:
    """Sets the dtype to which operators of this thread cast on the CPU.

    Args:
      dtype: Dtype.
    """
    set_autocast_dtype("cpu", dtype)


def is_autocast_cache_enabled() -> bool:
    """Whether this thread caches casts of parameters until its outermost region ends; True at first."""
    return _C._is_autocast_cache_enabled()


def set_autocast_cache_enabled(enabled: bool) -> None:
    """Sets whether this thread caches casts of parameters.

    Args:
      enabled: Whether to cache them.
    """
    _C._set_autocast_cache_enabled(enabled)


def clear_autocast_cache() -> None:
    """Drops this thread's cached casts of parameters. The end of the outermost region does so."""
    _C._clear_autocast_cache()


def autocast_increment_nesting() -> int:
    """Counts a region that this thread enters; returns the count."""
    return _C._increment_autocast_nesting()


def autocast_decrement_nesting() -> int:
    """Ends the count of a region; returns the count."""
    return _C._decrement_autocast_nesting()


# ------------------------------------------------------------------------------------------------ regions


def is_absent_gpu(device_type: str) -> bool:
    """Whether this is the type of a GPU, and there is none."""
    import torch_np

    return device_type.partition(":")[0] == "cuda" and not torch_np.cuda.is_available()


def warn_of_older_name(device_type: str, name: str) -> None:
    """Warns that torch_np.cpu.amp and torch_np.cuda.amp have older names."""
    package = _public_names.public
    warnings.warn(f"`{package}.{device_type}.amp.{name}(args...)` is deprecated. Please use `{package}.amp.{name}('{device_type}', args...)` instead.",
                  FutureWarning, stacklevel=3)


def is_autocast_available(device_type: str) -> bool:
    """Whether there is autocast for a type of device: for 'cpu' and 'cuda'. PyTorch's other devices are
    accepted, but no tensor can be there.

    Args:
      device_type: Type of device, such as 'cuda'.

    Errors: RuntimeError for a name that is no type of device.
    """
    name = device_type.partition(":")[0]
    if name not in DEVICE_TYPES:
        raise RuntimeError(f"Invalid device string: '{device_type}'")
    return name in _PLACES or name in _OTHERS


class autocast:  # noqa: N801  (PyTorch's name)
    """Automatic mixed precision: a context, or decorator, in which operators cast their operands.

    Matrix products, convolutions and attention compute in `dtype`; losses, and on GPUs softmax,
    norms and powers too, in float32; joins of tensors in the widest dtype among them. Other
    operators compute in the dtypes of their operands. Results have the dtype of the computation.
    float64 is never cast, nor are operators in place. Weights are cast once
    in the outermost region. Gradients are computed in the dtypes of the forward pass, and those of
    weights are in the dtype of the weight.

    Args:
      device_type: Type of device whose operators cast, 'cpu' or 'cuda'.
      dtype: bfloat16 or float16; None is that of `get_autocast_dtype`.
      enabled: Whether operators cast; False ends an outer region for a block.
      cache_enabled: Whether casts of weights are cached; None is the current setting.

    Errors: RuntimeError for an unknown device type, ValueError unless it is a str. A warning, and
    no effect, for 'cuda' without a GPU and for another `dtype`.
    Source: Micikevicius et al., ICLR 2018, arXiv 1710.03740.
    """

    def __init__(self, device_type: str, dtype: DTypeLike | None = None, enabled: bool = True, cache_enabled: bool | None = None) -> None:
        if not isinstance(device_type, str):
            raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
        if not is_autocast_available(device_type):
            raise RuntimeError(f"User specified an unsupported autocast device_type '{device_type}'")
        self.device = device_type
        self.fast_dtype: Any = get_autocast_dtype(device_type) if dtype is None else dtype
        self._cache_enabled = is_autocast_cache_enabled() if cache_enabled is None else cache_enabled
        if enabled and is_absent_gpu(device_type):
            warnings.warn("User provided device_type of 'cuda', but CUDA is not available. Disabling", stacklevel=2)
            enabled = False
        elif enabled and self.fast_dtype not in _LOWER:
            warnings.warn(f"In {device_type.upper()} autocast, but the target dtype is not supported. Disabling autocast.\n"
                          f"{device_type.upper()} Autocast only supports dtypes of {', '.join(map(str, _LOWER))} currently.", stacklevel=2)
            enabled = False
        self._enabled = bool(enabled)
        self._before: list[tuple[bool, Any, bool]] = []

    def __enter__(self) -> Self:
        self._before.append((*_state(self.device), is_autocast_cache_enabled()))
        _set_state(self.device, self._enabled, self.fast_dtype)
        autocast_increment_nesting()
        set_autocast_cache_enabled(self._cache_enabled)
        return self

    def __exit__(self, *exception: object) -> None:
        enabled, dtype, cache_enabled = self._before.pop()
        if autocast_decrement_nesting() == 0:
            clear_autocast_cache()
        _set_state(self.device, enabled, dtype)
        set_autocast_cache_enabled(cache_enabled)

    def __call__(self, function: _Function) -> _Function:
        if not callable(function):
            raise TypeError(f"autocast()(func) requires a callable, but got {type(function).__name__}. Did you mean to use autocast as a context "
                            "manager? For example:\n    with torch_np.autocast(device_type=...):\n        output = model(input)")

        @functools.wraps(function)
        def in_region(*args, **kwargs):
            region = copy.copy(self)  # threads may call the function at the same time
            region._before = []
            with region:
                return function(*args, **kwargs)

        return in_region  # type: ignore[return-value]


# ------------------------------------------------------------------------------- functions of one's own


def cast(value: Any, device_type: str, dtype: Any) -> Any:
    """Casts the floating-point tensors in nested containers, except those of float64, if they are on a
    type of device."""
    if isinstance(value, _C.Tensor):
        casts = value.is_floating_point() and value.device.type == device_type and value.dtype != _C.float64
        return value.to(dtype) if casts else value
    if isinstance(value, (str, bytes)) or hasattr(value, "__array__"):
        return value
    if isinstance(value, Mapping):
        return {cast(k, device_type, dtype): cast(v, device_type, dtype) for k, v in value.items()}
    if isinstance(value, Iterable):
        items = (cast(v, device_type, dtype) for v in value)
        return type(value)(items) if isinstance(value, (list, tuple)) else items
    return value


def custom_fwd(fwd: Callable[..., Any] | None = None, *, device_type: str, cast_inputs: DTypeLike | None = None) -> Callable[..., Any]:
    """Decorates the `forward` of an autograd.Function for mixed precision.

    Args:
      fwd: The function; None returns a decorator.
      device_type: Type of device, such as 'cuda'.
      cast_inputs: Dtype to which floating-point arguments are cast within `autocast`, except those
        of float64; `forward` then runs without autocast. None: it runs with autocast.

    Errors: ValueError unless `device_type` is a str.
    """
    if not isinstance(device_type, str):
        raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
    if fwd is None:
        return functools.partial(custom_fwd, device_type=device_type, cast_inputs=cast_inputs)
    function = fwd

    @functools.wraps(function)
    def decorated(*args: Any, **kwargs: Any) -> Any:
        context = args[0]
        enabled, context._dtype = _state(device_type)
        context._fwd_used_autocast = enabled and cast_inputs is None
        if not enabled or cast_inputs is None:
            return function(*args, **kwargs)
        with autocast(device_type, enabled=False):
            return function(*cast(args, device_type, cast_inputs), **cast(kwargs, device_type, cast_inputs))

    return decorated


def custom_bwd(bwd: Callable[..., Any] | None = None, *, device_type: str) -> Callable[..., Any]:
    """Decorates the `backward` of an autograd.Function whose `forward` has `custom_fwd`: it runs with
    the autocast that `forward` had.

    Args:
      bwd: The function; None returns a decorator.
      device_type: Type of device, such as 'cuda'.

    Errors: ValueError unless `device_type` is a str.
    """
    if not isinstance(device_type, str):
        raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
    if bwd is None:
        return functools.partial(custom_bwd, device_type=device_type)
    function = bwd

    @functools.wraps(function)
    def decorated(*args: Any, **kwargs: Any) -> Any:
        with autocast(device_type, args[0]._dtype, args[0]._fwd_used_autocast):
            return function(*args, **kwargs)

    return decorated


# ----------------------------------------------------------------------- functions composed in Python

# Numbers of AutocastRule in aten/core/autocast.h.
_RULES = {"inner": 0, "none": 1, "lower_precision": 2, "float32": 3, "widest": 5}


def ruled(cpu: str, cuda: str | None = None) -> Callable[[_Function], _Function]:
    """Decorates a function with its rules of autocast: which operands it casts on each device.

    Args:
      cpu: Rule on the CPU, as in native_functions.yaml; 'inner': only the operators that the
        function calls cast.
      cuda: Rule on GPUs; None is that of the CPU.
    """
    on_cpu, on_cuda = _RULES[cpu], _RULES[cuda or cpu]

    def decorate(function):
        @functools.wraps(function)
        def call(*args, **kwargs):
            if not _C._is_autocast_on():
                return function(*args, **kwargs)
            return _C._autocast_call(function, on_cpu, on_cuda, args, kwargs)

        return call

    return decorate


class Restored:
    """A context that sets this thread's state of autocast to that of the object's creation."""

    def __init__(self) -> None:
        self._regions = [autocast(name, *reversed(_state(name))) if not is_absent_gpu(name) else None for name in _PLACES]
        self._cache_enabled = is_autocast_cache_enabled()

    def __enter__(self) -> None:
        for region in self._regions:
            if region is not None:
                region.__enter__()

    def __exit__(self, *exception: object) -> None:
        for region in reversed(self._regions):
            if region is not None:
                region.__exit__()
