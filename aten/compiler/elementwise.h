// Elementwise calls, in the form that block programs (aten/fusion/block_program.h) accept.
#pragma once

#include <array>
#include <optional>

#include "aten/compiler/trace.h"
#include "aten/core/dialect.h"
#include "aten/dispatch/pointwise_choice.h"
#include "aten/fusion/block_program.h"

namespace tnp::compiler {

// A number of any dtype.
struct alignas(16) Number16 {
  char bytes[16];
};

// Its operator is watched for floating-point errors only in dialects that report them.
struct ElementwiseCall : fusion::Elementwise {
  std::array<bool, 3> is_number = {};
  std::array<Number16, 3> numbers = {};  // in the loop's dtype

  std::array<int, 3> inputs = {-1, -1, -1};  // views
  int result = -1;
  bool is_made = false;  // the result spans all of a new slot
  int taken = -1;        // view of an EmptyStep whose memory the block allocates in its place
  Dialect dialect = {};
};

// The elementwise form of a step's call. nullopt if one loop call per element of one result is not
// enough: the operator checks values, has a mask, or works on 16-bit floats (it rounds their
// operands first).
std::optional<ElementwiseCall> elementwise(const Trace& trace, const Step& step);

// The loop of a pointwise call, for the device of its result; nullopt unless it has one result, no
// mask, and checks no values.
std::optional<PointwiseChoice> loop_of(const Trace& trace, const Step& step);
// The view of a pointwise call's first result.
int result_of(const Step& step);

}  // namespace tnp::compiler
