// Loop plan: a pointwise operator over small arrays of known geometry. It calls the loop line by
// line, without the checks that pointwise() makes for unknown operands.
#pragma once

#include <array>
#include <optional>

#include "aten/compiler/elementwise.h"
#include "aten/core/containers/dim_vector.h"

namespace tnp::compiler {

class LoopPlan {
 public:
  // nullopt if the loop alone is not enough: other dtypes, many elements or lines, or a result that
  // exists.
  static std::optional<LoopPlan> of(const Trace& trace, const ElementwiseCall& e);

  // `data`: addresses of the elements, the result's first; constants need none.
  void run(std::array<char*, 4> data) const;
  // The number of calls of the loop.
  int64_t num_lines() const { return num_lines_; }

 private:
  Loop loop_;
  const char* watched_;
  int num_operands_;
  int64_t num_lines_;
  int64_t line_;                       // elements
  DimVector axes_;                     // without the axis of a line
  std::array<int64_t, 4> steps_ = {};  // along a line, in bytes
  std::array<DimVector, 4> strides_;   // along axes_
  std::array<bool, 4> is_constant_ = {};
  std::array<Number16, 3> constants_;  // of the inputs
};

}  // namespace tnp::compiler
