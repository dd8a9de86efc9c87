"""The parameters of each Python signature, and their slots in the native operator.

This translates between the faces, at build time. The result is neutral data: emit_bindings makes
the parser's tables of it, docs and emit_stubs the documentation and the stubs.
"""

from __future__ import annotations

import keyword
import re
from dataclasses import dataclass

from tools.codegen import cpp
from tools.codegen.model import TORCH_ALIASES, Argument, Entry, SpecError, Type, is_literal

KINDS = {"int": "Int", "float": "Float", "bool": "Bool", "Scalar": "Scalar", "str": "String", "ScalarType": "Dtype",
         "np.dtype": "Dtype", "Device": "Device", "Order": "Order", "Casting": "Casting", "Generator": "Generator",
         "Distribution": "String"}
READERS = {"int": "integer", "float": "floating", "bool": "boolean", "Scalar": "scalar", "str": "string",
           "ScalarType": "dtype", "Order": "order", "Casting": "casting", "Distribution": "distribution"}
# The native types to which an argument of a compat type may be mapped.
LANDS_ON = {"np.ndarray": ("Tensor",), "np.dtype": ("ScalarType",), "int": ("int", "Scalar", "float"),
            "float": ("float", "Scalar"), "Scalar": ("Scalar", "float"), "bool": ("bool", "Scalar"), "str": ("str",),
            "Order": ("Order", "str"), "Casting": ("Casting", "str"), "Device": ("Device",), "Generator": ("Generator",),
            "Distribution": ("Distribution",)}
# Parameters that the dispatcher provides for each kind of operator, and parameters accepted only
# with their default.
POINTWISE_EXTRAS = ("out", "where", "dtype", "casting", "order")
REDUCTION_EXTRAS = ("out", "initial", "where")
IGNORED = ("like", "signature", "casting", "order", "axes", "axis", "keepdims", "dtype")
# NumPy's common parameters of ufuncs: name, default, keyword-only.
UFUNC_PARAMETERS = (("out", "None", False), ("where", "True", True), ("casting", "'same_kind'", True), ("order", "'K'", True),
                    ("dtype", "None", True), ("subok", "True", True), ("signature", "None", True))
EXTRA_KINDS = {"out": "Out", "where": "Mask", "dtype": "Dtype", "casting": "Casting", "order": "Order", "initial": "Scalar"}
# Readers for Tensor arguments of composites that forward the dispatcher's options.
TENSOR_READERS = {"out": "out", "where": "mask"}
EXTRA_TYPES = {"out": "np.ndarray?", "where": "np.ndarray?", "dtype": "np.dtype?", "casting": "Casting", "order": "Order",
               "initial": "Scalar?"}
PACKAGE_ALIASES = {"linalg": {"input": ("A",), "other": ("B",)}}  # PyTorch's names for matrices there
# Limits of csrc/args for one call: kMaxSlots of signature.h, Scratch of args.h.
MAX_PARAMETERS = 24
MAX_LISTS = {"IntList": 4, "TensorList": 2, "ArrayLikeList": 2, "FloatList": 2, "BoolList": 2}


@dataclass(frozen=True)
class Param:
    name: str
    type: str  # as in a schema; for stubs
    kind: str
    slot: str
    flags: tuple[str, ...]
    default: str | None   # source text
    aliases: tuple[str, ...] = ()

    @property
    def shown_name(self) -> str:
        """Its name in signatures and stubs, where Python keywords (`from`) are not allowed."""
        return f"{self.name}_" if keyword.iskeyword(self.name) else self.name

    @property
    def ignored(self) -> bool:
        return "kIgnored" in self.flags

    @property
    def var_args(self) -> bool:
        return "kVarArgs" in self.flags


@dataclass(frozen=True)
class Result:
    """A class of several named results: `SVDResult` in torch_np.numpy.linalg, or `linalg_svd` in
    torch_np.return_types."""

    compat: bool
    package: str
    name: str
    fields: tuple[str, ...]

    @property
    def identifier(self) -> str:
        return f"{'numpy' if self.compat else 'torch'}_{self.name}_type"


