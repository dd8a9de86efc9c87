// Objects of subclasses with __torch_dispatch__, whose tensors are wrapped ones.
//
// Note [Wrapper objects] Such an object's tensor has two parts: a plain tensor, and one that keeps the
// object (KeepObject). The plain tensor has the subclass's data, or no elements if it has none; its
// device is the one that users see. Autograd may own the tensor longer than the program owns the
// object. Then the tensor owns the object, with all of its attributes, until the tensor returns to
// Python. A tensor that shares the parts, such as a detached one, becomes a copy of the object.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <cstdint>

#include "aten/core/tensor.h"

namespace tnp::python {

// A new reference to the object of the tensor; null without an exception if it has none.
PyObject* wrapper_object(const Tensor& t);

// Makes an object of `type`. `part` and `has_data`: Note [Wrapper objects]. Throws PythonError or Error.
PyObject* make_wrapper_object(PyTypeObject* type, uint64_t level, const Tensor& part, bool has_data, ScalarType dtype,
                              IntList sizes, IntList strides);

// Whether such objects of this class have been made.
bool is_wrapper_class(PyTypeObject* type);

// Number of tensors of such objects.
int64_t num_wrapper_objects();
// Called after one of them has died.
extern void (*on_death_of_wrapper)();

}  // namespace tnp::python
