"""native_functions.yaml and its parts as frozen dataclasses. Everything parsed here renders back to
its source text."""

from __future__ import annotations

import re
import runpy
from dataclasses import dataclass, field
from pathlib import Path, PurePath


# Rules of `autocast`, and their enumerators in aten/core/autocast.h.
AUTOCAST_RULES = {"none": "None", "lower_precision": "LowerPrecision", "float32": "Float32", "float32_result": "Float32Result",
                  "widest": "Widest"}
NON_DIFFERENTIABLE = "non_differentiable"  # in place of a formula


class SpecError(Exception):
    """A mistake in the yaml; the loader prepends file, line and operator to the reason."""


NATIVE_BASES = ("Tensor", "int", "float", "bool", "Scalar", "str", "ScalarType", "Device", "Order", "Casting", "Generator",
                "Distribution")
COMPAT_BASES = ("np.ndarray", "np.dtype", "int", "float", "bool", "Scalar", "str", "Order", "Casting", "Device", "Generator",
                "Distribution")
# Spellings of ScalarType defaults, and their C++ enumerators.
DTYPES = {"bool": "Bool", "int64": "Int64", "int32": "Int32", "float32": "Float32", "float64": "Float64",
          "complex64": "Complex64", "complex128": "Complex128"}
# Names of arguments in the two faces. torch_np cannot be imported before it is built.
_ARGUMENT_NAMES = runpy.run_path(str(Path(__file__).resolve().parents[2] / "torch_np/_argument_names.py"))
NUMPYS_NAMES: dict[str, str] = _ARGUMENT_NAMES["NUMPYS"]
TORCH_ALIASES: dict[str, tuple[str, ...]] = _ARGUMENT_NAMES["ALIASES"]
# np translations for all operators; an entry adds its own with `additional_translations`.
TRANSLATIONS = {"self": "input"} | {alias: name for name, aliases in TORCH_ALIASES.items() for alias in aliases}


@dataclass(frozen=True)
class Type:
    """`int[]?`, `Tensor(a!)`, `int[*]`: base, alias annotation, list size (None: no list), whether
    None is allowed."""

    base: str
    alias: str | None = None
    size: str | None = None
    optional: bool = False

    @staticmethod
    def parse(text: str, bases: tuple[str, ...]) -> Type:
        m = re.fullmatch(r"([\w.]+?)(?:\((a!?)\))?(?:\[(\d*|\*)\])?(\?)?", text)
        if m is None or m[1] not in bases:
            raise SpecError(f"unknown type '{text}'")
        if m[2] and m[1] != "Tensor" or m[3] is not None and m[1] not in ("Tensor", "np.ndarray", "int", "float", "bool"):
            raise SpecError(f"unknown type '{text}'")
        return Type(m[1], m[2], m[3], m[4] is not None)

    def __str__(self) -> str:
        alias = f"({self.alias})" if self.alias else ""
        size = f"[{self.size}]" if self.size is not None else ""
        return f"{self.base}{alias}{size}" + ("?" if self.optional else "")

    @property
    def is_list(self) -> bool:
        return self.size is not None

    @property
    def is_tensor(self) -> bool:
        """A Tensor or Tensor?, not a list."""
        return self.base == "Tensor" and not self.is_list

    @property
    def is_tensor_list(self) -> bool:
        return self.base == "Tensor" and self.is_list


# Differentiable options of reductions, and their members in ReduceOptions.
REDUCTION_TENSORS = {"initial": "options.initial_tensor"}


@dataclass(frozen=True)
class Argument:
    """`int[]? dim=None` of a schema; `default` is its source text, None when the argument is required."""

    type: Type
    name: str
    default: str | None = None
    keyword_only: bool = False
    positional_only: bool = False

    def __str__(self) -> str:
        return f"{self.type} {self.name}" + (f"={self.default}" if self.default is not None else "")

    @property
    def literal_default(self) -> str | None:
        """The default, if it is a literal other than None."""
        return self.default if self.default is not None and is_literal(self.default) and self.default != "None" else None


def is_literal(text: str) -> bool:
    number = r"-?\d+(\.\d*)?(e-?\d+)?|-?\.\d+"
    item = rf"({number}|True|False)"
    return re.fullmatch(rf"None|True|False|{number}|'[^']*'|\(({item}(, ?)?,?)*\)|\[({item}(, ?)?)*\]", text) is not None


def split_arguments(text: str) -> list[str]:
    """Splits at commas outside of brackets and quotes."""
    parts, depth, quoted, start = [], 0, False, 0
    for i, c in enumerate(text):
        if c == "'":
            quoted = not quoted
        elif not quoted and c in "([":
            depth += 1
        elif not quoted and c in ")]":
            depth -= 1
        elif not quoted and c == "," and depth == 0:
            parts.append(text[start:i])
            start = i + 1
    return [p.strip() for p in [*parts, text[start:]] if p.strip()]


@dataclass(frozen=True)
class Return:
    """`Tensor values`; an unnamed one has name ''. `...` (any number of the preceding type) has the
    type Type('...')."""

    type: Type
    name: str = ""

    def __str__(self) -> str:
        return f"{self.type} {self.name}".strip()


