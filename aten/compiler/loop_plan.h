// A pointwise operator over small arrays whose geometry is known: its loop, called line by line, without the questions
// that pointwise() asks of operands that it has not seen before.
#pragma once

#include <array>
#include <optional>

#include "aten/core/dim_vector.h"
#include "aten/kernels/pointwise.h"

namespace tnp::compiler {

class LoopPlan {
 public:
  // Nothing where there is more to do than to call the loop: other dtypes, values to check, or elements that the
  // iterator would take in another order.
  // `constants`: inputs that are numbers which stay what they are.
  static std::optional<LoopPlan> of(const PointwiseOp& op, TensorList inputs, const PointwiseOptions& options,
                                    const std::array<bool, 3>& constants, const Tensor& result);

  // Where the elements are, the result's first; constants need none.
  void run(std::array<char*, 4> data) const;

 private:
  const PointwiseOp* op_;
  const PointwiseLoop* loop_;
  int num_operands_;
  int64_t line_;                       // elements
  DimVector axes_;                     // outside of a line
  std::array<int64_t, 4> steps_ = {};  // along a line, in bytes
  std::array<DimVector, 4> strides_;   // along axes_
  std::array<bool, 4> is_constant_ = {};
  struct alignas(16) Number {
    char bytes[16];
  };
  std::array<Number, 4> constants_;
};

}  // namespace tnp::compiler
