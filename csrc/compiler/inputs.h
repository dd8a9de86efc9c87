// The arrays that gradients of a function's results go to: those among its arguments, and those found outside.
#pragma once

#include <vector>

#include "aten/autograd/node.h"
#include "aten/core/tensor.h"
#include "csrc/compiler/signature.h"

namespace tnp::python {

class Inputs {
 public:
  Inputs() = default;
  Inputs(const CallSignature& signature, const std::vector<Tensor>& outside);
  // Where the gradients of a call go. Nothing at all where inputs that shared one place in the graph do no longer, or
  // the reverse: a record adds up what goes to one place.
  std::vector<Edge> edges(const CallSignature& signature) const;
  size_t size() const { return inputs_.size(); }

 private:
  struct Input {
    int argument;
    Tensor outside;
    size_t first;  // the first input of the same place
  };
  std::vector<Input> inputs_;
};

inline bool is_same(const Edge& a, const Edge& b) { return a.node == b.node && a.input_nr == b.input_nr; }

}  // namespace tnp::python
