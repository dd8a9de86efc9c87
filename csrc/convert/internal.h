// What the files of csrc/convert share. Nobody else includes this.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>

#include "csrc/convert/convert.h"
#include "csrc/objects/python_error.h"

namespace tnp::python {

// Types whose objects have none of the protocols: not worth the look-ups.
bool is_builtin(PyObject* o);

// A release function for a Storage: drops the reference, with the GIL.
void drop_reference(PyObject* o) noexcept;
// Releases memory that a Python object owns, by letting go of it.
struct OwnerRelease {
  PyObject* owner;
  void operator()() const { drop_reference(owner); }
};
// A tensor over memory that `owner` keeps alive.
Tensor from_memory(void* data, ScalarType dtype, IntList sizes, IntList byte_strides, bool readonly, PyObject* owner);

// A new tensor with the same elements in the same order of axes; on the tape if tracked.
Tensor copy_tensor(const Tensor& t, ScalarType dtype);

// Positional and keyword arguments of a vectorcall into `slots`, by name; what is missing stays null there.
void read_arguments(const char* function, std::initializer_list<const char*> names, size_t num_required,
                    size_t num_positional, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames,
                    PyObject** slots);
// Raises for what must not leave the tape (requires_grad, unless `detach`) or is not in host memory.
void check_exportable(const Tensor& t, bool detach, const char* what, ErrorKind kind = ErrorKind::Runtime);

}  // namespace tnp::python
