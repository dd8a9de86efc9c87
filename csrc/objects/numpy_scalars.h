// NumPy's scalars, made of the bytes of one element and read as such: what elements and full reductions of arrays are
// to torch_np.numpy, and what comes back as operands.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <atomic>

#include "aten/core/numbers/dtype.h"
#include "csrc/objects/numpy_api.h"

namespace tnp::python {

// A new numpy.float64 and its like (of bfloat16, ml_dtypes'), of the element at `element`.
PyObject* numpy_scalar(ScalarType dtype, const void* element);

// Whether what NumPy gives as a scalar is a 0-d array in this process: np._set_scalars(). Libraries that ask the
// classes of all values of a computation for one namespace count NumPy's scalars as NumPy's.
inline std::atomic<bool> scalars_are_arrays{false};

// Where the value of a scalar of exactly one of NumPy's types lies, and its dtype; null for all other objects.
const void* scalar_value(PyObject* o, ScalarType& dtype);

// Learns where scalars keep their values. False: a Python exception is set. After init_numpy_api().
bool init_numpy_scalars();

}  // namespace tnp::python
