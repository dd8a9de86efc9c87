// Steps of calls that reach the tracer through the engine's observer (aten/core/observer.h), and of
// allocations. All other calls are traced by traced().
#pragma once

#include <memory>

#include "aten/compiler/traced.h"

namespace tnp::compiler {

// Operators without an entry in native_functions.yaml.
extern const OperatorSchema copy_op, fill_op;
extern const OperatorSchema look_op;  // a guard: Python read the one element of an array

// How calls of pointwise operators, of reductions, and of look_op are repeated.
TracedFunction pointwise_function();
TracedFunction reduction_function();
TracedFunction look_function();

// Allocates memory that later steps write: writes[0].
class EmptyStep final : public Step {
 public:
  EmptyStep() { call = {"empty", "empty", {}}; }
  std::unique_ptr<Step> clone() const override { return std::unique_ptr<Step>(new EmptyStep(*this)); }
  bool run(Frame& frame) const override;
};

}  // namespace tnp::compiler
