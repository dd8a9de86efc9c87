"""csrc/bindings/<family>.{h,cpp}: one THPVariable_<name> for both faces. emit_tables.py emits their
Python names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from string import Template
from textwrap import indent

from tools.codegen import docs
from tools.codegen.model import Entry, SpecError
from tools.codegen.signatures import Overload, Param, Result, check_limits, compat_overload, slot_identifier, torch_overload

Report = Callable[[Entry, Exception], None]  # reports a mistake

BINDINGS_H = Template("""\
// Generated from native_functions/$family.yaml. <false>: torch_np, <true>: torch_np.numpy.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

namespace tnp::python {

$declarations
}  // namespace tnp::python
""")

BINDINGS_CPP = Template("""\
// Generated from native_functions/$family.yaml. Argument tables of both faces, and the native calls.
#include "csrc/bindings/$family.h"

$includes\
#include "csrc/args/args.h"
#include "csrc/args/call.h"
#include "csrc/args/direct_call.h"
#include "csrc/args/fallback.h"
$overrides\

namespace tnp::python {

$bindings
}  // namespace tnp::python
""")

BINDING = Template("""\
${comments}\
template <bool compat>
PyObject* THPVariable_$name(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames) {
$direct\
  enum Slot { $slots };
  static constexpr const char* slots[] = {$slot_names};
  static const Parser parser = [] {
$parsers\
  }();
$body\
}
$instances""")

BODY = Template("""\
Args<compat, $count> r;
const int overload = parser.parse(self, args, nargs, kwnames, r.values());
if (overload < 0) return nullptr;
$calls""")

# Note [Fallback] in csrc/args/fallback.h.
OR_NUMPYS = Template("""\
return or_numpys<compat>("$path", self, args, nargs, kwnames, [&]() __attribute__((always_inline)) -> PyObject* {
$body\
});
""")

PARAMS = Template("""\
static constexpr Param $name[] = {
$rows};
""")

CALL = Template("""\
${prefix}return ${named}call<compat$zero_dim>(parser[overload], r.objects(), [&] {
  return $call;
}$result_class)$end;
""")

@dataclass(frozen=True)
class Row:
    """A name in a Python namespace."""

    name: str
    binding: str
    compat: bool
    overloads: tuple[Overload, ...]
    method: bool
    family: str  # family of the binding's file
    package: str = ""

    @property
    def doc(self) -> str:
        return docs.docstring(self.name, list(self.overloads), self.method)


@dataclass(frozen=True)
class Binding:
    name: str
    torch: tuple[Overload, ...]
    numpy: tuple[Overload, ...]

    @property
    def family(self) -> str:
        """The family of the first entry: overloads may be in several files."""
        return (*self.torch, *self.numpy)[0].entry.family


@dataclass(frozen=True)
class Python:
    """Everything that is visible from Python."""

    bindings: list[Binding]
    methods: list[Row]
    functions: list[Row]
    ufuncs: list[Row]


def plan(entries: list[Entry], report: Report) -> Python:
    """Collects the bindings. Entries with inconsistent signatures are passed to `report(entry,
    error)` and left out."""
    natives: dict[str, list[Entry]] = {}
    by_full_name: dict[str, Entry] = {}
    for e in entries:
        if not e.np_compat:
            natives.setdefault(e.schema.name, []).append(e)
            by_full_name.setdefault(e.schema.full_name, e)
    torch: dict[tuple[str, str], list[Overload]] = {}
    inplace: dict[str, list[Overload]] = {}
    numpy: dict[tuple[str, str], list[Overload]] = {}
    for e in entries:
        try:
            if e.np_compat:
                numpy.setdefault((e.package, e.name), []).append(check_limits(compat_overload(e, natives, by_full_name)))
            elif not e.hidden:
                torch.setdefault((e.package, e.name), []).append(check_limits(torch_overload(e)))
                if "inplace" in e.variants:
                    inplace.setdefault(f"{e.name}_", []).append(torch_overload(e, inplace=True))
        except SpecError as error:
            report(e, error)
    result = Python([], [], [], [])
    for key in dict.fromkeys([*torch, *numpy]):
        add_group(result, *key, torch.get(key, []), numpy.get(key, []))
    for name, overloads in inplace.items():
        made = Binding(name, tuple(overloads), ())
        result.bindings.append(made)
        functions = tuple(o for o in overloads if "function" in o.entry.variants and not o.entry.package)
        for n in names_of(name, overloads, "_"):
            result.methods.append(Row(n, name, False, tuple(overloads), True, made.family))
            if functions and functions[0] == overloads[0]:
                result.functions.append(Row(n, name, False, functions, False, made.family))
    check_unique(result, report)
    return result


def add_group(result: Python, package: str, name: str, torch: list[Overload], numpy: list[Overload]) -> None:
    def with_variant(overloads: list[Overload], variant: str) -> tuple[Overload, ...]:
        return tuple(o for o in overloads if variant in o.entry.variants)

    identifier = f"{package.replace('.', '_')}_{name}" if package else name
    functions = {False: with_variant(torch, "function"), True: with_variant(numpy, "function")}
    methods = {False: with_variant(torch, "method"), True: with_variant(numpy, "method")}
    main = {c: functions[c] or methods[c] for c in (False, True)}
    other = {c: methods[c] if methods[c] and methods[c] != main[c] else () for c in (False, True)}
    binding = Binding(identifier, main[False], main[True])
    result.bindings.append(binding)
    if other[False] or other[True]:
        result.bindings.append(Binding(f"{identifier}_method", other[False], other[True]))
    for compat in (False, True):
        for n in names_of(name, functions[compat]):
            rows = result.ufuncs if functions[compat][0].entry.is_ufunc else result.functions
            rows.append(Row(n, identifier, compat, functions[compat], False, binding.family, package))
        for n in names_of(name, methods[compat]):
            its = result.bindings[-1] if other[compat] else binding
            result.methods.append(Row(n, its.name, compat, methods[compat], True, its.family))


def names_of(name: str, overloads: Sequence[Overload], suffix: str = "") -> list[str]:
    """The name and its aliases; empty without overloads."""
    return list(dict.fromkeys([name, *(a + suffix for o in overloads for a in o.entry.aliases)])) if overloads else []


def check_unique(result: Python, report: Report) -> None:
    classes: dict[tuple, Result] = {}
    for b in result.bindings:
        for o in (*b.torch, *b.numpy):
            if o.result and classes.setdefault((o.compat, o.result.package, o.result.name), o.result) != o.result:
                report(o.entry, SpecError(f"the results of '{o.result.name}' have other names than those of another entry"))
    seen: dict[tuple, Row] = {}
    for row in [*result.methods, *result.functions, *result.ufuncs]:
        key = (row.name, row.compat, row.method, row.package)
        if key in seen:
            report(row.overloads[0].entry, SpecError(f"the name '{row.name}' is also that of {seen[key].overloads[0].entry.schema.text}"))
        seen[key] = row


# --------------------------------------------------------------------------------------------------- text of bindings

def bindings_h(family: str, bindings: list[Binding]) -> str:
    one = "template <bool compat>\nPyObject* THPVariable_{}(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames);\n"
    types = "".join(f"extern PyTypeObject* {r.identifier};\n" for r in results(bindings))
    return BINDINGS_H.substitute(family=family, declarations="".join(one.format(b.name) for b in bindings) + types)


def results(bindings: list[Binding]) -> list[Result]:
    return list(dict.fromkeys(o.result for b in bindings for o in (*b.torch, *b.numpy) if o.result))


def bindings_cpp(family: str, bindings: list[Binding]) -> str:
    natives = [o.native for b in bindings for o in (*b.torch, *b.numpy)]
    headers = {f"aten/functions/{e.family}.h" for e in natives} | {f"aten/operator_tables/{e.family}.h" for e in natives if e.pointwise}
    headers |= {"aten/core/autocast.h" for e in natives if e.pointwise and "CPU" in e.autocast}
    later = {"csrc/overrides/operands.h" for b in bindings for o in b.numpy if o.operands_by_priority}
    return BINDINGS_CPP.substitute(family=family, includes=include_lines(headers), overrides=include_lines(later),
                                   bindings="\n".join(binding(b) for b in bindings))


def include_lines(headers: set[str]) -> str:
    return "".join(f'#include "{h}"\n' for h in sorted(headers))


def binding(b: Binding) -> str:
    slots: dict[str, None] = {}
    for o in [*b.torch, *b.numpy]:
        for a in o.native.schema.arguments:
            if any(p.slot == a.name for p in o.params):
                slots.setdefault(a.name)
    for o in [*b.torch, *b.numpy]:
        for p in o.params:
            slots.setdefault(p.slot)
    if not slots:
        slots["none"] = None
    instances = [f"template PyObject* THPVariable_{b.name}<{c}>(PyObject*, PyObject* const*, Py_ssize_t, PyObject*);\n"
                 for c, side in (("false", b.torch), ("true", b.numpy)) if side]
    comments = dict.fromkeys(f"// {o.entry.schema.text}\n" for o in [*b.torch, *b.numpy])
    return BINDING.substitute(
        comments="".join(comments), name=b.name, slots=", ".join(slot_identifier(s) for s in slots),
        slot_names=", ".join(f'"{s}"' for s in slots), parsers=indent(per_face(b, parser_of), "    "),
        direct=indent(per_face(b, direct_of), "  "), body=indent(body_of(b, len(slots)), "  "), instances="".join(instances))


def body_of(b: Binding, count: int) -> str:
    """The body of a binding. A binding with one of NumPy's names falls back to NumPy's function."""
    body = BODY.substitute(count=count, calls=per_face(b, calls_of))
    if not b.numpy or b.numpy[0].entry.name.startswith("_"):
        return body
    e = b.numpy[0].entry
    return OR_NUMPYS.substitute(path=f"{e.package}.{e.name}" if e.package else e.name, body=indent(body, "  "))


def per_face(b: Binding, text_of: Callable[[tuple[Overload, ...]], str]) -> str:
    torch, numpy = text_of(b.torch), text_of(b.numpy)
    if not b.numpy or not b.torch or torch == numpy:
        return torch if b.torch else numpy
    if not torch:
        return f"if constexpr (compat) {{\n{indent(numpy, '  ')}}}\n"
    if not numpy:
        return f"if constexpr (!compat) {{\n{indent(torch, '  ')}}}\n"
    return f"if constexpr (compat) {{\n{indent(numpy, '  ')}}} else {{\n{indent(torch, '  ')}}}\n"


def parser_of(overloads: tuple[Overload, ...]) -> str:
    tables, signatures = [], []
    for i, o in enumerate(overloads):
        name = ("numpy" if o.compat else "native") + (str(i) if len(overloads) > 1 else "")
        if o.params:
            tables.append(PARAMS.substitute(name=name, rows="".join(f"    {row(p)},\n" for p in o.params)))
        display = o.entry.name
        signatures.append(f'Signature("{display}", {name if o.params else "std::span<const Param>{}"}, slots)')
    return "".join(tables) + f"return Parser({{{', '.join(signatures)}}});\n"


def direct_of(overloads: tuple[Overload, ...]) -> str:
    """Code that tries the operator's loop directly if the operands of a pointwise operator are
    positional."""
    if not overloads:
        return ""
    first = overloads[0]
    operands = [a.name for a in first.native.schema.arguments]
    leading = first.params[:len(operands)]
    plain = (first.native.pointwise and len(first.native.schema.returns) == 1 and [p.slot for p in leading] == operands
             and all(p.kind in ("TensorOrNumber", "ArrayLike") or len(operands) == 1 for p in leading))
    if not plain:
        return ""
    gives_arrays = first.compat and first.entry.zero_dim == "array"  # a direct call returns scalars
    on = "!is_autocast_on()" if "CPU" in first.native.autocast and not first.inplace else ""
    function = "direct_call_inplace" if first.inplace else "direct_call_with_axes<compat>" if gives_arrays else "direct_call<compat>"
    call = f"{function}(pointwise_ops::{first.native.identifier}, self, args, nargs, kwnames)"
    return f"if (PyObject* done = {on + ' ? ' + call + ' : nullptr' if on else call}) return done;\n"


def row(p: Param) -> str:
    """A line of the parser's table: `{"axis", Kind::IntList, dim, kNullable, "None"}`."""
    fields = [f'"{p.name}"', f"Kind::{p.kind}", slot_identifier(p.slot)]
    fields.append(" | ".join(p.flags) if p.flags else "0")
    if p.default is not None:
        fields.append('"' + p.default.replace('"', '\\"') + '"')
    if p.aliases:
        fields.append("nullptr") if p.default is None else None
        fields.append("{" + ", ".join(f'"{a}"' for a in p.aliases) + "}")
    return "{" + ", ".join(fields) + "}"


