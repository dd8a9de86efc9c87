// NoLoopError: an operator has no loop for such operands. What NumPy and PyTorch say of it differs with operator and
// dtype; the front ends word it from what the exception carries.
#pragma once

#include "aten/core/errors/error.h"
#include "aten/core/numbers/dtype.h"

namespace tnp {

class TNP_API NoLoopError : public Error {
 public:
  // `requested`: the caller asked for the dtype of the loop; else it is what the operands promote to.
  NoLoopError(const char* op, size_t num_operands, ScalarType compute, bool requested);
  const char* op() const noexcept { return op_; }
  size_t num_operands() const noexcept { return num_operands_; }
  ScalarType compute() const noexcept { return compute_; }
  bool requested() const noexcept { return requested_; }

 private:
  const char* op_;  // a literal
  size_t num_operands_;
  ScalarType compute_;
  bool requested_;
};

}  // namespace tnp
