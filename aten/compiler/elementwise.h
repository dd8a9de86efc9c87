// Elementwise steps, in the form that block programs (aten/fusion/block_program.h) accept.
#pragma once

#include <array>
#include <optional>

#include "aten/compiler/trace.h"
#include "aten/core/dialect.h"
#include "aten/kernels/pointwise.h"

namespace tnp::compiler {

struct Elementwise {
  struct alignas(16) Number {
    char bytes[16];
  };

  // nullopt if one loop call per element of one result is not enough: the operator checks values,
  // has a mask, or works on 16-bit floats (it rounds their operands first). `constants`: inputs
  // that are constant numbers.
  static std::optional<Elementwise> of(const PointwiseOp& op, TensorList inputs, const PointwiseOptions& options,
                                       const std::array<bool, 3>& constants, const Tensor& result);
  // A copy, with or without a cast.
  static Elementwise copy(ScalarType to, ScalarType from);
  // A fill with a number; nullopt if the dtype may not represent the number.
  static std::optional<Elementwise> fill(ScalarType to, const Scalar& number);

  Loop loop = nullptr;
  const char* name = "";
  const char* watched = nullptr;  // Note [Floating-point errors]; null in dialects that report none
  double cost = 0;
  size_t num_inputs = 0;
  std::array<ScalarType, 4> types = {};  // dtypes of the loop, the result's first
  std::array<bool, 3> is_number = {};
  std::array<Number, 3> numbers = {};  // in the loop's dtype

  std::array<int, 3> inputs = {-1, -1, -1};  // views
  int result = -1;
  bool is_made = false;  // the result spans all of a new slot
  Dialect dialect = {};
};

// The elementwise form of a traced step; nullopt if it has none.
std::optional<Elementwise> elementwise(const Trace& trace, const Step& step);

}  // namespace tnp::compiler
