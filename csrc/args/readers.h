// Readers: each converts one Python object to one C++ value. They may run Python code (__index__,
// __float__), and raise by throwing PythonError (a Python exception is set) or tnp::Error.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "aten/core/numbers/promotion.h"
#include "aten/core/tensor.h"
#include "aten/dispatch/out.h"
#include "aten/iterator/iterator.h"
#include "aten/kernels/reduction.h"
#include "aten/random/parameters.h"
#include "csrc/convert/convert.h"
#include "csrc/objects/python_error.h"
#include "csrc/objects/variable.h"

namespace tnp::python {

int64_t read_integer(PyObject* o, bool numpy_face);
bool read_bool(PyObject* o);
// Read a number that gradient formulas do not differentiate. Both raise NotImplementedError for an
// array that requires a gradient, because the gradient would be lost. `slot`: the slot of the
// argument, for the message.
double read_double(PyObject* o, int slot);
Scalar read_scalar(PyObject* o, int slot);
// Same as read_scalar(), but accepts an array that requires a gradient. For callers that compute
// the gradient in another way.
Scalar read_detached_scalar(PyObject* o);
// Whether the object is a torch_np.memory_format, an instance of a class in Python.
bool is_memory_format(PyObject* o);
// The text of a string, or the name of a memory format: "torch_np.channels_last".
std::string_view read_string(PyObject* o);
// Reads an integer, a sequence of integers, or `num_varargs` consecutive integer objects (see
// varargs()).
void read_int_list(PyObject* o, Py_ssize_t num_varargs, bool numpy_face, DimVector& list);
void read_float_list(PyObject* o, int slot, std::vector<double>& list);
// A dynamic array of bools. A std::vector<bool> has no contiguous memory for a span.
struct BoolVector {
  std::unique_ptr<bool[]> data;
  size_t size = 0;
};
void read_bool_list(PyObject* o, BoolVector& list);
void read_tensor_list(PyObject* o, bool numpy_face, std::vector<Tensor>& list);
Order read_order(PyObject* o);
Casting read_casting(PyObject* o);
Distribution read_distribution(PyObject* o);  // by NumPy's name
Tensor read_out(PyObject* o, int index);      // out= as a tensor or a tuple of tensors; undefined for None
void check_out_tuple(PyObject* o, Py_ssize_t max_outputs);  // raises ValueError if the tuple is longer than max_outputs
Tensor read_mask(PyObject* o, bool numpy_face);
void read_initial(PyObject* o, ReduceOptions& options);
// Copies `result` into `out` (casting='same_kind') and returns `out`. On the torch face, `out` is
// resized to the shape of `result`.
Tensor copy_to_out(const Tensor& out, const Tensor& result, Resizing resizing = Resizing::Warned,
                   OutDtype rule = OutDtype::SameKind);
// Implements out= for several results. Copies each result into the tensor at the same position in
// `o`, and replaces the result by that tensor. The tensors are resized to the results' shapes.
// Before anything is written or resized, all dtypes and devices are checked. Raises TypeError if
// the counts differ.
void copy_to_outs(PyObject* o, std::span<Tensor> results);

}  // namespace tnp::python
