// Calls of NumPy's functions whose arguments NumPy takes as they are: text, numbers, NumPy's arrays,
// and our arrays as views of their memory. Other calls take the general way of
// torch_np/numpy/_interop/exchange.py, which has the same results: Note [Fallback].
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <string_view>

namespace tnp::python {

// The result of `function`, with arrays of dtypes that the engine has as ours. `called` says whether
// the function was called; otherwise the result is null without an exception.
PyObject* call_plainly(PyObject* function, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames, bool* called);
// Same as the other call_plainly(), for a tuple and a dict.
PyObject* call_plainly(PyObject* function, PyObject* args, PyObject* kwargs, bool* called);

// Same as call_plainly(), for NumPy's function with this path below `numpy`. It is not called if there is
// none, if it writes to an array of ours, or if it draws random numbers, which would be others.
PyObject* call_numpys(std::string_view path, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames, bool* called);

}  // namespace tnp::python
