// NoLoopError: an operator has no loop for its operands' dtypes. NumPy's and PyTorch's messages
// differ by operator and dtype, so each front end formats its own from the exception's fields.
#pragma once

#include "aten/core/errors/error.h"
#include "aten/core/numbers/dtype.h"

namespace tnp {

class TNP_API NoLoopError : public Error {
 public:
  // `requested`: true if the caller passed the dtype of the loop; false if it is the operands'
  // promoted dtype.
  NoLoopError(const char* op, size_t num_operands, ScalarType compute, bool requested);
  const char* op() const noexcept { return op_; }
  size_t num_operands() const noexcept { return num_operands_; }
  ScalarType compute() const noexcept { return compute_; }
  bool requested() const noexcept { return requested_; }

 private:
  const char* op_;  // a string literal
  size_t num_operands_;
  ScalarType compute_;
  bool requested_;
};

}  // namespace tnp
