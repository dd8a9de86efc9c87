"""C++ spellings of schema types, defaults and signatures, for all C++ emitters."""

from __future__ import annotations

from tools.codegen.model import DTYPES, Argument, Entry, Return, SpecError, Type

SCALARS = {"int": "int64_t", "float": "double", "bool": "bool", "ScalarType": "ScalarType", "Device": "Device",
           "Order": "Order", "Casting": "Casting", "str": "std::string_view",
           "Distribution": "Distribution"}
ORDERS = {"C": "Order::C", "F": "Order::F", "A": "Order::A", "K": "Order::K"}
CASTINGS = {"no": "Casting::No", "equiv": "Casting::Equiv", "safe": "Casting::Safe", "same_kind": "Casting::SameKind",
            "unsafe": "Casting::Unsafe"}


def parameter_type(t: Type) -> str:
    if t.base == "Tensor":
        return "TensorList" if t.is_list else "const Tensor&"
    if t.base == "Generator":
        return "Generator*"
    if t.base == "Scalar":
        return "const std::optional<Scalar>&" if t.optional else "const Scalar&"
    if t.base == "int" and t.is_list:
        return "OptIntList" if t.optional else "IntList"
    if t.is_list:
        return f"std::optional<std::span<const {SCALARS[t.base]}>>" if t.optional else f"std::span<const {SCALARS[t.base]}>"
    return f"std::optional<{SCALARS[t.base]}>" if t.optional else SCALARS[t.base]


def literal(t: Type, text: str) -> str:
    """A default value as an expression of the parameter's type."""
    if text == "None":
        if not t.optional:
            raise SpecError(f"the default None does not fit the type {t}")
        return "nullptr" if t.base == "Generator" else "Tensor()" if t.base == "Tensor" else "std::nullopt"
    if t.is_list:
        items = text.strip("()[]").rstrip(",")
        if text[0] not in "([":
            items = text
        if t.base == "int":
            return f"IntList{{{items}}}"
        item = SCALARS[t.base]
        return f"std::span<const {item}>(std::initializer_list<{item}>{{{items.replace('True', 'true').replace('False', 'false')}}})"
    if t.base in ("Order", "Casting"):
        table = ORDERS if t.base == "Order" else CASTINGS
        value = text.strip("'")
        if value not in table:
            raise SpecError(f"'{text}' is no {t.base}")
        return table[value]
    if t.base == "str":
        return '"' + text.strip("'") + '"'
    if t.base == "ScalarType":
        return f"ScalarType::{DTYPES[text]}"
    spelled = {"True": "true", "False": "false"}.get(text, text)
    if t.base == "Scalar":
        return f"Scalar({'int64_t{' + spelled + '}' if spelled.lstrip('-').isdigit() else spelled})"
    return spelled


def return_type(returns: tuple[Return, ...]) -> str:
    if not returns:
        return "void"
    if len(returns) > 1:
        return f"std::tuple<{', '.join(return_type((r,)) for r in returns)}>"
    t = returns[0].type
    if t.base == "Tensor":
        return "std::vector<Tensor>" if t.is_list else "const Tensor&" if t.alias == "a!" else "Tensor"
    if t.base == "int" and t.is_list:
        return "std::vector<int64_t>"
    base = "Scalar" if t.base == "Scalar" else "std::string" if t.base == "str" else SCALARS[t.base]
    return f"std::optional<{base}>" if t.optional else base


def parameters(arguments: tuple[Argument, ...], defaults: bool) -> list[str]:
    """Parameters with C++ defaults. An argument before a required one loses its default, since C++
    only allows trailing defaults."""
    result = []
    last_required = max((i for i, a in enumerate(arguments) if a.default is None), default=-1)
    for i, a in enumerate(arguments):
        text = f"{parameter_type(a.type)} {a.name}"
        if defaults and a.default is not None and i > last_required:
            text += f" = {literal(a.type, a.default)}"
        result.append(text)
    return result


def options(entry: Entry) -> str:
    if entry.has_meta and entry.schema.returns_one_new_tensor and not any(a.type.is_tensor_list for a in entry.schema.arguments):
        return "OutOptions"
    return "PointwiseOptions" if entry.pointwise else "ReduceOptions" if entry.reduction else ""


def declaration(entry: Entry, defaults: bool) -> str:
    """The C++ declaration: `Tensor add(const Tensor& input, const Tensor& other, const
    PointwiseOptions& options = {})`."""
    items = parameters(entry.schema.arguments, defaults)
    if options(entry):
        items.append(f"const {options(entry)}& options" + (" = {}" if defaults else ""))
    return f"{return_type(entry.schema.returns)} {entry.cpp_name}({', '.join(items)})"


def inplace_declaration(entry: Entry) -> str:
    return f"const Tensor& {entry.cpp_name}_({', '.join(parameters(entry.schema.arguments, False))})"


def native_declaration(entry: Entry, name: str) -> str:
    """The declaration of the hand-written function; without defaults, since only generated code
    calls it."""
    return f"{return_type(entry.schema.returns)} {name}({', '.join(parameters(entry.schema.arguments, False))})"


def argument_names(entry: Entry) -> str:
    return ", ".join(a.name for a in entry.schema.arguments)


# The member type with which a node saves a non-tensor argument, and its restoration under the
# argument's name.
def stored_type(t: Type) -> str:
    if t.base == "int" and t.is_list:
        return "std::optional<DimVector>" if t.optional else "DimVector"
    if t.base == "str":
        return "std::optional<std::string>" if t.optional else "std::string"
    if t.base == "Scalar":
        return "std::optional<Scalar>" if t.optional else "Scalar"
    if t.base == "float" and t.is_list:
        return "std::optional<std::vector<double>>" if t.optional else "std::vector<double>"
    if t.base == "Generator" or t.is_list:
        raise SpecError(f"a derivative cannot keep an argument of type {t}")
    return parameter_type(t)


def store(a: Argument) -> str:
    if a.type.base == "int" and a.type.is_list and a.type.optional:
        return f"stored({a.name})"
    if a.type.base == "float" and a.type.is_list:
        vector = f"std::vector<double>({a.name}{'->' if a.type.optional else '.'}begin(), {a.name}{'->' if a.type.optional else '.'}end())"
        return f"{a.name} ? std::optional({vector}) : std::nullopt" if a.type.optional else vector
    return f"{stored_type(a.type)}({a.name})"


def restore(a: Argument, member: str) -> str:
    """A declaration in the formula's scope."""
    t = a.type
    if t.base == "int" and t.is_list and t.optional:
        return f"const OptIntList {a.name} = restored({member});"
    return f"const auto& {a.name} = {member};"
