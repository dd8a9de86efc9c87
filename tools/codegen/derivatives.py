"""Derivative formulas: the names that each formula refers to (the values that a node must save),
and the C++ text that the node evaluates."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tools.codegen import cpp
from tools.codegen.model import NON_DIFFERENTIABLE, REDUCTION_TENSORS, Argument, Entry, SpecError, Type

# Tensor properties that a node saves by value instead of the tensor: C++ type, which becomes the
# element type for Tensor[].
PROPERTIES = {"sizes": "DimVector", "dtype": "ScalarType", "dim": "int64_t", "device": "Device", "numel": "int64_t",
              "is_complex": "bool"}
# Further names in formulas of reductions: where= and initial= (undefined if absent), and the
# functor's parameter.
OPTIONS = {"mask": ("SavedTensor", "options.where"), "parameter": ("double", "options.parameter"),
           "initial": ("SavedTensor", "options.initial_or_undefined()")}
# In a formula for several arguments: a std::array of bools that tells which of them need a
# gradient.
MASK = "output_mask"


@dataclass(frozen=True)
class Saved:
    """A member of a node. `tensor`: 'no' (a value), 'input', 'list' or 'result'."""

    member: str   # name of the member, without the trailing underscore; formulas use the same name
    type: str
    tensor: str
    source: str  # expression of the saved value in the forward function
    restore: str  # declaration of the restored value in the formula's scope


@dataclass(frozen=True)
class Formula:
    arguments: tuple[Argument, ...]  # the formula computes the gradients of these arguments, as a tuple if there are several
    edges: tuple[int, ...]  # edges of the arguments (of the first tensor, for a Tensor[])
    text: str
    saved: tuple[Saved, ...]

    @property
    def wanted(self) -> str:
        return " || ".join(f"needs_grad({i})" for i in self.edges)


@dataclass(frozen=True)
class Derivative:
    entry: Entry
    arguments: tuple[Argument, ...]  # the differentiable ones, in order; one edge each
    formulas: tuple[Formula, ...]
    saved: tuple[Saved, ...]

    @property
    def node(self) -> str:
        return self.entry.node_name

    def edges(self, saved: Saved) -> list[int]:
        """The edges of the formulas that refer to the saved value."""
        return sorted({i for f in self.formulas if saved in f.saved for i in f.edges})

    @property
    def operands(self) -> list[str]:
        return [a.name for a in self.arguments if self.entry.schema.argument(a.name)]

    @property
    def options(self) -> list[str]:
        """Differentiable options of a reduction, as expressions in the forward function. Their
        edges come last, if they are given."""
        return [REDUCTION_TENSORS[a.name] for a in self.arguments if not self.entry.schema.argument(a.name)]

    @property
    def has_list(self) -> bool:
        return any(a.type.is_list for a in self.arguments)


def parse(entry: Entry) -> Derivative | None:
    if not entry.derivative:
        return None
    arguments = [a for a in entry.schema.arguments if a.name in entry.differentiable]
    arguments += [Argument(Type("Tensor"), name) for name in REDUCTION_TENSORS if entry.reduction and (name,) in entry.derivative]
    formulas = tuple(parse_formula(entry, arguments, names, text) for names, text in entry.derivative.items()
                     if text != NON_DIFFERENTIABLE)
    saved = tuple(dict.fromkeys(s for f in formulas for s in f.saved))
    return Derivative(entry, tuple(arguments), formulas, saved)


def parse_formula(entry: Entry, arguments: list[Argument], names: tuple[str, ...], text: str) -> Formula:
    saved: list[Saved] = []
    if len(entry.schema.returns) == 1:
        text = re.sub(r"\bgrads\[0\]", "grad", text)
    text = re.sub(r"\bresults\[(\d+)\]", r"result\1", text)
    if text.count("(") != text.count(")"):
        raise SpecError(f"derivative: '{', '.join(names)}: {text}' has unbalanced parentheses")
    if (len(names) > 1) != (re.search(rf"\b{MASK}\b", text) is not None):
        raise SpecError(f"derivative: '{', '.join(names)}: {text}': a formula for several arguments, and no other, takes {MASK}")
    for a in entry.schema.arguments:
        if a.name in ("grad", "grads"):
            continue  # in a formula, these are the gradients of the results
        if a.type.base == "Tensor":
            for prop, kind in PROPERTIES.items():
                pattern = rf"\b{a.name}\.{prop}\(\)"
                if re.search(pattern, text):
                    member = f"{a.name}_{prop}"
                    text = re.sub(pattern, member, text)
                    saved.append(property_of(a, prop, kind, member))
        if not re.search(rf"(?<![\w.]){a.name}\b(?!\()", text):
            continue
        if a.type.is_tensor_list:
            saved.append(Saved(a.name, "std::vector<SavedTensor>", "list", f"saved_list({a.name})",
                               f"const std::vector<Tensor> {a.name} = unpacked({a.name}_, this);"))
        elif a.type.base == "Tensor":
            saved.append(Saved(a.name, "SavedTensor", "input", a.name, f"const Tensor {a.name} = {unpacked_operand(entry, a)};"))
        else:
            saved.append(Saved(a.name, cpp.stored_type(a.type), "no", cpp.store(a), cpp.restore(a, f"{a.name}_")))
    for name, (kind, option) in (OPTIONS.items() if entry.reduction else ()):
        if re.search(rf"(?<![\w.]){name}\b(?!\()", text):
            declaration = f"const Tensor {name} = {name}_.unpack(this);" if kind == "SavedTensor" else f"const auto& {name} = {name}_;"
            saved.append(Saved(name, kind, "input" if kind == "SavedTensor" else "no", option, declaration))
    for i, r in enumerate(entry.schema.returns):
        spellings = {f"result{i}", r.name} - {""} | ({"result"} if len(entry.schema.returns) == 1 else set())
        for name in sorted(spellings):
            if re.search(rf"(?<![\w.]){name}\b(?!\()", text):
                text = re.sub(rf"(?<![\w.]){name}\b(?!\()", f"result{i}", text)
                saved.append(Saved(f"result{i}", "SavedTensor", "result", str(i), f"const Tensor result{i} = result{i}_.unpack(this);"))
    given = [a for a in arguments if a.name in names]
    if [a.name for a in given] != list(names):
        raise SpecError(f"derivative: '{', '.join(names)}' are not in the order of {entry.schema.text}")
    return Formula(tuple(given), tuple(arguments.index(a) for a in given), text, tuple(dict.fromkeys(saved)))


def unpacked_operand(entry: Entry, a: Argument) -> str:
    """Restores an operand. Operands of pointwise operators may be Python numbers, whose dtype is
    only a default."""
    may_be_number = entry.pointwise and len(entry.schema.tensors) > 1 and a.name in entry.differentiable
    return f"operand_beside(grad, {a.name}_.unpack(this))" if may_be_number else f"{a.name}_.unpack(this)"


def property_of(a: Argument, prop: str, kind: str, member: str) -> Saved:
    if a.type.is_list:
        return Saved(member, f"std::vector<{kind}>", "no", f"{prop}_of({a.name})", f"const auto& {member} = {member}_;")
    source = f"{kind}({a.name}.{prop}())"
    if a.type.optional:
        source = f"{a.name}.defined() ? {source} : {kind}{{}}"
    return Saved(member, kind, "no", source, f"const auto& {member} = {member}_;")
