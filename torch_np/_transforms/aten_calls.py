"""Calls of native operators as calls of PyTorch's: names, overloads, and the order of arguments."""
from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any

from torch_np import _C
from torch_np._transforms.overloads import OpOverload, native_operator
from torch_np._transforms.schemas import Argument, parsed

# Operators whose tensors may be numbers in PyTorch's calls; for others, another overload takes numbers.
_TAKE_NUMBERS = frozenset(("add", "sub", "mul", "div", "add_", "sub_", "mul_", "div_", "floor_divide", "floor_divide_", "where"))
_POINTWISE_OPTIONS = ("out", "out1", "where", "dtype", "casting", "order")
_REDUCTION = ("input", "dim", "keepdim", "dtype", "out", "initial", "where", "parameter", "initial_tensor")
# Arguments without a counterpart in PyTorch that do not change values.
_IGNORED = frozenset(("order", "casting", "non_blocking", "requires_grad", "counting"))
_ALIASES = {"input": "self"}

Values = dict[str, Any]
Call = tuple[str, Values]


def _places(v: Values) -> list[Any]:
    return [None] * v["position"] + list(v["indices"]) if v["position"] > 0 else list(v["indices"])


def _is_plain(v: Values) -> bool:
    """Whether an index selects by adjacent axes, from axis `position` on."""
    return not v["counting"] and all(i is not None for i in v["indices"])


def _product(v: Values) -> Call:
    x, y = v["input"], v["other"]
    name = {(2, 2): "mm", (3, 3): "bmm", (2, 1): "mv", (1, 1): "dot"}.get((x.dim(), y.dim()), "matmul")
    if name == "bmm" and x.shape[0] != y.shape[0] or name == "matmul":
        return "", {}
    return name, {"self": x, {"mm": "mat2", "bmm": "mat2", "mv": "vec", "dot": "tensor"}[name]: y, "out": v.get("out")}


def _softmax_gradient(v: Values) -> Call:
    return ("_log_softmax_backward_data" if v["logarithm"] else "_softmax_backward_data",
            {"grad_output": v["grad"], "output": v["output"], "dim": v["dim"], "input_dtype": v["grad"].dtype})


def _moment(name: str) -> Callable[[Values], Call]:
    def of(v: Values) -> Call:
        if any(v[n] is not None for n in ("where", "dtype", "initial", "initial_tensor")):
            return "", {}
        return f"{name}.correction", {"self": v["input"], "dim": v["dim"], "correction": v["parameter"] or 0, "keepdim": v["keepdim"], "out": v["out"]}
    return of


def _renamed(name: str, **names: str) -> Callable[[Values], Call]:
    return lambda v: (name, {names.get(n, n): x for n, x in v.items()})


def _axes(v: Values) -> Call:
    axes = v["axes"] if v["axes"] is not None else range(v["input"].dim() - 1, -1, -1)
    return "permute", {"self": v["input"], "dims": [a % v["input"].dim() for a in axes]}


def _softmax(name: str) -> Callable[[Values], Call]:
    return lambda v: ("", {}) if v["dtype"] is not None else (name, {"self": v["input"], "dim": v["dim"], "half_to_float": False})


def _on_device(v: Values) -> Call:
    return "_to_copy", {"self": v["input"], "device": v["device"], "non_blocking": v["non_blocking"]}


