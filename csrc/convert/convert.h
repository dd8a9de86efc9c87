// From Python objects to tensors, and dtypes both ways. Everything here needs the GIL and may run Python code.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <optional>

#include "aten/core/dtype.h"
#include "aten/core/tensor.h"

namespace tnp::python {

// np.asarray's conversion: our arrays as they are; Python numbers as wrapped numbers (0-d, weak in promotion); NumPy
// arrays and scalars, buffers, __array_interface__, DLPack, __array__ without a copy where the layout allows it; nested
// sequences by value. Throws PythonError: ValueError for ragged sequences ("inhomogeneous shape"), TypeError for objects
// and dtypes that no tensor holds, whatever `__array__` raised.
Tensor as_tensor(PyObject* object, bool numpy_face);
// np.array / torch_np.tensor: with a dtype, and a copy if asked for. `copy`: nullopt: only if needed; false: ValueError
// if one would be needed. min_dims: leading axes of size 1 are added.
Tensor as_tensor(PyObject* object, bool numpy_face, std::optional<ScalarType> dtype, std::optional<bool> copy, int min_dims = 0);
// Nested sequences and numbers only: dtype found by the face's rules (np: int64, float64, ...; torch: default dtype).
Tensor tensor_from_sequence(PyObject* object, bool numpy_face, std::optional<ScalarType> dtype);
bool scalar_from_number(PyObject* object, Scalar& value);  // false if it is no Python or NumPy number; may set an error

// NumPy's dtype object (also bfloat16 of ml_dtypes) and ours, both ways. Borrowed references from the first two.
PyObject* numpy_dtype(ScalarType t);                       // np.dtype('float32')
PyObject* torch_dtype(ScalarType t);                       // torch_np.float32, of type torch_np.dtype
std::optional<ScalarType> dtype_from_object(PyObject* o);  // anything np.dtype() takes, or torch_np.dtype; throws TypeError
std::optional<Device> device_from_object(PyObject* o);

// Zero-copy export.
PyObject* to_numpy(const Tensor& t);                       // numpy.ndarray over the same memory (CPU); raises for CUDA
PyObject* array_interface(const Tensor& t);                // __array_interface__ dict
PyObject* to_dlpack(PyObject* owner, const Tensor& t, PyObject* kwargs);
Tensor from_dlpack(PyObject* producer, std::optional<bool> copy);
int get_buffer(PyObject* self, Py_buffer* view, int flags);

}  // namespace tnp::python
