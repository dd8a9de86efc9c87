// NumPy's arrays and their dtypes, read without a call.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

namespace tnp::python {

// The first fields of NumPy's PyArrayObject.
struct ArrayFields {
  PyObject_HEAD char* data;
  int num_axes;
  Py_ssize_t *sizes, *strides;  // in bytes
  PyObject *base, *dtype;
  int flags;
  bool writeable() const;
};

// The fields of a NumPy array; null if this version of NumPy has others.
const ArrayFields* fields_of_array(PyObject* array);
// The dtype of a NumPy array (borrowed, valid as long as the array keeps it). Null with an
// exception set on failure.
PyObject* dtype_of_array(PyObject* array);
// Whether the engine certainly has no such dtype: text, objects, dates, records, long doubles, foreign
// byte orders.
bool is_foreign_dtype(PyObject* dtype);

// Tests the layout of NumPy's objects. Call after init_numpy_api(). Returns false with a Python
// exception set on failure.
bool init_numpys_arrays();

}  // namespace tnp::python
