// Creates NumPy scalars from the bytes of one element, and reads them. torch_np.numpy returns them
// for elements and full reductions, and accepts them as operands.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <atomic>

#include "aten/core/numbers/dtype.h"
#include "csrc/objects/numpy_api.h"

namespace tnp::python {

// A new NumPy scalar, such as a numpy.float64, with the value at `element`. For bfloat16 the class
// is that of ml_dtypes.
PyObject* numpy_scalar(ScalarType dtype, const void* element);

// Whether this process returns 0-d arrays where NumPy returns scalars: np._set_scalars(). This
// helps libraries that infer the array namespace from the classes of their arguments: they would
// take a NumPy scalar for an array of NumPy.
inline std::atomic<bool> scalars_are_arrays{false};

// The address of the value in an object that has exactly one of NumPy's scalar types, and its
// dtype; null for other objects.
const void* scalar_value(PyObject* o, ScalarType& dtype);

// Finds the offset of the value in NumPy's scalar objects. Call after init_numpy_api(). Returns
// false with a Python exception set on failure.
bool init_numpy_scalars();

}  // namespace tnp::python
