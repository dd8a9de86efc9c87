// Arrays that a compiled function finds outside of its arguments: in closures, modules, attributes.
#pragma once

#include <vector>

#include "aten/core/tensor.h"

namespace tnp::python {

// What a record relies on: the same memory, shape and dtype, and whether there is a gradient, for whose memory it asks
// at each call.
class Outside {
 public:
  explicit Outside(const std::vector<Tensor>& arrays);
  // Gradients that are there: the record's arguments after those of the call.
  std::vector<Tensor> gradients() const;
  // Nothing where an array is not what it was.
  bool is_as_recorded() const;

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
    explicit Known(const Tensor& t);
    Tensor array;
    Geometry geometry;
    const Storage* storage;
    char* data;
    bool requires_grad, writeable;
    std::vector<Geometry> gradient;  // of a leaf: one, or none
    bool is_leaf;
  };
  std::vector<Known> known_;
};

}  // namespace tnp::python
