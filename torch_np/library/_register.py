"""Functions that declare and implement operators by their names."""
from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

from torch_np import _registry
from torch_np._absent import absent_function
from torch_np.library._custom_op import CustomOpDef
from torch_np.library._library import define_operator, device_keys, fakes, found_operator
from torch_np.library._schema import REQUIRED, Parameter, from_function

_Function = Callable[..., Any]
_MODULE = "torch_np.library"


def _name(op: Any) -> str:
    return op.removesuffix(".default") if isinstance(op, str) else op.qualified_name


def _decorator(register: Callable[[_Function], Any], function: _Function | None) -> Any:
    if function is not None:
        register(function)
        return None

    def decorate(function: _Function) -> _Function:
        register(function)
        return function
    return decorate


def define(qualname: str, schema: str, *, lib: Any = None, tags: Any = ()) -> None:
    """Declares an operator, whose functions `impl` registers.

    Args:
      qualname: 'namespace::name'.
      schema: '(Tensor x, int n=2) -> Tensor'.
      lib: A Library that owns the operator; None for none.
      tags: Have no effect on results.

    Errors: ValueError for an invalid name or schema, and for an operator that exists.
    """
    define_operator(_registry.check_name(qualname), schema, f"define('{qualname}')")
    if lib is not None:
        lib._defined.append(qualname)


def impl(qualname: Any, types: str | Sequence[str], func: _Function | None = None, *, lib: Any = None) -> Any:
    """Registers the function of an operator for types of devices.

    Args:
      qualname: 'namespace::name', or the operator.
      types: 'cpu', 'cuda', several of them, 'default' for all, or dispatch keys.
      func: The function; None returns a decorator.
      lib: Has no effect: the function stays registered.

    Errors: LookupError for an operator that is not declared; NotImplementedError for another key.
    """
    def register(function: _Function) -> None:
        operator = found_operator(_name(qualname))
        for key in device_keys(types):
            operator.implement(key, function)
    return _decorator(register, func)


def register_kernel(op: Any, device_types: str | Sequence[str] | None, func: _Function | None = None, /, *, lib: Any = None) -> Any:
    """Registers the function of an operator for types of devices.

    Args:
      op: 'namespace::name', or the operator.
      device_types: 'cpu', 'cuda' or several of them; None is all.
      func: The function; None returns a decorator.
      lib: Has no effect: the function stays registered.

    Errors: LookupError for an operator that is not registered; ValueError for another device type.
    """
    def register(function: _Function) -> None:
        _defined(op).register_kernel(device_types, function)
    return _decorator(register, func)


def _defined(op: Any) -> CustomOpDef:
    found = _registry.found(_name(op))
    if not isinstance(found, CustomOpDef):
        raise NotImplementedError(f"{_name(op)}: functions of an operator in a C++ library are in the library")
    return found


def register_fake(op: Any, func: _Function | None = None, /, *, lib: Any = None, _stacklevel: int = 1, allow_override: bool = True) -> Any:
    """Registers the function that gives results with the right shape and dtype on `device='meta'`.
    The operator may be declared later.

    Args:
      op: 'namespace::name', or the operator.
      func: The function; None returns a decorator.
      lib: Has no effect: the function stays registered.
      allow_override: Has no effect: a later function replaces an earlier one.
    """
    def register(function: _Function) -> None:
        name = _name(op)
        if _registry.find(name) is None:
            fakes[_registry.check_name(name)] = function
        else:
            _defined(name).register_fake(function)
    if func is None:
        return _decorator(register, func)
    register(func)
    return func


def impl_abstract(qualname: str, func: _Function | None = None, *, lib: Any = None, _stacklevel: int = 1) -> Any:
    """PyTorch's former name of `register_fake`. It warns.

    Args:
      qualname: 'namespace::name'.
      func: The function; None returns a decorator.
      lib: Has no effect: the function stays registered.
    """
    warnings.warn("`torch_np.library.impl_abstract` was renamed to `torch_np.library.register_fake`.", FutureWarning, stacklevel=2)
    return register_fake(qualname, func, lib=lib)


