// Note [Fallback] What the engine does not hold, NumPy holds. A conversion of arguments that meets text, objects,
// records, dates, other byte orders ... raises NotHeldError (csrc/objects/not_held.h). The outermost call of the NumPy
// face that it leaves is made again by NumPy's function of the same name, our arrays among its arguments as NumPy's
// over the same memory, and NumPy's among its results as ours where the engine holds them:
// torch_np/numpy/_interop/not_held.py.
//
// Nothing is asked before a call has failed. Within a composition (Within) no call falls back: the composition does, as
// a whole, so that it never meets an array that is not ours.
#pragma once

#include <utility>

#include "csrc/objects/not_held.h"

namespace tnp::python {

// After a call that failed: NumPy's answer if NotHeldError is set and this is the outermost call; else null, and the
// exception as it is. `name`: "linalg.norm", "add.reduce"; of methods, which have a `self`, the last part counts.
TNP_COLD PyObject* fall_back(const char* name, PyObject* self, PyObject* const* args, Py_ssize_t nargs,
                             PyObject* kwnames);
// The same for a call with a tuple and a dict, which may be null.
TNP_COLD PyObject* fall_back(const char* name, PyObject* self, PyObject* args, PyObject* kwargs);

// `body` makes the call.
template <bool compat, class F>
__attribute__((always_inline)) inline PyObject* or_numpys(const char* name, PyObject* self, PyObject* const* args,
                                                          Py_ssize_t nargs, PyObject* kwnames, F&& body) {
  PyObject* result = std::forward<F>(body)();
  if (!compat || TNP_LIKELY(result)) return result;
  return fall_back(name, self, args, nargs, kwnames);
}

}  // namespace tnp::python
