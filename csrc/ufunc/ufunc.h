// torch_np.numpy.ufunc: one object per row of the generated table `ufuncs`, and per generalized ufunc.
#pragma once

#include <array>
#include <optional>

#include "csrc/args/call.h"
#include "csrc/functions/function.h"
#include "csrc/functions/lookup.h"
#include "csrc/objects/methods.h"
#include "csrc/objects/variable.h"

namespace tnp::python {

struct THPUfunc {
  Function function;
  const UfuncRow* row;
};
inline const UfuncRow& row_of(PyObject* o) { return *reinterpret_cast<THPUfunc*>(o)->row; }

PyTypeObject* ufunc_type_object();
bool init_ufunc_type(PyObject* module);
// The call of the ufunc object of a row, with `__array_ufunc__` of foreign operands honoured.
PyObject* call_ufunc(const UfuncRow& row, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames);

// Calls `method` ("__call__", "reduce", ...) of the first operand or out= that overrides ufuncs, and returns true with
// its result (null: an exception, also if all such operands declined). False: nobody overrides.
bool call_override(PyObject* ufunc, const char* method, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames,
                   PyObject** result);
// The same for operands that are no arrays, but give results a class by `__array_wrap__`.
bool call_wrapping(PyObject* ufunc, const char* method, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames,
                   PyObject** result);
// out=...: what a call gives, with 0-d arrays in place of scalars (takes over the reference; null stays null). By
// position an ellipsis is a TypeError.
PyObject* as_arrays(PyObject* result);
bool check_no_ellipsis(PyObject* const* args, Py_ssize_t n);
// The same for a tuple given as out=; anything else passes.
bool check_no_ellipsis_in(PyObject* out);
// The out argument of a call, by position or by name; or null.
PyObject* out_of(const UfuncRow& row, PyObject* const* args, Py_ssize_t n, PyObject* kwnames);

extern PyMethodDef ufunc_methods[];  // reduce, accumulate, outer, at, reduceat: methods.cpp

// After a call that failed with OverflowError: the call again, with what stands for Python integers outside of 64 bits,
// if that is why; else null and the exception as it is. huge_integers.cpp
TNP_COLD PyObject* retry_with_huge_integers(const UfuncRow& row, PyObject* const* args, Py_ssize_t nargs,
                                            PyObject* kwnames);

// --- loops.cpp: the loops of a ufunc as callers see them

using LoopDtypes = std::array<ScalarType, 4>;                  // of the operands, then of the results
using LoopRequest = std::array<std::optional<ScalarType>, 4>;  // the same, as far as a caller asks for them

// NumPy's order: bool, integers by size and signed ones first, floats, complex numbers; then what NumPy lacks.
std::vector<LoopDtypes> loops_of(const UfuncRow& row);
// signature=: 'dd->d', or a tuple of dtypes and None. Nothing asked for: an empty request.
LoopRequest read_loop_request(const UfuncRow& row, PyObject* signature);
// The first loop that answers the request and takes the operands for which it asks nothing; Dtype if there is none.
LoopDtypes find_requested_loop(const UfuncRow& row, const LoopRequest& request, TensorList operands);
// Calls the binding, which knows nothing of signature=, sig= and subok=. `subok` is set to the last one.
PyObject* call_with_signature(const UfuncRow& row, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames,
                              bool* subok);

// The vectorcall of generalized ufuncs. gufunc.cpp
PyObject* call_generalized(PyObject* self, PyObject* const* args, size_t nargsf, PyObject* kwnames);

}  // namespace tnp::python
