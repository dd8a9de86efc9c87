// From Python objects to tensors, and dtypes both ways. Everything here needs the GIL and may run Python code.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <optional>

#include "aten/core/numbers/dtype.h"
#include "aten/core/tensor.h"
#include "csrc/objects/dtypes.h"
#include "csrc/objects/numpy_api.h"
#include "csrc/objects/python_error.h"

namespace tnp::python {

// np.asarray's conversion: our arrays as they are; Python numbers as wrapped numbers (0-d, weak in promotion); NumPy
// arrays and scalars, buffers, __array_interface__, DLPack, __array__ without a copy where the layout allows it; nested
// sequences by value. Throws PythonError: ValueError for ragged sequences ("inhomogeneous shape"), NotHeldError for
// objects and dtypes that no tensor holds (np: other byte orders among them), whatever `__array__` raised.
Tensor as_tensor(PyObject* object, bool numpy_face);
// np.array / torch_np.tensor: with a dtype, and a copy if asked for. `copy`: nullopt: only if needed; false: ValueError
// if one would be needed. min_dims: leading axes of size 1 are added.
Tensor as_tensor(PyObject* object, bool numpy_face, std::optional<ScalarType> dtype, std::optional<bool> copy,
                 int min_dims = 0);
// Nested sequences and numbers only: dtype found by the face's rules (np: int64, float64, ...; torch: default dtype).
Tensor tensor_from_sequence(PyObject* object, bool numpy_face, std::optional<ScalarType> dtype);
// What becomes of memory that the engine cannot work with as it is: elements in another byte order.
enum class Foreign : uint8_t {
  Copy,       // a copy of it, in our byte order
  SameDtype,  // NotHeldError for another byte order, which is another dtype; else a copy
  View        // NotHeldError
};
// NumPy arrays and scalars, buffers, __array_interface__, DLPack, __array__; undefined if `o` is none of these.
Tensor from_foreign(PyObject* o, Foreign how = Foreign::Copy);
// The Python object whose memory it is, as NumPy's `base` names it; null for memory of ours.
Ref owner_of_memory(const Tensor& t);
inline bool is_numpy_array(PyObject* o) { return PyObject_TypeCheck(o, numpy_api().ndarray_type); }
inline bool is_numpy_scalar(PyObject* o) { return PyObject_TypeCheck(o, numpy_api().generic_type); }
// `t` in another dtype, on the tape if it is tracked.
Tensor cast_tensor(const Tensor& t, ScalarType dtype);
// The number that `o` (str, None, Decimal, ...) stands for in an array of `dtype`, as float(o) or int(o) give it.
void store_number(PyObject* o, ScalarType dtype, char* at);
// `number` cast to `dtype` at any address, with the floating-point errors of that.
void store_scalar(const Scalar& number, ScalarType dtype, char* at);
int sign_of_huge(PyObject* o);  // +1 or -1 of a Python integer beyond uint64 and int64, else 0
bool scalar_from_number(PyObject* object, Scalar& value);  // false if it is no Python or NumPy number; may set an error

// Zero-copy export. Raises Runtime for a tensor that requires grad, unless `detach` (printing), and for CUDA.
PyObject* to_numpy(const Tensor& t, bool detach = false);  // numpy.ndarray over the same memory
PyObject* array_method(PyObject* self, PyObject* const* args, Py_ssize_t nargs,
                       PyObject* kwnames);        // __array__(dtype=None, *, copy=None)
PyObject* array_interface(const Tensor& t);       // __array_interface__ dict
PyObject* cuda_array_interface(const Tensor& t);  // __cuda_array_interface__ dict; AttributeError on the CPU
// __dlpack__(*, stream=None, max_version=None, dl_device=None, copy=None) and __dlpack_device__()
PyObject* dlpack_method(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames);
PyObject* dlpack_device(const Tensor& t);
Tensor from_dlpack(PyObject* producer, std::optional<bool> copy);
// Slots bf_getbuffer and bf_releasebuffer of both types.
int get_buffer(PyObject* self, Py_buffer* view, int flags);
void release_buffer(PyObject* self, Py_buffer* view);

}  // namespace tnp::python
