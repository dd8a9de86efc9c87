// The few Python objects of NumPy that csrc needs: its types (to recognise them), its exceptions (to raise them).
// Looked up once, when the module is made. Nothing here computes.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

namespace tnp::python {

struct NumpyApi {
  PyObject* module = nullptr;
  PyTypeObject* ndarray_type = nullptr;
  PyTypeObject* generic_type = nullptr;  // base of NumPy's scalars
  PyTypeObject* bool_type = nullptr;     // numpy.bool
  PyTypeObject* ufunc_type = nullptr;
  PyTypeObject* copy_mode_type = nullptr;  // numpy._CopyMode
  PyObject* no_value = nullptr;            // numpy._NoValue
  PyObject* axis_error = nullptr;
  PyObject* ufunc_type_error = nullptr;
  PyObject* linalg_error = nullptr;
};

const NumpyApi& numpy_api();
bool init_numpy_api();  // false: a Python exception is set

}  // namespace tnp::python
