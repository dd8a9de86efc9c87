"""Derives `Shapes:` and `Errors:` of pointwise operators from promotion and loops.

These fields describe the errors of aten/core/numbers/promotion_rules.cpp and
aten/dispatch/pointwise.cpp, as exceptions of the face (aten/core/errors/error.h). Errors that all
operators share are left out: operands on several devices, and `out`, `where`, `casting` and
`dtype`.
"""

from __future__ import annotations

import re

from tools.codegen.signatures import Overload

KINDS = BOOLS, INTEGERS, FLOATS, COMPLEX = ("bools", "integers", "floats", "complex numbers")  # in the order of promotion
LOOPS = {  # the kinds in the type lists of aten/core/numbers/dtype.h
    "BoolType": {BOOLS}, "IntegralTypes": {BOOLS, INTEGERS}, "IntegerTypes": {INTEGERS}, "IntegerFloatTypes": {INTEGERS, FLOATS},
    "FloatTypes": {FLOATS}, "FloatingTypes": {FLOATS}, "InexactTypes": {FLOATS, COMPLEX}, "ComplexTypes": {COMPLEX},
    "DoubleTypes": {FLOATS, COMPLEX}, "RealComputeTypes": {BOOLS, INTEGERS, FLOATS}, "NumericTypes": {INTEGERS, FLOATS, COMPLEX},
    "WideTypes": {INTEGERS, FLOATS, COMPLEX}, "ComputeTypes": {BOOLS, INTEGERS, FLOATS, COMPLEX},
}
# Promotion rules: the kinds that each refuses or converts.
REFUSED = {"ArithmeticNoBool": {BOOLS}, "FloatingReal": {COMPLEX}, "Rounding": {COMPLEX}, "Real": {COMPLEX},
           "Bitwise": {FLOATS, COMPLEX}, "BitCount": {FLOATS, COMPLEX}, "Shift": {FLOATS, COMPLEX}, "Integer": {BOOLS, FLOATS, COMPLEX}}
TO_FLOATS = ("Floating", "FloatingReal", "TrueDivide", "FloatPower")
BOOLS_TO_INTEGERS = ("Numeric", "BitCount")
TO_BOOLS = ("Comparison", "Logical", "Predicate")


def shapes(o: Overload) -> str:
    first, *rest = operands(o)
    results = "both results have" if len(o.native.schema.returns) > 1 else "the result has"
    if not rest:
        return f"{results} the shape of {first}."
    if o.inplace:
        return f"{listed(rest)} {'broadcasts' if len(rest) == 1 else 'broadcast'} to the shape of {first}."
    return f"{results} the broadcast shape of {listed([first, *rest])}."


def errors(o: Overload) -> str:
    """The text of `Errors:`; '' if only the entry can know them: value checks, and operands with
    individual dtypes."""
    if o.native.check or o.native.promotion == "LoadExponent":
        return ""
    misfit, no_loop = ("ValueError", "TypeError") if o.compat else ("RuntimeError", "NotImplementedError")
    raised = {misfit: misfits(o), no_loop: without_loop(o), "OverflowError": out_of_bounds(o)}
    text = "; ".join(f"{name} {enumerated(clauses)}" for name, clauses in raised.items() if clauses)
    return f"{text or 'only those that all operators share'}."


def misfits(o: Overload) -> list[str]:
    """The errors of shapes that do not broadcast; on PyTorch's face also incompatible dtypes, and
    results that do not fit into `input`."""
    (first, *rest), promotion, clauses = operands(o), o.native.promotion, []
    if rest:
        clauses.append(f"if {listed(rest, 'or')} does not broadcast to the shape of {first}" if o.inplace else
                       f"if the shapes of {listed([first, *rest])} do not broadcast")
    if o.inplace and promotion not in TO_BOOLS and (rest or promotion in TO_FLOATS + BOOLS_TO_INTEGERS):
        clauses.append(f"if the result's dtype cannot be cast to the dtype of {first}")
    if rest and not o.compat and promotion not in ("Logical", "FloatPower") and INTEGERS not in refused(o):
        but = " (uint64 with a signed one is allowed)" if promotion == "Comparison" else ""
        clauses.append(f"if uint16, uint32 or uint64 is combined with another integer dtype{but}")
    return clauses


def without_loop(o: Overload) -> list[str]:
    kinds, several = refused(o), len(operands(o)) > 1
    # A kind below those with loops is promoted to one of them if another operand has it. PyTorch's
    # rules do not promote the bools of ArithmeticNoBool.
    least = min(KINDS.index(k) for k in KINDS if k not in kinds)
    low = [k for k in kinds if several and KINDS.index(k) < least and (o.compat or o.native.promotion != "ArithmeticNoBool")]
    high = [k for k in kinds if k not in low]
    clauses = [f"for {listed(high)}"] if high else []
    if several and o.compat and FLOATS in kinds and INTEGERS not in kinds:  # NumPy promotes integers to float64
        clauses.append("if uint64 is combined with a signed dtype")
    return [*clauses, f"if all operands are {listed(low, 'or')}"] if low else clauses


def out_of_bounds(o: Overload) -> list[str]:
    """The error of a Python integer that the arrays' dtype cannot hold (NEP 50 converts it to that
    dtype)."""
    takes_it = o.native.promotion not in (*TO_FLOATS, *TO_BOOLS, "BitCount") and INTEGERS not in refused(o)
    return ["if a Python integer does not fit into the common dtype"] if o.compat and takes_it and len(operands(o)) > 1 else []


def refused(o: Overload) -> list[str]:
    """The kinds of dtypes that have no loop if all operands are of that kind."""
    promotion = o.native.promotion
    loops = set().union(*(LOOPS[name] for name in re.findall(r"\w+Types?", o.native.dtypes)))

    def is_refused(kind: str) -> bool:
        if kind in REFUSED.get(promotion, ()) or (promotion == "Sign" and o.compat and kind == BOOLS):
            return True
        if promotion in TO_FLOATS and kind in (BOOLS, INTEGERS):
            return FLOATS not in loops
        if promotion == "Logical":
            return not loops & {kind, BOOLS}
        if kind == BOOLS and (o.compat or promotion in BOOLS_TO_INTEGERS):  # NumPy casts bools to int8, whose loop is the first
            return not loops & {BOOLS, INTEGERS}
        return kind not in loops

    return [k for k in KINDS if is_refused(k)]


def operands(o: Overload) -> list[str]:
    """The operands in backticks, with the face's names."""
    names = o.native_names()
    return [f"`{names[a.name]}`" for a in o.native.schema.arguments]


def listed(words: list[str], last: str = "and") -> str:
    return f"{', '.join(words[:-1])} {last} {words[-1]}" if len(words) > 1 else words[0]


def enumerated(clauses: list[str]) -> str:
    return f"{', '.join(clauses[:-1])}, or {clauses[-1]}" if len(clauses) > 1 else clauses[0]
