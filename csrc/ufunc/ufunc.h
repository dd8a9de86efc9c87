// torch_np.numpy.ufunc: one object per row of the generated table `ufuncs`, including generalized
// ufuncs.
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
// Calls a row's ufunc and honours `__array_ufunc__` of foreign operands.
PyObject* call_ufunc(const UfuncRow& row, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames);

// Dispatches `method` ("__call__", "reduce", ...) to the first operand or out= that overrides
// ufuncs. Returns false if no operand overrides ufuncs. Otherwise returns true and stores the
// result in `*result`. A null result means that an exception is set; this is also the case if all
// overrides decline.
bool call_override(PyObject* ufunc, const char* method, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames,
                   PyObject** result);
// Same as call_override(), for operands that are not arrays but define the class of results by
// `__array_wrap__`.
bool call_wrapping(PyObject* ufunc, const char* method, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames,
                   PyObject** result);
// Implements out=...: converts scalars in a result to 0-d arrays (takes over the reference; null
// stays null). A positional ellipsis is an error.
PyObject* as_arrays(PyObject* result);
bool check_no_ellipsis(PyObject* const* args, Py_ssize_t n);
// Same as check_no_ellipsis() for the items of a tuple given as out=. Accepts any value that is not
// a tuple.
bool check_no_ellipsis_in(PyObject* out);
// The out argument of a call, given by position or by keyword. Null if it is not given.
PyObject* out_of(const UfuncRow& row, PyObject* const* args, Py_ssize_t n, PyObject* kwnames);

extern PyMethodDef ufunc_methods[];  // reduce, accumulate, outer, at, reduceat: methods.cpp

// After a call that failed with OverflowError: repeats the call with replacements for Python
// integers beyond 64 bits, if these are the cause. Otherwise returns null and keeps the exception.
// huge_integers.cpp
TNP_COLD PyObject* retry_with_huge_integers(const UfuncRow& row, PyObject* const* args, Py_ssize_t nargs,
                                            PyObject* kwnames);

// --- loops.cpp: the loops of a ufunc as Python sees them

using LoopDtypes = std::array<ScalarType, 4>;                  // of the operands, then of the results
using LoopRequest = std::array<std::optional<ScalarType>, 4>;  // nullopt where the caller requests none

// All loops in NumPy's order: bool, integers by size with signed before unsigned, floats, complex
// numbers; then dtypes that NumPy lacks.
std::vector<LoopDtypes> loops_of(const UfuncRow& row);
// Parses signature=: 'dd->d', or a tuple of dtypes and None. Without requested dtypes, returns an
// empty request.
LoopRequest read_loop_request(const UfuncRow& row, PyObject* signature);
// The first loop that matches the request and accepts the other operands; raises Dtype if there is
// none.
LoopDtypes find_requested_loop(const UfuncRow& row, const LoopRequest& request, TensorList operands);
// Calls the binding, which does not know signature=, sig= and subok=. `subok` is set to the
// latter's value.
PyObject* call_with_signature(const UfuncRow& row, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames,
                              bool* subok);

// The vectorcall of generalized ufuncs. gufunc.cpp
PyObject* call_generalized(PyObject* self, PyObject* const* args, size_t nargsf, PyObject* kwnames);

}  // namespace tnp::python
