// Functions of torch_np's Python modules that C++ calls.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "aten/core/macros.h"
#include "csrc/objects/python_error.h"

namespace tnp::python {

// The function `name` of `module`, imported at the first call and kept in `kept`, a static variable of
// the caller. Borrowed; null with an exception set on failure. Not a static initialiser: another
// thread would wait at its guard while holding the GIL, but the import releases the GIL and must
// reacquire it.
inline PyObject* imported(PyObject*& kept, const char* module, const char* name) {
  if (TNP_UNLIKELY(!kept)) {
    Ref from(PyImport_ImportModule(module));
    Ref found(from ? PyObject_GetAttrString(from.get(), name) : nullptr);
    if (!kept) kept = found.release();
  }
  return kept;
}

}  // namespace tnp::python
