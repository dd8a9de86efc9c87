// NumPy objects that csrc needs: types and dtypes (for type checks and conversion) and exceptions
// (to raise them). They are looked up once, when the module is created. No NumPy function is used
// for computations.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "aten/core/numbers/dtype.h"

namespace tnp::python {

struct NumpyApi {
  PyObject* module = nullptr;
  PyTypeObject* ndarray_type = nullptr;
  PyTypeObject* generic_type = nullptr;  // base of NumPy's scalars
  PyTypeObject* bool_type = nullptr;     // numpy.bool
  PyTypeObject* dtype_type = nullptr;
  PyTypeObject* ufunc_type = nullptr;
  PyTypeObject* copy_mode_type = nullptr;  // numpy._CopyMode
  PyObject* no_value = nullptr;            // numpy._NoValue
  PyObject* asarray = nullptr;
  PyObject* dtypes[kNumScalarTypes] = {};       // np.dtype(...) by ScalarType; bfloat16 of ml_dtypes
  PyTypeObject* scalars[kNumScalarTypes] = {};  // np.float32, ...
  PyObject* axis_error = nullptr;
  PyObject* ufunc_type_error = nullptr;
  PyObject* linalg_error = nullptr;
  // PyUFunc_GiveFloatingpointErrors(name of the ufunc, errors): returns -1 if an exception is set.
  int (*give_floating_point_errors)(const char* name, int errors) = nullptr;
};

const NumpyApi& numpy_api();
bool init_numpy_api();  // returns false with a Python exception set on failure

}  // namespace tnp::python
