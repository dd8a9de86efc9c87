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

// Whether `o` is of a class with an __array_ufunc__ of its own (neither NumPy's nor ours).
bool overrides_ufuncs(PyObject* o);

}  // namespace tnp::python
