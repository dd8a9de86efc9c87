// Conversions from Python objects to tensors, and of dtypes in both directions. They need the GIL
// and may run Python code.
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

// np.asarray's conversion. Our arrays are returned unchanged. Python numbers become wrapped numbers
// (0-d, weak in promotion). NumPy arrays and scalars, buffers, __array_interface__, DLPack and
// __array__ share memory if the layout allows it. Nested sequences are copied. Throws PythonError:
// ValueError for ragged sequences ("inhomogeneous shape"), NotHeldError for objects and dtypes that
// no tensor holds (np: including foreign byte orders), and any exception of `__array__`.
Tensor as_tensor(PyObject* object, bool numpy_face);
// The conversion of np.array and torch_np.tensor, with a dtype and a copy mode. `copy`: true always
// copies, nullopt copies only if needed, and false raises ValueError if a copy is needed. Leading
// axes of size 1 are added until the result has `min_dims` axes.
Tensor as_tensor(PyObject* object, bool numpy_face, std::optional<ScalarType> dtype, std::optional<bool> copy,
                 int min_dims = 0);
// Same as as_tensor() for nested sequences and numbers only. The face's rules determine the dtype
// (np: int64, float64, ...; torch: default dtype).
Tensor tensor_from_sequence(PyObject* object, bool numpy_face, std::optional<ScalarType> dtype);
// Treatment of memory with a foreign byte order, which the engine cannot use directly.
enum class Foreign : uint8_t {
  Copy,  // copies it in native byte order
  // raises NotHeldError for a foreign byte order, since NumPy treats this as a different dtype;
  // copies in all other cases
  SameDtype,
  View  // raises NotHeldError
};
// NumPy arrays and scalars, buffers, __array_interface__, DLPack, __array__; undefined if `o` is
// none of these.
Tensor from_foreign(PyObject* o, Foreign how = Foreign::Copy);
// The Python object that owns the memory of `t` (NumPy's `base`). Null if torch_np allocated the
// memory.
Ref owner_of_memory(const Tensor& t);
inline bool is_python_number(PyObject* o) {
  return PyFloat_CheckExact(o) || PyLong_CheckExact(o) || PyBool_Check(o) || PyComplex_CheckExact(o);
}
inline bool is_numpy_array(PyObject* o) { return PyObject_TypeCheck(o, numpy_api().ndarray_type); }
inline bool is_numpy_scalar(PyObject* o) { return PyObject_TypeCheck(o, numpy_api().generic_type); }
// `t` cast to another dtype; autograd records the cast if `t` is tracked.
Tensor cast_tensor(const Tensor& t, ScalarType dtype);
// Stores the number that `o` (str, None, Decimal, ...) represents in an array of `dtype`, converted
// by float(o) or int(o).
void store_number(PyObject* o, ScalarType dtype, char* at);
// Stores `number`, cast to `dtype`, at an address of any alignment, and records the cast's
// floating-point errors.
void store_scalar(const Scalar& number, ScalarType dtype, char* at);
int sign_of_huge(PyObject* o);  // +1 or -1 for a Python integer beyond uint64 and int64, otherwise 0
// returns false, possibly with an exception set, if `object` is not a Python or NumPy number
bool scalar_from_number(PyObject* object, Scalar& value);

// Zero-copy export. Raises Runtime for a tensor on a GPU, and for a tensor that requires grad
// unless `detach` is set (for printing).
PyObject* to_numpy(const Tensor& t, bool detach = false);  // numpy.ndarray over the same memory
PyObject* array_method(PyObject* self, PyObject* const* args, Py_ssize_t nargs,
                       PyObject* kwnames);        // __array__(dtype=None, *, copy=None)
PyObject* array_interface(const Tensor& t);       // __array_interface__ dict
PyObject* cuda_array_interface(const Tensor& t);  // __cuda_array_interface__ dict; raises AttributeError for CPU arrays
// __dlpack__(*, stream=None, max_version=None, dl_device=None, copy=None) and __dlpack_device__()
PyObject* dlpack_method(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames);
PyObject* dlpack_device(const Tensor& t);
Tensor from_dlpack(PyObject* producer, std::optional<bool> copy);
// Slots bf_getbuffer and bf_releasebuffer of both types.
int get_buffer(PyObject* self, Py_buffer* view, int flags);
void release_buffer(PyObject* self, Py_buffer* view);

}  // namespace tnp::python
