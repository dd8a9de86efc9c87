// Note [Fallback] NumPy handles data that the engine cannot hold: text, objects, records, dates,
// foreign byte orders ... When argument conversion meets such data, it raises NotHeldError
// (csrc/objects/not_held.h). The outermost call of the NumPy face then catches it and calls NumPy's
// function of the same name. It passes our arrays as NumPy views of the same memory, and converts
// NumPy arrays in the result to ours where the engine has their dtype:
// torch_np/numpy/_interop/not_held.py.
//
// The check runs only after a call has failed, or where a look at an argument tells the outcome
// beforehand: csrc/convert/held.h, plain_call.h. Calls within a composite operator (Within) do not
// fall back. The composite falls back as a whole, so that it never receives a NumPy array.
#pragma once

#include <utility>

#include "csrc/objects/not_held.h"

namespace tnp::python {

// Called after a failure: returns NumPy's result if NotHeldError is set and this is the outermost
// call. Otherwise returns null and leaves the exception set. `name`: the function's name, for
// example "linalg.norm" or "add.reduce". For methods, which have a `self`, only the last component
// is used.
TNP_COLD PyObject* fall_back(const char* name, PyObject* self, PyObject* const* args, Py_ssize_t nargs,
                             PyObject* kwnames);
// Same as the other fall_back(), for positional arguments in a tuple and keyword arguments in a
// dict. The dict may be null.
TNP_COLD PyObject* fall_back(const char* name, PyObject* self, PyObject* args, PyObject* kwargs);

// Runs `body`, which makes the call. If it fails, tries fall_back().
template <bool compat, class F>
__attribute__((always_inline)) inline PyObject* or_numpys(const char* name, PyObject* self, PyObject* const* args,
                                                          Py_ssize_t nargs, PyObject* kwnames, F&& body) {
  PyObject* result = std::forward<F>(body)();
  if (!compat || TNP_LIKELY(result)) return result;
  return fall_back(name, self, args, nargs, kwnames);
}

}  // namespace tnp::python
