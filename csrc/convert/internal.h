// Helpers shared by the files of csrc/convert only.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>

#include "csrc/convert/convert.h"
#include "csrc/objects/python_error.h"

namespace tnp::python {

// Whether `o` has a builtin type without any array protocol, so that its attributes need not be
// looked up.
bool is_builtin(PyObject* o);

// Release function for a Storage: drops the reference, with the GIL.
void drop_reference(PyObject* o) noexcept;
// Release function for a Storage over memory of a Python object: drops the reference to `owner`.
struct OwnerRelease {
  PyObject* owner;
  void operator()() const { drop_reference(owner); }
};
// A tensor over memory that `owner` keeps alive.
Tensor from_memory(void* data, ScalarType dtype, IntList sizes, IntList byte_strides, bool readonly, PyObject* owner);

// Returns a copy of `t` in `dtype` with the same order of axes in memory. If `t` is tracked,
// autograd records the copy.
Tensor copy_tensor(const Tensor& t, ScalarType dtype);

// Stores the positional and keyword arguments of a vectorcall in `slots`; missing ones stay null.
void read_arguments(const char* function, std::initializer_list<const char*> names, size_t num_required,
                    size_t num_positional, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames,
                    PyObject** slots);
// Raises for a tensor that requires grad (unless `detach`) or is not in host memory.
void check_exportable(const Tensor& t, bool detach, const char* what, ErrorKind kind = ErrorKind::Runtime);

}  // namespace tnp::python