# From a native name, with overload, to PyTorch's name and arguments. No name: the operator keeps its native name.
_RULES: dict[str, Callable[[Values], Call]] = {
    "slice": lambda v: ("slice.Tensor", {"self": v["input"], "dim": v["dim"], "start": v["start"], "end": v["start"] + v["length"] * v["step"],
                                         "step": v["step"]}),
    "index": lambda v: ("index.Tensor", {"self": v["input"], "indices": _places(v)}) if _is_plain(v) else ("", {}),
    "put_indexed_": lambda v: ("index_put_", {"self": v["self"], "indices": _places(v), "values": v["values"],
                                              "accumulate": v["accumulate"]}) if _is_plain(v) else ("", {}),
    "squeeze_dims": lambda v: ("squeeze.dims", {"self": v["input"], "dim": v["dims"]}),
    "transpose.axes": _axes,
    "matrix_transpose": lambda v: ("transpose.int", {"self": v["input"], "dim0": -2, "dim1": -1}),
    "cast": lambda v: ("_to_copy", {"self": v["input"], "dtype": v["dtype"]}),
    "transfer": _on_device,
    "square": lambda v: ("pow.Tensor_Scalar", {"self": v["input"], "exponent": 2, "out": v.get("out")}),
    "reshape_copy": _renamed("_unsafe_view", shape="size"),
    "join": lambda v: ("cat", {"tensors": v["tensors"], "dim": v["dim"]}),
    "matmul": _product,
    "softmax": _softmax("_softmax"), "log_softmax": _softmax("_log_softmax"), "softmax_gradient": _softmax_gradient,
    "variance": _moment("var"), "deviation": _moment("std"),
    "clip_both": _renamed("clamp"), "clip_low": _renamed("clamp"), "clip_high": _renamed("clamp"),
    "clip_both_numbers": _renamed("clamp"), "clip_low_number": _renamed("clamp"), "clip_high_number": _renamed("clamp"),
    "gelu_erf": _renamed("gelu"), "gelu_tanh": lambda v: ("gelu", {"self": v["input"], "approximate": "tanh"}),
    "gelu_erf_backward": _renamed("gelu_backward"),
    "elu_of": _renamed("elu"), "celu_of": _renamed("celu"), "leaky_relu_of": _renamed("leaky_relu"),
    "hardshrink_of": _renamed("hardshrink"), "softshrink_of": _renamed("softshrink"), "softplus_of": _renamed("softplus"),
    "hardtanh_of": _renamed("hardtanh"), "threshold_of": _renamed("threshold"), "prelu_of": _renamed("_prelu_kernel"),
    "item": _renamed("_local_scalar_dense"),
    "random_randn": _renamed("randn"), "random_rand": _renamed("rand"),
    # Other arguments than those of PyTorch's operator of this name.
    "select_backward": lambda v: ("", {}), "slice_backward": lambda v: ("", {}), "diagonal_backward": lambda v: ("", {}),
    "elu_backward": lambda v: ("", {}), "softplus_backward": lambda v: ("", {}), "embedding_backward": lambda v: ("", {}),
    "native_batch_norm": lambda v: ("", {}), "native_group_norm": lambda v: ("", {}), "nll_loss_backward": lambda v: ("", {}),
    "convolution_backward": lambda v: ("", {}), "lu": lambda v: ("", {}), "index_backward": lambda v: ("", {}),
}


@functools.lru_cache(maxsize=None)
def _parameters(schema: str) -> tuple[Argument, ...]:
    return tuple(parsed(schema).arguments)


def values_of(call: Any) -> Values:
    """The arguments of an intercepted call by name, options included. Python numbers are numbers."""
    args = [_number(a) for a in call.args]
    if call.schema is None:
        names: Iterable[str] = {"copy_": ("self", "src"), "fill_": ("self", "value")}.get(call.name, ("input",))
    elif call.kind == "reduction":
        names = _REDUCTION
    else:
        names = [p.name for p in _parameters(call.schema)]
        names = [*names, *(_POINTWISE_OPTIONS if call.kind == "pointwise" else ("out",) * (len(args) - len(names)))]
    return dict(zip(names, args, strict=True))


def _number(value: Any) -> Any:
    if isinstance(value, list):
        return [_number(v) for v in value]
    number = _C._number_of(value)
    return value if number is None else number


def _fits(kind: str, value: Any, name: str, is_first: bool) -> bool:
    optional = kind.endswith("?")
    kind = kind.removesuffix("?")
    if value is None:
        return optional or kind in ("Generator", "Layout", "MemoryFormat")
    number = isinstance(value, (int, float, complex))
    if kind == "Tensor":
        return isinstance(value, _C.Tensor) or number and name in _TAKE_NUMBERS and not is_first
    if kind in ("Scalar", "float"):
        return number
    if kind == "int":
        return isinstance(value, int) or isinstance(value, list) and len(value) == 1
    if kind.endswith("]"):
        return isinstance(value, (list, tuple))
    return not isinstance(value, _C.Tensor)


