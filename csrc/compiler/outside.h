// Arrays from outside: those that a compiled function finds in closures, modules and attributes.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <vector>

#include "aten/core/tensor.h"
#include "csrc/objects/python_error.h"

namespace tnp::python {

// The conditions that a trace relies on: the same memory, shape and dtype, and the presence of a
// gradient. A gradient's memory may differ between calls.
class Outside {
 public:
  Outside() = default;
  // `objects`: a list of arrays. `arguments`: of the call that is being traced.
  Outside(PyObject* objects, const std::vector<Tensor>& arguments);
  // The gradients that are present. They are the trace's arguments after those of the call.
  std::vector<Tensor> gradients() const;
  std::vector<Tensor> arrays() const;
  std::vector<uint32_t> versions() const;
  // Returns false if an array has changed, or aliases other arguments than at recording.
  bool is_as_traced(const std::vector<Tensor>& arguments) const;
  int visit(visitproc visit, void* arg) const {
    for (const Known& k : known_) Py_VISIT(k.object.get());
    return 0;
  }
  // Whether the objects hold the tensors that they held: resize() and __setstate__() replace an
  // array's tensor.
  bool are_same_tensors() const;

 private:
  struct Geometry {
    explicit Geometry(const Tensor& t) : sizes(t.sizes()), strides(t.strides()), dtype(t.dtype()) {}
    bool fits(const Tensor& t) const {
      return t.dtype() == dtype && t.sizes() == IntList(sizes) && t.strides() == IntList(strides);
    }
    DimVector sizes, strides;
    ScalarType dtype;
  };
  struct Known {
    explicit Known(PyObject* o);
    Ref object;
    Tensor array;
    Geometry geometry;
    const Storage* storage;
    char* data;
    bool requires_grad, writeable;
    std::vector<Geometry> gradient;  // one or none
    bool is_leaf, retains_gradient;
  };
  // Of an argument that aliases an array from outside: its address, and the array if it is the same
  // tensor. Null for other arguments.
  struct Shared {
    const char* address = nullptr;
    const TensorImpl* same = nullptr;
    bool operator==(const Shared&) const = default;
  };
  std::vector<Shared> shared(const std::vector<Tensor>& arguments) const;
  std::vector<Known> known_;
  std::vector<const Storage*> storages_;  // of all of them, sorted
  std::vector<Shared> shared_;
};

}  // namespace tnp::python
