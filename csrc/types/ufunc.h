// torch_np.numpy.ufunc: one object per row of the generated table `ufuncs`.
#pragma once

#include "csrc/types/common.h"

namespace tnp::python {

struct THPUfunc {
  PyObject_HEAD
  vectorcallfunc vectorcall;
  const UfuncRow* row;
};
inline const UfuncRow& row_of(PyObject* o) { return *reinterpret_cast<THPUfunc*>(o)->row; }

// Calls `method` ("__call__", "reduce", ...) of the first operand or out= that overrides ufuncs, and returns true with
// its result (null: an exception, also if all such operands declined). False: nobody overrides.
bool call_override(PyObject* ufunc, const char* method, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames, PyObject** result);

extern PyMethodDef ufunc_methods[];  // reduce, accumulate, outer, at, reduceat: ufunc_methods.cpp

}  // namespace tnp::python
