// Steps that compute element for element, as block programs (aten/fusion/block_program.h) take them.
#pragma once

#include <array>
#include <optional>

#include "aten/compiler/record.h"
#include "aten/core/dialect.h"
#include "aten/kernels/pointwise.h"

namespace tnp::compiler {

inline bool is_same(Dialect a, Dialect b) {
  return a.face() == b.face() && a.promotion() == b.promotion() && a.error_watch() == b.error_watch();
}

struct Elementwise {
  struct alignas(16) Number {
    char bytes[16];
  };

  // Nothing where there is more to do than to call one loop for each element of one result: values to check, a mask,
  // 16-bit floats, whose operands are rounded first.
  // `constants`: inputs that are numbers which stay what they are.
  static std::optional<Elementwise> of(const PointwiseOp& op, TensorList inputs, const PointwiseOptions& options,
                                       const std::array<bool, 3>& constants, const Tensor& result);
  // Of a copy, with or without a cast.
  static Elementwise copy(ScalarType to, ScalarType from);
  // Of a copy of a number; nothing where it may not be an element of the dtype.
  static std::optional<Elementwise> fill(ScalarType to, const Scalar& number);

  Loop loop = nullptr;
  const char* name = "";
  const char* watched = nullptr;  // Note [Floating-point errors]; null in dialects that watch nothing
  double cost = 0;
  size_t num_inputs = 0;
  std::array<ScalarType, 4> types = {};  // that the loop takes; the result's first
  std::array<bool, 3> is_number = {};
  std::array<Number, 3> numbers = {};  // in the loop's dtype

  std::array<int, 3> inputs = {-1, -1, -1};  // views
  int result = -1;
  bool is_made = false;  // the result is all of a new slot
  Dialect dialect = {};
};

// Of a step of the record; nothing where it is no such step.
std::optional<Elementwise> elementwise(const Record& record, const Step& step);

}  // namespace tnp::compiler