@dataclass(frozen=True)
class Overload:
    """A signature of one face."""

    entry: Entry  # yaml entry: the native one itself, or a compat one
    native: Entry
    params: tuple[Param, ...]
    call: str  # the native call, with arguments read from slots
    inplace: bool = False

    @property
    def compat(self) -> bool:
        return self.entry.np_compat

    @property
    def main_operand(self) -> Param | None:
        """The array that determines the result's class: the one that the entry names, or that maps
        to `input` or `self`, or the first."""
        arrays = [p for p in self.params if p.kind in ("Tensor", "TensorOrNumber", "ArrayLike") and "out" != p.name]
        chosen = [p for p in arrays if p.name == self.entry.subclass] or [p for p in arrays if p.slot in ("input", "self")] or arrays
        return chosen[0] if chosen else None

    @property
    def operands_by_priority(self) -> tuple[Param, ...]:
        """The two arrays of which the one with the higher __array_priority__ gives the result its class; empty: main_operand does."""
        if self.entry.subclass != "priority":
            return ()
        first, second = (p for p in self.params if p.kind == "ArrayLike")
        return first, second

    @property
    def result(self) -> Result | None:
        """The class of several named results: NumPy's class, or one named after the function."""
        returns = self.entry.schema.returns
        if self.compat and not self.entry.result or len(returns) < 2 or not all(r.name for r in returns):
            return None
        package = self.entry.package
        name = self.entry.result or f"{package}_{self.entry.name}".lstrip("_").replace(".", "_")
        return Result(self.compat, package, name, tuple(r.name for r in returns))

    def native_names(self) -> dict[str, str]:
        """Maps native arguments to this face's names."""
        return {p.slot: p.name for p in self.params}

    def translated(self, text: str) -> str:
        """Text with this face's names for native arguments in backquotes."""
        names = self.native_names() if self.compat else {}
        return re.sub(r"`(\w+)`", lambda m: f"`{names.get(m[1], m[1])}`", text)


def extras_of(native: Entry) -> tuple[str, ...]:
    if native.pointwise:
        return POINTWISE_EXTRAS
    if native.reduction:
        return REDUCTION_EXTRAS
    return ("out",) if native.schema.returns_one_new_tensor else ()


# ------------------------------------------------------------------------------------------------- the torch face

def torch_overload(entry: Entry, inplace: bool = False) -> Overload:
    params = []
    names = {a.name for a in entry.schema.arguments}
    for a in entry.schema.arguments:
        aliases = PACKAGE_ALIASES.get(entry.package, {}).get(a.name, ()) + TORCH_ALIASES.get(a.name, ())
        aliases = tuple(n for n in aliases if n not in names)
        kind = kind_of(a.type, False, entry.pointwise != "" and len(entry.schema.arguments) > 1)
        params.append(Param(a.name, str(a.type), kind, a.name, flags_of(a), a.default, aliases))
    has_out = "out" in extras_of(entry) and entry.schema.returns_one_new_tensor and not inplace and "out" not in names
    if has_out:
        params.append(Param("out", "Tensor?", "Out", "out", ("kKeywordOnly", "kNullable"), "None"))
    has_outs = entry.schema.returns_several_named_tensors and not inplace and "out" not in names
    if has_outs:
        params.append(Param("out", "Tensor[]?", "OutTuple", "out", ("kKeywordOnly", "kNullable"), "None"))
    values = [reader(a, a.name, a.default) for a in entry.schema.arguments]
    if has_out and entry.out_dtype == "computed":
        values = [dtype_of_out(v, a) if a.name == "dtype" else v for v, a in zip(values, entry.schema.arguments)]
    if inplace:
        call = f"tnp::{entry.cpp_name}_({', '.join(values)})"
    else:
        call = native_call(entry, values, {"out": "out"} if has_out else {}, None)
    if has_outs:
        call = f"into_outs(r, out, {call})"
    return Overload(entry, entry, tuple(params), call, inplace)


# ------------------------------------------------------------------------------------------------- the numpy face

def compat_overload(entry: Entry, natives: dict[str, list[Entry]], by_full_name: dict[str, Entry]) -> Overload:
    if entry.native:
        if entry.native not in by_full_name:
            raise SpecError(f"native: there is no operator '{entry.native}'")
        return land(entry, by_full_name[entry.native])
    candidates = natives.get(f"{entry.package}_{entry.schema.name}", []) if entry.package else []
    candidates = candidates + natives.get(entry.schema.name, [])
    if not candidates:
        raise SpecError("there is no native operator of that name; say which with 'native'")
    errors = []
    for native in candidates:
        try:
            return land(entry, native)
        except SpecError as e:
            errors.append(e)
    raise errors[0]


