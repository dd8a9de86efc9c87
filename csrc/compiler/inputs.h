// The arrays that receive gradients of a function's results: arguments, and arrays from outside.
#pragma once

#include <vector>

#include "aten/autograd/node.h"
#include "aten/core/tensor.h"
#include "csrc/compiler/call_key.h"

namespace tnp::python {

class Inputs {
 public:
  Inputs() = default;
  Inputs(const CallKey& key, const std::vector<Tensor>& outside);
  // The edges for a call's gradients. A trace accumulates gradients that go to one edge. So the
  // result is empty if inputs that shared an edge at trace time no longer do, or the reverse.
  std::vector<Edge> edges(const CallKey& key) const;
  size_t size() const { return inputs_.size(); }

 private:
  struct Input {
    int argument;
    Tensor outside;
    size_t first;  // index of the first input with the same edge
  };
  std::vector<Input> inputs_;
};

inline bool is_same(const Edge& a, const Edge& b) { return a.node == b.node && a.input_nr == b.input_nr; }

}  // namespace tnp::python