@dataclass(frozen=True)
class Schema:
    name: str
    overload: str
    arguments: tuple[Argument, ...]
    returns: tuple[Return, ...]
    text: str

    @staticmethod
    def parse(text: str, compat: bool) -> Schema:
        m = re.fullmatch(r"(\w+)(?:\.(\w+))?\((.*)\) -> (.+)", text)
        if m is None:
            raise SpecError(f"'{text}' is not 'name(type arg=default, ...) -> returns'")
        bases = COMPAT_BASES if compat else NATIVE_BASES
        arguments: list[Argument] = []
        keyword_only = False
        for part in split_arguments(m[3]):
            if part == "*":
                keyword_only = True
                continue
            if part == "/":
                arguments = [Argument(a.type, a.name, a.default, False, True) for a in arguments]
                continue
            p = re.fullmatch(r"(\S+) (\w+)(?:=(.+))?", part)
            if p is None:
                raise SpecError(f"argument '{part}' is not '<type> <name>[=default]'")
            if p[3] is not None and not compat and not (is_literal(p[3]) or p[1] == "ScalarType" and p[3] in DTYPES):
                raise SpecError(f"the default of '{part}' is not a literal")
            if any(a.name == p[2] for a in arguments):
                raise SpecError(f"two arguments are named {p[2]}")
            arguments.append(Argument(Type.parse(p[1], bases), p[2], p[3], keyword_only))
        schema = Schema(m[1], m[2] or "", tuple(arguments), parse_returns(m[4], bases), text)
        if str(schema) != text:
            raise SpecError(f"'{text}' is not in the canonical form: '{schema}'")
        return schema

    def __str__(self) -> str:
        parts: list[str] = []
        for i, a in enumerate(self.arguments):
            if a.keyword_only and not (i and self.arguments[i - 1].keyword_only):
                parts.append("*")
            parts.append(str(a))
            if a.positional_only and not (i + 1 < len(self.arguments) and self.arguments[i + 1].positional_only):
                parts.append("/")
        returns = ", ".join(map(str, self.returns))
        if len(self.returns) != 1:
            returns = f"({returns})"
        return f"{self.full_name}({', '.join(parts)}) -> {returns}"

    @property
    def full_name(self) -> str:
        return f"{self.name}.{self.overload}" if self.overload else self.name

    def argument(self, name: str) -> Argument | None:
        return next((a for a in self.arguments if a.name == name), None)

    @property
    def tensors(self) -> list[Argument]:
        return [a for a in self.arguments if a.type.base == "Tensor"]

    @property
    def mutated(self) -> Argument | None:
        return next((a for a in self.arguments if a.type.alias == "a!"), None)

    @property
    def returns_view(self) -> bool:
        return len(self.returns) == 1 and self.returns[0].type.alias == "a"

    @property
    def returns_one_new_tensor(self) -> bool:
        return len(self.returns) == 1 and self.returns[0].type == Type("Tensor")

    @property
    def returns_several_named_tensors(self) -> bool:
        return len(self.returns) > 1 and all(r.name and r.type == Type("Tensor") for r in self.returns)


def parse_returns(text: str, bases: tuple[str, ...]) -> tuple[Return, ...]:
    returns = []
    for part in split_arguments(text[1:-1]) if text.startswith("(") else [text]:
        type_text, _, name = part.partition(" ")
        returns.append(Return(Type("...")) if part == "..." else Return(Type.parse(type_text, bases), name))
    return tuple(returns)


@dataclass(frozen=True)
class Distribution:
    """`normal(Any loc, NonNegative scale) -> float64`: parameters with their domains
    (aten/random/parameters.h), and the dtype."""

    name: str
    parameters: tuple[tuple[str, str], ...]
    dtype: str

    @staticmethod
    def parse(text: str) -> Distribution:
        m = re.fullmatch(r"(\w+)\((.*)\) -> (int64|float64)", text)
        parameters = [p.split() for p in split_arguments(m[2])] if m else []
        if m is None or any(len(p) != 2 for p in parameters):
            raise SpecError(f"distributions: '{text}' is not 'name(Domain parameter, ...) -> float64' or '-> int64'")
        return Distribution(m[1], tuple((p[0], p[1]) for p in parameters), m[3])

    @property
    def cpp_name(self) -> str:
        """The name of the enumerator, and of the sampler in aten/random/samplers.h."""
        return "".join(w[:1].upper() + w[1:] for w in self.name.split("_"))


@dataclass(frozen=True)
class Ufunc:
    reduce: str = ""
    accumulate: str = ""
    identity: str = "None"


