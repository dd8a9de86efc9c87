// A pointwise operator over small arrays whose geometry is known: its loop, called line by line, without the questions
// that pointwise() asks of operands that it has not seen before.
#pragma once

#include <array>
#include <optional>

#include "aten/compiler/elementwise.h"
#include "aten/core/containers/dim_vector.h"

namespace tnp::compiler {

class LoopPlan {
 public:
  // Nothing where there is more to do than to call the loop: other dtypes, or elements that the iterator would take in
  // another order.
  static std::optional<LoopPlan> of(const Elementwise& e, TensorList inputs, const Tensor& result);

  // Where the elements are, the result's first; constants need none.
  void run(std::array<char*, 4> data) const;
  // How often the loop is called.
  int64_t num_lines() const { return num_lines_; }

 private:
  Loop loop_;
  const char* watched_;
  int num_operands_;
  int64_t num_lines_;
  int64_t line_;                       // elements
  DimVector axes_;                     // outside of a line
  std::array<int64_t, 4> steps_ = {};  // along a line, in bytes
  std::array<DimVector, 4> strides_;   // along axes_
  std::array<bool, 4> is_constant_ = {};
  std::array<Elementwise::Number, 3> constants_;  // of the inputs
};

}  // namespace tnp::compiler
