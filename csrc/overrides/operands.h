// Decides whether our operator handles a foreign operand, or leaves the expression to that
// operand's method.
#pragma once

#include "csrc/objects/variable.h"

namespace tnp::python {

// `self` is ours, `other` is foreign. np follows NumPy's rule (NEP 13): `__array_ufunc__ = None`,
// or a higher __array_priority__ without __array_ufunc__, means that the foreign operand handles
// the expression. NumPy handles objects that are not array-like (Note [Fallback]). If fallback is
// disabled, the function returns false for such objects. torch accepts numbers only. If the result
// is false and no exception is set, the caller must return NotImplemented.
template <bool compat>
bool takes_operand(PyObject* self, PyObject* other);

// `a operator b` of the NumPy face, if one operand is foreign and handles the expression. Calls its
// method with our array. If the method only knows NumPy arrays (SciPy's sparse matrices), calls it
// with a NumPy view. Returns NotImplemented if the method declines both. `dunder`: "__add__".
PyObject* leave_to_operand(const char* dunder, PyObject* a, PyObject* b);

// `__array_priority__`, or the priority of NumPy's scalars if there is none.
double array_priority(PyObject* o);
// The operand whose class NumPy's products in C (dot, inner) give to their result: the one with the
// higher `__array_priority__`. If the priorities are equal, the first operand decides, but an array
// takes precedence over a number. Operands that are not of a subclass have priority 0. Returns a
// borrowed reference, or null if no operand is of a subclass.
PyObject* operand_of_priority(PyObject* a, PyObject* b);
// Converts `result`, of any class, to an array of the class of `operand`; takes over the reference.
PyObject* in_class_of(PyObject* operand, PyObject* result);
// Whether `o`, which is not an array, defines the class of ufunc results by `__array_wrap__`.
bool wraps_results(PyObject* o);
// Whether the class of `o` has `__array_ufunc__ = None`.
bool opts_out_of_ufuncs(PyObject* o);
// Whether the class of `o` has its own __array_ufunc__ (neither NumPy's nor ours).
bool overrides_ufuncs(PyObject* o);

}  // namespace tnp::python