@dataclass(frozen=True)
class Entry:
    """A yaml entry. `np_compat` distinguishes native and compat entries; fields of the other kind
    keep their defaults."""

    schema: Schema
    file: str  # yaml file, as shown in errors
    line: int
    doc: str = ""
    arguments: dict[str, str] = field(default_factory=dict)  # descriptions of arguments, by name
    variants: tuple[str, ...] = ("function",)
    package: str = ""
    aliases: tuple[str, ...] = ()
    # native
    hidden: bool = False
    pointwise: str = ""
    reduction: str = ""
    dispatch: dict[str, str] = field(default_factory=dict)
    promotion: str = ""
    dtypes: str = ""
    check: str = ""
    cost: float = 1
    machine: str = ""  # the machine-code operation that computes a pending result: Add
    vectorizes: bool = True  # False: its loops are compiled for one instruction set
    keeps_numbers: bool = False  # whether PyTorch does not round numbers to 16-bit floats
    floating_point_errors: str = ""  # how the kernel detects them: by flags, values, or '' for not at all
    watched_as: str = ""  # the operator's name in NumPy's warnings
    derivative: dict[tuple[str, ...], str] = field(default_factory=dict)  # one formula may give the gradients of several arguments
    nondifferentiable: str = ""
    node: str = ""  # PyTorch's name of its gradient's node, if it differs from node_name and a 0
    domain: tuple[float, float] | None = None
    distributions: tuple[Distribution, ...] = ()
    dunder: str = ""  # the Python method that the operator implements: __add__
    warns: bool = False  # torch_np: calls without out= may issue warnings
    out_of_any_shape: bool = False  # torch_np: out= of as many elements keeps its shape
    overlapping: bool = False  # in place: elements of the changed tensor may share memory
    out_dtype: str = "exact"  # the dtypes that out= may have on the torch face: same kind, exact, truth or computed
    autocast: dict[str, str] = field(default_factory=dict)  # rules of automatic mixed precision, by device: CPU, CUDA
    dynamic_output_shape: bool = False  # result shapes depend on data, so kernels allocate the results
    # compat
    np_compat: bool = False
    native: str = ""
    additional_translations: dict[str, str] = field(default_factory=dict)
    ufunc: Ufunc | None = None
    result: str = ""  # class of several named results: SVDResult
    gufunc: str = ""  # the core dimensions of a generalized ufunc: (m,n),(n)->(m)
    zero_dim: str = "value"  # torch_np.numpy: a value (scalar), an array, or 'as operand': a value if the operand is a scalar
    # Results in the main operand's class: always, arrays (not 0-d), never; the operand's name; or
    # priority: in the class of the operand with the highest __array_priority__.
    subclass: str = "always"

    @property
    def name(self) -> str:
        """The operator's name in Python: `linalg_norm` in package linalg is `norm` there."""
        prefix = f"{self.package.replace('.', '_')}_"
        return self.schema.name.removeprefix(prefix) if self.package else self.schema.name

    @property
    def place(self) -> str:
        return f"{self.file}:{self.line}"

    @property
    def family(self) -> str:
        """The name of the entry's yaml file; each family has generated files of its own."""
        return PurePath(self.file).stem

    @property
    def differentiable(self) -> list[str]:
        """The differentiable arguments."""
        return [a.name for a in self.schema.arguments
                if any(a.name in names and formula != NON_DIFFERENTIABLE for names, formula in self.derivative.items())]

    @property
    def is_ufunc(self) -> bool:
        return self.ufunc is not None or self.gufunc != ""

    @property
    def cpp_name(self) -> str:
        return self.schema.name

    @property
    def native_function(self) -> str:
        """The name of a composite's hand-written function."""
        return f"{self.schema.name}_{self.schema.overload}" if self.schema.overload else self.schema.name

    @property
    def has_meta(self) -> bool:
        """Whether a shape function describes its results before a kernel runs."""
        tensors = self.schema.returns != () and all(r.type.base == "Tensor" for r in self.schema.returns)
        return self.dispatch != {} and not self.dynamic_output_shape and tensors

    @property
    def hand_written(self) -> str:
        """The composite function that serves every device; '' if there is none."""
        return self.native_function if self.is_composite else ""

    @property
    def kernels(self) -> list[str]:
        """The kernels in aten/kernels, one for each device that has one."""
        return [name for device, name in self.dispatch.items() if device != "Composite"]

    @property
    def composite_kernel(self) -> str:
        """The function in aten/ops for devices without a kernel; '' if there is none. It has a
        kernel's parameters, and calls other operators."""
        return self.dispatch.get("Composite", "")

    @property
    def is_composite(self) -> bool:
        return not (self.pointwise or self.reduction or self.dispatch)

    @property
    def kind(self) -> str:
        return "pointwise" if self.pointwise else "reduction" if self.reduction else "dispatch" if self.dispatch else "composite"

    @property
    def identifier(self) -> str:
        """A C++ identifier, unique among entries of its kind."""
        return self.native_function

    @property
    def node_name(self) -> str:
        words = self.native_function.split("_")
        return "".join(w[:1].upper() + w[1:] for w in words) + "Backward"

    @property
    def public_node_name(self) -> str:
        """The C++ expression of the name that `grad_fn` shows: AddBackward0."""
        return f'"{self.node or self.node_name + "0"}"' if re.fullmatch(r"\w*", self.node) else self.node

    def translate(self, name: str, native: Schema) -> str:
        """The native argument for a compat argument."""
        if name in self.additional_translations:
            return self.additional_translations[name]
        return name if native.argument(name) else TRANSLATIONS.get(name, name)