def register_autograd(op: Any, backward: _Function, /, *, setup_context: _Function | None = None, lib: Any = None) -> None:
    """Registers the derivative of an operator: see `CustomOpDef.register_autograd`.

    Args:
      op: 'namespace::name', or the operator.
      backward: Function `backward(ctx, *grads)`.
      setup_context: Function `setup_context(ctx, inputs, output)`.
      lib: Has no effect: the functions stay registered.

    Errors: LookupError for an operator that is not registered.
    """
    _defined(op).register_autograd(backward, setup_context=setup_context)


def register_vmap(op: Any, func: _Function | None = None, /, *, lib: Any = None) -> Any:
    """Registers the function that vmap calls for an operator: see `CustomOpDef.register_vmap`.

    Args:
      op: 'namespace::name', or the operator.
      func: The function; None returns a decorator.
      lib: Has no effect: the function stays registered.

    Errors: LookupError for an operator that is not registered.
    """
    return _decorator(_defined(op).register_vmap, func)


def register_autocast(op: Any, device_type: str, cast_inputs: Any, /, *, lib: Any = None) -> None:
    """Sets the dtype to which autocast converts the floating-point inputs of an operator, except those of float64. The operator then
    runs without autocast.

    Args:
      op: 'namespace::name', or the operator.
      device_type: Type of devices, 'cpu' or 'cuda'.
      cast_inputs: The dtype.
      lib: Has no effect: the dtype stays registered.

    Errors: LookupError for an operator that is not registered, ValueError for another type of devices.
    """
    if device_type not in ("cpu", "cuda"):
        raise ValueError(f"Unknown device type: {device_type}")
    _defined(op).autocasts[device_type] = cast_inputs


def fallthrough_kernel() -> None:
    """Marks an operator without a function in PyTorch. It is not for calls. Errors:
    NotImplementedError.
    """
    raise NotImplementedError("fallthrough_kernel() should never be called.")


def infer_schema(prototype_function: _Function, /, *, mutates_args: str | Sequence[str], op_name: str | None = None, tags: Any = ()) -> str:
    """Returns the schema of an annotated function, in PyTorch's syntax.

    Args:
      prototype_function: The function.
      mutates_args: Names of the Tensors that it changes in place, or 'unknown' for all.
      op_name: Name before the schema; None for none.
      tags: Have no effect.

    Errors: ValueError for annotations that no schema has.
    """
    name = op_name or str(getattr(prototype_function, "__name__", "function"))
    unknown = mutates_args == "unknown"
    schema = from_function(prototype_function, name, [] if unknown else mutates_args)
    texts: list[str] = []
    changed = 0
    for p in schema.parameters:
        if p.keyword_only and "*" not in texts:
            texts.append("*")
        mark = ""
        if p.mutated or unknown and p.is_tensor:
            mark, changed = f"(a{changed}!)", changed + 1
        kind = "SymInt" if p.kind == "int" else p.kind
        texts.append(f"{kind}{mark}{'[]' if p.several else ''}{'?' if p.optional else ''} {p.name}{_default(p)}")
    result = str(schema).rpartition(" -> ")[2]
    return f"{op_name or ''}({', '.join(texts)}) -> {result}"


def _default(p: Parameter) -> str:
    if p.default is REQUIRED:
        return ""
    return f'="{p.default}"' if isinstance(p.default, str) else f"={p.default}"


_TRITON = "Triton's kernels are not operators here; write the operator with custom_op, or in C++ (docs/operators_of_your_own.md)"
triton_op = absent_function("triton_op", _TRITON, _MODULE)
wrap_triton = absent_function("wrap_triton", _TRITON, _MODULE)
get_ctx = absent_function("get_ctx", "sizes that depend on data are not described on device 'meta'; let register_fake raise", _MODULE)
get_kernel = absent_function("get_kernel", "functions are not looked up by dispatch key; call the operator", _MODULE)
register_torch_dispatch = absent_function(
    "register_torch_dispatch", "operators are not dispatched to Python classes; define __torch_function__ in the class", _MODULE)