def calls_of(overloads: tuple[Overload, ...]) -> str:
    lines = []
    for i, o in enumerate(overloads):
        last = i + 1 == len(overloads)
        named = f"named_result<compat>({o.result.identifier}, " if o.result else ""
        named += "with_warnings(" if o.native.warns and not o.compat else ""
        lines.append(CALL.substitute(prefix="" if last else f"if (overload == {i}) ", named=named, zero_dim=zero_dim(o), call=o.call,
                                     result_class=result_class(o), end=")" * named.count("(")))
    return "".join(lines)


def zero_dim(o: Overload) -> str:
    """The conversion of 0-d results (csrc/objects/variable.h): NumPy scalars, except for some
    operators."""
    if not o.compat or o.entry.zero_dim == "array" or not any(r.type.base == "Tensor" for r in o.native.schema.returns):
        return ""
    if o.entry.zero_dim == "as operand":
        return ", ZeroDim::ValueOfNumber"
    return f", ZeroDim::{'ValueOfAnyClass' if o.entry.subclass in ('arrays', 'never', 'priority') else 'Value'}"


def result_class(o: Overload) -> str:
    """The last argument of the generated call(): how the class of the result is chosen if an
    operand is of a subclass."""
    operand = o.main_operand
    returns = o.native.schema.returns
    out = [f".out = r.object({slot_identifier('out')})"] if any(p.slot == "out" for p in o.params) else []
    if not any(r.type.base == "Tensor" for r in returns):
        return ""
    if operand is None or o.entry.subclass == "never":
        return f", ResultClass{{{out[0]}}}" if out and (zero_dim(o) or not o.compat) else ""
    objects = ", ".join(f"r.object({slot_identifier(p.slot)})" for p in o.operands_by_priority or (operand,))
    fields = [f".operand = operand_of_priority({objects})" if o.operands_by_priority else f".operand = {objects}", *out]
    if o.entry.subclass in ("arrays", "priority"):
        fields.append(".scalars = false")
    result = f"ResultClass{{{', '.join(fields)}}}"
    subok = next((p for p in o.params if p.slot == "subok"), None)
    if subok:  # reading it may raise: call() does so inside its exception handler
        return f", [&] {{ return r.boolean(subok, {str(subok.default).lower()}) ? {result} : ResultClass{{}}; }}"
    return ", " + result

