// Whether an operator of ours computes with a foreign operand, or leaves the expression to that operand.
#pragma once

#include "csrc/objects/variable.h"

namespace tnp::python {

// `self` is ours, `other` is not. np: NumPy's rule (NEP 13): `__array_ufunc__ = None`, or a higher __array_priority__
// without __array_ufunc__, means that it wants to compute itself; objects that are no array at all are NumPy's to
// compute with (Note [Fallback]), and are left alone if that is forbidden. torch: numbers only. False without an
// exception: NotImplemented.
template <bool compat>
bool takes_operand(PyObject* self, PyObject* other);

// `a operator b` of the NumPy face, where one of the two is foreign and computes itself: what its method gives for our
// array, or, if it knows NumPy's arrays alone (SciPy's sparse matrices), for a view of it. NotImplemented if it
// declines both. `dunder`: "__add__".
PyObject* leave_to_operand(const char* dunder, PyObject* a, PyObject* b);

// `__array_priority__`; that of NumPy's scalars if there is none.
double array_priority(PyObject* o);
// The operand whose class NumPy's products in C (dot, inner) give their result: the one with the higher
// `__array_priority__`; of equals the first, but an array before a number. What is of no subclass of ours has priority
// 0. Borrowed; null: it is of no subclass.
PyObject* operand_of_priority(PyObject* a, PyObject* b);
// `result`, whatever its class, as an array of the class of `operand`; takes over the reference.
PyObject* in_class_of(PyObject* operand, PyObject* result);
// Whether `o`, which is no array, gives results of ufuncs a class by `__array_wrap__`.
bool wraps_results(PyObject* o);
// Whether the class of `o` has `__array_ufunc__ = None`.
bool opts_out_of_ufuncs(PyObject* o);
// Whether `o` is of a class with an __array_ufunc__ of its own (neither NumPy's nor ours).
bool overrides_ufuncs(PyObject* o);

}  // namespace tnp::python