def _is_left_out(name: str, value: Any, schema: dict[str, Argument]) -> bool:
    known = schema.get(name)
    return value is None or name in _IGNORED or known is not None and known.has_default and known.default == value or value is False


def _bound(name: str, op: OpOverload, values: Values, native: dict[str, Argument]) -> tuple[list[Any], dict[str, Any]] | None:
    """Positional and keyword arguments of PyTorch's operator; None if it has other ones."""
    rest = {_ALIASES.get(n, n): v for n, v in values.items()}
    if len(rest) != len(values):
        return None
    found: list[tuple[Argument, Any]] = []
    positional = [p for p in op._schema.arguments if not p.kwarg_only]
    for p in op._schema.arguments:
        if p.name in rest:
            value = rest.pop(p.name)
        elif not p.kwarg_only and not p.has_default and (left := [n for n in rest if n not in {q.name for q in positional}]):
            value = rest.pop(left[0])
        elif p.has_default or p.type.endswith("?"):
            value = p.default
        else:
            return None
        if not _fits(p.type, value, name, not found):
            if not (p.has_default and value is None):
                return None
            value = p.default
        if p.type in ("int", "int?") and isinstance(value, list):
            value = value[0]
        found.append((p, value))
    if any(not _is_left_out(n, v, native) for n, v in rest.items()):
        return None
    args = [(p, v) for p, v in found if not p.kwarg_only]
    while args and args[-1][0].has_default and _same(args[-1][1], args[-1][0].default):
        args.pop()
    kwargs = {p.name: v for p, v in found if p.kwarg_only and not _same(v, p.default)}
    return [v for _, v in args], kwargs


def _same(value: Any, default: Any) -> bool:
    return value is default or not isinstance(value, _C.Tensor) and type(value) is type(default) and value == default


def _packet(name: str) -> Any:
    import torch_np

    return getattr(torch_np.ops.aten, name, None)


def _candidates(name: str) -> list[OpOverload]:
    base, _, overload = name.partition(".")
    packet = _packet(base)
    known = getattr(packet, "_known", {})
    names = [overload] if overload in known else sorted(known, key=lambda o: len(parsed(known[o][0]).arguments))
    return [getattr(packet, o) for o in names if not known[o][1]]


def converted(call: Any) -> tuple[OpOverload, list[Any], dict[str, Any], Values] | None:
    """PyTorch's operator of an intercepted call, its arguments, and all native arguments by name.

    None for an operator of several steps, which the interceptor sees one by one.
    """
    values = values_of(call)
    native = {p.name: p for p in _parameters(call.schema)} if call.schema else {}
    rule = _RULES.get(call.name)
    name, given = rule(values) if rule else (call.name.partition(".")[0], values)
    if name and (made := _counterpart(name, given, native, values)):
        return *made, values
    if name and not rule and call.kind == "pointwise" and (made := _counterpart(name, _with_tensors(call, values), native, values)):
        return *made, values
    if call.schema is None or call.kind == "composite" and not _is_view(call):
        return None
    args = list(call.args)
    while args and args[-1] is None:
        args.pop()
    return native_operator(call.name, call.schema), args, {}, values


def _with_tensors(call: Any, values: Values) -> Values:
    """The arguments with numbers as tensors: PyTorch has no overload for a number as the first one."""
    return dict(zip(values, call.args, strict=True))


def _is_view(call: Any) -> bool:
    """Whether a composite makes a view by itself, and PyTorch has no such operator."""
    return ") -> Tensor(a)" in call.schema and call.name.partition(".")[0] not in _known_names()


def _counterpart(name: str, given: Values, native: dict[str, Argument], values: Values) -> tuple[OpOverload, list[Any], dict[str, Any]] | None:
    given = dict(given)
    out = given.pop("out", None)
    base = name.partition(".")[0]
    first = next(iter(values.values()), None)
    if out is not None and out is first and f"{base}_" in _known_names():
        base = name = f"{base}_"
        out = None
    for op in _candidates(name):
        bound = _bound(base, op, given, native)
        if bound is not None:
            args, kwargs = bound
            return (op, args, kwargs) if out is None else (op._overloadpacket.out, args, {**kwargs, "out": out})
    return None


def _known_names() -> dict[str, Any]:
    from torch_np._transforms.schemas import table

    return table()
