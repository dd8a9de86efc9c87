// What the files of csrc/convert share. Nobody else includes this.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>

#include "csrc/convert/convert.h"
#include "csrc/python_error.h"

namespace tnp::python {

// The NumPy names that conversions need; looked up at the first use. Throws PythonError.
struct NumpyNames {
  PyTypeObject* ndarray;
  PyTypeObject* generic;
  PyTypeObject* dtype;
  PyObject *array, *asarray, *empty;
  PyObject* dtypes[kNumScalarTypes];       // np.dtype(...) by ScalarType
  PyTypeObject* scalars[kNumScalarTypes];  // np.float32, ...
};
const NumpyNames& numpy_names();

inline bool is_numpy_array(PyObject* o) { return PyObject_TypeCheck(o, numpy_names().ndarray); }
inline bool is_numpy_scalar(PyObject* o) { return PyObject_TypeCheck(o, numpy_names().generic); }
// Types whose objects have none of the protocols: not worth the look-ups.
bool is_builtin(PyObject* o);

// A string's text, for messages and dtype names; throws PythonError.
std::string text_of(PyObject* o);
// An attribute looked up on the type, as Python does for special methods; null (no exception) if there is none.
Ref special_method(PyObject* o, const char* name);

[[noreturn]] void raise_python(PyObject* type, const std::string& message);
[[noreturn]] void raise_no_such_dtype(const std::string& what);  // TypeError, listing the dtypes that there are

// kind ('b', 'i', 'u', 'f', 'c') and item size of NumPy's dtypes and of buffer formats to ours.
std::optional<ScalarType> dtype_of_kind(char kind, Py_ssize_t itemsize);
char kind_of(ScalarType t);

// NumPy arrays and scalars, buffers, __array_interface__, DLPack, __array__; undefined if `o` is none of these.
Tensor from_foreign(PyObject* o);
// A tensor over memory that `owner` keeps alive. byte_strides are multiples of the item size.
Tensor from_memory(void* data, ScalarType dtype, IntList sizes, IntList byte_strides, bool readonly, PyObject* owner);
// Whether strides and address suit our kernels: element strides, aligned.
bool is_well_placed(const void* data, ScalarType dtype, IntList sizes, IntList byte_strides);
// A release function for a Storage: drops the reference, with the GIL.
void drop_reference(PyObject* o) noexcept;

// `t` in another dtype, on the tape if it is tracked.
Tensor cast_tensor(const Tensor& t, ScalarType dtype);
// A new tensor with the same elements in the same order of axes; on the tape if tracked.
Tensor copy_tensor(const Tensor& t, ScalarType dtype);

// The number that `o` (str, None, Decimal, ...) stands for in an array of `dtype`, as float(o) or int(o) give it.
void store_number(PyObject* o, ScalarType dtype, char* at);

// Positional and keyword arguments of a vectorcall into `slots`, by name; what is missing stays null there.
void read_arguments(const char* function, std::initializer_list<const char*> names, size_t num_required,
                    size_t num_positional, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames,
                    PyObject** slots);
// Raises for what must not leave the tape (requires_grad, unless `detach`) or is not in host memory.
void check_exportable(const Tensor& t, bool detach, const char* what, ErrorKind kind = ErrorKind::Runtime);

}  // namespace tnp::python
