// Verification of pending results (torch_np.compiler.verify()): each deferred operator is also
// computed at its call.
//
// Note [Verified expressions] While verification is on, defer() also runs the operator's loop at
// once: alone, over whole operands in memory, with the iterator's casts. Its node keeps the result.
// An operand that is pending is represented by the result that its own node keeps. When the
// expression is computed, its results, the elements that it passes to a reduction, and its
// floating-point errors must be the same as those of the calls. So verification also finds an
// operand that changed between a call and the computation. If another thread changes an operand
// during the call, verification may raise: the kept result is of some old and some new elements. A
// reduction of a pending operand is repeated over the kept result. The kept results belong to no
// tensor of the program: the allocator does not count them, and allocating them computes no pending
// results.
//
// Bits are the same, except that a NaN equals any other NaN: the sum or product of two NaNs is
// either one of them.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "aten/core/containers/function_ref.h"
#include "aten/core/tensor.h"
#include "aten/core/verification.h"
#include "aten/kernels/pointwise.h"

namespace tnp::fusion {

class BlockPlan;
class Node;

// The result of a deferred operator, computed at its call.
struct ExpectedResult {
  Tensor elements;
  FloatingPointErrors errors;
};

// Runs a deferred operator at once; its arguments are those of defer(). Call without lock().
std::shared_ptr<const ExpectedResult> expected_result(const PointwiseOp& op, const PointwiseLoop& loop,
                                                      ScalarType dtype, const DimVector& sizes, TensorList inputs);

// Compares one computation of an expression with the expected results of its nodes.
class ExpressionVerifier {
 public:
  explicit ExpressionVerifier(const Node& root);
  // Adds a node of the expression. Call under lock().
  void add(const Node& node);

  // Notes whether the elements of the root that were computed for a reduction differ. `data` has
  // elements [begin, end). Threads may call these two at the same time.
  void compare_range(int64_t begin, int64_t end, const char* data);
  // Notes whether the number of true elements of the root in [begin, end) differs.
  void compare_count(int64_t begin, int64_t end, int64_t count);
  // Notes whether a result of the expression differs.
  void compare_result(const Node& node, const char* data);
  // Notes whether other floating-point errors occurred than at the calls. `errors` has a bitmask
  // for each call of the program.
  void compare_errors(const BlockPlan& plan, const std::vector<std::atomic<uint8_t>>& errors);
  // Raises Runtime if a difference has been noted; otherwise counts the expression.
  void finish(const BlockPlan& plan) const;

  // Repeats a reduction over the expected elements of the root. `result` is the reduction's result
  // and `errors` its floating-point errors; `reduce` computes both again from dense elements.
  void verify_reduction(const Tensor& result, FloatingPointErrors errors,
                        function_ref<FloatingPointErrors(const char*)> reduce, const BlockPlan& plan) const;

 private:
  void note(const std::string& what);

  const std::shared_ptr<const ExpectedResult> root_;
  const char* const root_name_;
  std::vector<std::pair<const char*, FloatingPointErrors>> errors_;
  std::mutex mutex_;  // guards trouble_
  std::string trouble_;
  bool all_are_expected_ = true;
};

// The numbers of expressions, and of reductions of pending operands, that were verified.
struct VerifiedExpressions {
  uint64_t expressions, reductions;
};
TNP_API VerifiedExpressions verified_expressions();

}  // namespace tnp::fusion
