// Parses an indexing key for a tensor. The result is a list with one item per entry. Integers,
// slices and new axes describe a view; arrays and masks become index tensors for axes of that view.
//
// Note [Python code in keys] __index__ of an element or of a slice bound, and __array__ of a value,
// may change the shape of the indexed array itself. So all this Python code runs first. Sizes and
// strides are read afterwards, and the key is checked against them.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <vector>

#include "aten/core/tensor.h"

namespace tnp::python {

// One entry of a key.
struct KeyItem {
  enum Kind : uint8_t { Integer, Slice, Ellipsis, NewAxis, Truth, Mask, Array } kind;
  int64_t value = 0;  // Integer, Truth
  Py_ssize_t start = 0, stop = 0, step = 1;
  PyObject* slice = nullptr;  // borrowed; its bounds are read after the number of axes has been checked
  Tensor tensor = {};         // Mask, Array
  int64_t num_axes() const { return kind == Mask ? tensor.dim() : kind == Integer || kind == Slice || kind == Array; }
  bool is_array() const { return kind >= Truth; }
};

// A key matched against the axes of a tensor. Throws IndexError (as PythonError or tnp::Error) for
// an invalid key.
class Key {
 public:
  Key(const Tensor& self, PyObject* key, bool numpy_face);  // Note [Python code in keys]

  // Whether the key is one integer for each axis.
  bool is_element(const Tensor& self) const;
  bool has_arrays() const { return has_arrays_; }
  bool has_ellipsis() const;
  // The key's only item, or null if the key does not have exactly one item.
  const KeyItem* single() const { return items_.size() == 1 ? &items_[0] : nullptr; }

  // Returns the view that integers, slices and new axes select. Sets `indices` to the index tensors
  // for the view's axes, and `position` to the axis of the result at which their axes begin.
  Tensor view(const Tensor& self, std::vector<Tensor>& indices, int64_t& position) const;

 private:
  struct PlainBuilder;
  struct DifferentiableBuilder;
  template <class Builder>
  void apply(const Tensor& self, std::vector<Tensor>& indices, int64_t& position, Builder& builder) const;
  Tensor plain_view(const Tensor& self, std::vector<Tensor>& indices, int64_t& position) const;
  Tensor differentiable_view(const Tensor& self, std::vector<Tensor>& indices, int64_t& position) const;

  std::vector<KeyItem> items_;
  int64_t rest_ = 0;
  bool numpy_, has_arrays_ = false;
};

}  // namespace tnp::python
