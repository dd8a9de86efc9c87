// Raises the error of a second backward pass through a graph whose saved tensors were released by
// the first one.
#pragma once

#include "aten/core/errors/error.h"

namespace tnp {

class TNP_API ReleasedGraph final : public Error {
 public:
  ReleasedGraph()
      : Error(ErrorKind::Runtime,
              "Trying to backward through the graph a second time (or directly access saved tensors after they have "
              "already been freed). Saved intermediate values of the graph are freed when you call .backward() or "
              "autograd.grad(). Specify retain_graph=True if you need to backward through the graph a second time or "
              "if you need to access saved tensors after calling backward.") {}
};

}  // namespace tnp