def land(entry: Entry, native: Entry) -> Overload:
    """Finds the native slot of every argument, and reports arguments without one."""
    params: list[Param] = []
    extras: dict[str, str] = {}
    given: dict[str, Argument] = {}
    available = extras_of(native)
    if entry.ufunc and len(entry.schema.arguments) != len(native.schema.arguments):
        raise SpecError(f"a ufunc has the arguments of its operator {native.schema.text}, one for one")
    for i, a in enumerate(entry.schema.arguments):
        target = native.schema.arguments[i].name if entry.ufunc else entry.translate(a.name, native.schema)
        into = native.schema.argument(target)
        if into is not None:
            if target in given:
                raise SpecError(f"'{a}' and '{given[target]}' both land on '{target}'")
            if into.type.base not in LANDS_ON[a.type.base] or a.type.is_list and not into.type.is_list:
                raise SpecError(f"'{a}' cannot land on '{into}' of {native.schema.text}")
            given[target] = a
            flags = flags_of(a) + (("kPositionalOnly",) if entry.ufunc and not a.positional_only else ())
            kind = EXTRA_KINDS[target] if target in TENSOR_READERS else kind_of(a.type, True, False)
            aliases = ("_device",) if a.name == "device" else ()  # same name as the array's attribute: x._device
            params.append(Param(a.name, str(a.type), kind, target, flags, a.default, aliases))
        elif target in available:
            extras[target] = target
            params.append(Param(a.name, str(a.type), EXTRA_KINDS[target], target, flags_of(a, True), a.default))
        elif a.name == "subok":  # result_class() of emit_bindings handles it
            params.append(Param(a.name, str(a.type), "Bool", "subok", flags_of(a), a.default))
        elif a.name in IGNORED and a.default is not None:
            params.append(Param(a.name, str(a.type), "Object", "ignored", (*flags_of(a), "kIgnored"), a.default))
        elif a.name in entry.additional_translations:
            raise SpecError(f"additional_translations: '{a.name}: {target}' names no argument of {native.schema.text}")
        else:
            raise SpecError(f"'{a}' lands nowhere in {native.schema.text}")
    if entry.ufunc:
        for name, default, keyword_only in UFUNC_PARAMETERS:
            flags = ("kKeywordOnly",) if keyword_only else ()
            if name in available:
                extras[name] = name
                kind = EXTRA_KINDS[name]
                flags += ("kNullable",) if default == "None" else ()
            else:
                kind, flags = "Object", (*flags, "kIgnored")
            slot = name if name in available else "ignored"
            if name == "out" and len(native.schema.returns) > 1:
                default = "(" + ", ".join(["None"] * len(native.schema.returns)) + ")"
            params.append(Param(name, EXTRA_TYPES.get(name, "bool" if default == "True" else "str?"), kind, slot, flags, default))
    values = []
    for a in native.schema.arguments:
        source = given.get(a.name)
        if source is None:
            if a.default is None:
                raise SpecError(f"nothing lands on '{a}' of {native.schema.text}")
            values.append(cpp.literal(a.type, a.default))
        elif source.default is None:
            values.append(reader(a, a.name, None))
        else:
            absent = source.literal_default or a.default or ("None" if a.type.optional else None)
            if absent is None:
                raise SpecError(f"'{source}' may be absent, but '{a}' of {native.schema.text} has no default")
            values.append(reader(a, a.name, absent))
    result = native_call(native, values, extras, entry)
    if any(r.type.base == "..." for r in entry.schema.returns):
        result = f"as_tuple({result})"
    return Overload(entry, native, tuple(params), result)


# ------------------------------------------------------------------------------------------------- common to both

def check_limits(o: Overload) -> Overload:
    if len(o.params) > MAX_PARAMETERS:
        raise SpecError(f"has {len(o.params)} parameters; csrc/args takes {MAX_PARAMETERS}")
    for kind, most in MAX_LISTS.items():
        if sum(p.kind == kind for p in o.params) > most:
            raise SpecError(f"has more than {most} parameters of kind {kind}; csrc/args takes no more")
    return o


def kind_of(t: Type, compat: bool, number_too: bool) -> str:
    if t.base == "Tensor":
        return "TensorList" if t.is_list else "TensorOrNumber" if number_too else "Tensor"
    if t.base == "np.ndarray":
        return "ArrayLikeList" if t.is_list else "ArrayLike"
    if t.base == "bool" and not (compat or t.is_list):
        return "StrictBool"
    return KINDS[t.base] + ("List" if t.is_list else "")


def flags_of(a: Argument, extra: bool = False) -> tuple[str, ...]:
    flags = []
    if a.default is None:
        flags.append("kRequired")
    if a.keyword_only:
        flags.append("kKeywordOnly")
    if a.positional_only:
        flags.append("kPositionalOnly")
    if a.type.optional or a.default == "None" or a.default is not None and not is_literal(a.default):
        flags.append("kNullable")
    if a.type.size == "*":
        flags.append("kVarArgs")
    if a.type.base == "ScalarType" and not a.type.optional and a.default is None:
        flags.append("kNotNone")
    return tuple(flags)


def reader(a: Argument, slot: str, default: str | None) -> str:
    """The C++ expression that reads a native argument from its slot. `default`: literal text; None
    if it is required."""
    t, s = a.type, slot_identifier(slot)
    if t.base == "Tensor":
        if slot in TENSOR_READERS:
            return f"r.{TENSOR_READERS[slot]}({s})"
        if t.is_list:
            return f"r.tensor_list({s})"
        return f"r.tensor({s})" if default is None and not t.optional else f"r.tensor_or_undefined({s})"
    if t.base == "Generator":
        return f"r.generator({s})"
    if t.base == "Device":
        return f"r.given({s}) ? std::optional<Device>(r.device({s})) : std::nullopt" if t.optional else f"r.device({s})"
    if t.optional and t.base in ("Order", "Casting"):
        raise SpecError(f"no Python argument has the type {t}")
    name = f"{t.base}_list" if t.is_list else READERS[t.base]
    if t.optional:
        if default is None or default == "None":
            return f"r.opt_{name}({s})"
        return f"r.object({s}) ? r.opt_{name}({s}) : {value_type(t)}({cpp.literal(t, default)})"
    if default is None:
        return f"r.{name}({s})"
    if name == "dtype":
        return f"r.opt_dtype({s}).value_or({cpp.literal(t, default)})"
    return f"r.{name}({s}, {cpp.literal(t, default)})"


def dtype_of_out(value: str, a: Argument) -> str:
    """The reader of an argument `dtype` that, if it is not given, is the dtype of out=."""
    own = f"r.opt_dtype({slot_identifier(a.name)})"
    if own not in value:
        raise SpecError("out_dtype: 'computed' needs an argument 'dtype'")
    return value.replace(own, f"dtype_of_out(r, {slot_identifier(a.name)}, {slot_identifier('out')})")


OUT_DTYPES = {"exact": "OutDtype::Exact", "truth": "OutDtype::Truth"}


def out_rule(native: Entry, compat: Entry | None) -> str:
    """The rule for the dtype of out= as C++; empty if it is the default, as on NumPy's face."""
    return OUT_DTYPES.get(native.out_dtype, "") if compat is None else ""


def value_type(t: Type) -> str:
    return "std::optional<Scalar>" if t.base == "Scalar" else cpp.parameter_type(t)


def native_call(native: Entry, values: list[str], extras: dict[str, str], compat: Entry | None) -> str:
    name, rule = f"tnp::{native.cpp_name}", out_rule(native, compat)
    if native.pointwise or native.reduction:
        order = POINTWISE_EXTRAS if native.pointwise else REDUCTION_EXTRAS
        make = "pointwise_options" if native.pointwise else "reduce_options"
        slots = ", ".join(f".{n} = {slot_identifier(n)}" for n in order if n in extras)
        if slots:
            slots += f", .out_dtype = {rule}" if rule and "out" in extras else ""
            values = [*values, f"{make}(r, {{{slots}}})"]
        return f"{name}({', '.join(values)})"
    if cpp.options(native) and "out" in extras:
        out = f"out_options(r, {slot_identifier('out')}{rule and ', ' + rule})"
        return f"{name}({', '.join([*values, out])})"
    call = f"{name}({', '.join(values)})"
    if "out" not in extras:
        return call
    out = slot_identifier("out")
    if native.schema.argument("memory_format") and compat is None:
        out = f"without_format(r, {out}, {slot_identifier('memory_format')})"
    function = "into_out" if native.schema.tensors else "into_line_out" if native.out_of_any_shape else "into_new_out"
    return f"{function}(r, {out}, {call}{rule and ', ' + rule})"


RESERVED = {"self", "args", "nargs", "kwnames", "parser", "r", "overload", "compat"}


def slot_identifier(name: str) -> str:
    return f"{name}_" if name in RESERVED else name
