// FusedExpression: translates the nodes of pending results into a block program, runs it and
// publishes the results.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "aten/fusion/block_plan.h"
#include "aten/fusion/expression.h"

namespace tnp::fusion {

class FusedExpression {
 public:
  // Builds the program that computes `root`. Call under lock(). The program also computes results
  // that are still referenced, among the nodes that `root` depends on and among the nodes that read
  // the same pending operands as `root`. Raises Memory if the results cannot be allocated.
  enum class Use : uint8_t {
    Results,   // run()
    Elements,  // run_range(): the root gets no memory
    Text,      // text(): no result gets memory
  };
  explicit FusedExpression(Node& root, Use use = Use::Results);
  FusedExpression(const FusedExpression&) = delete;
  FusedExpression& operator=(const FusedExpression&) = delete;

  // Call without lock().
  void run() { plan_->run(memories_.data(), errors_.data()); }
  // Computes elements [begin, end) in the calling thread. Writes the root's elements to `to`, and
  // those of other results to their memory. Compute all elements before calling publish().
  void run_range(int64_t begin, int64_t end, char* to) {
    plan_->run_range(begin, end, memories_.data(), root_memory_, to, errors_.data());
    if (TNP_UNLIKELY(verifier_ != nullptr)) verifier_->compare_range(begin, end, to);
  }
  // The number of true elements of a boolean root in [begin, end). Returns -1, without running
  // anything, if the elements have to be materialised first.
  int64_t count_range(int64_t begin, int64_t end) {
    const int64_t count = plan_->count_range(begin, end, memories_.data(), errors_.data());
    if (TNP_UNLIKELY(verifier_ != nullptr) && count >= 0) verifier_->compare_count(begin, end, count);
    return count;
  }
  // The number of operators.
  size_t size() const { return nodes_.size(); }
  // Whether the program writes results to memory.
  bool has_results() const { return !outputs_.empty(); }
  // Whether any operator reports floating-point errors.
  bool is_watched() const { return plan_->is_watched(); }
  // Moves the results into their storages and reports the floating-point errors to the current
  // call. Returns false, with no effect, if an operand has changed since the program was made.
  bool publish();
  // Repeats the reduction of the root if its expression is verified: Note [Verified expressions].
  // Call after publish().
  void verify_reduction(const Tensor& result, FloatingPointErrors errors,
                        function_ref<FloatingPointErrors(const char*)> reduce) const {
    if (TNP_UNLIKELY(verifier_ != nullptr)) verifier_->verify_reduction(result, errors, reduce, *plan_);
  }
  // One line per step.
  std::string text() const { return plan_->text(); }

 private:
  struct Input {
    intrusive_ptr<Storage> storage;
    uint32_t version, loans;
  };
  struct Output {
    explicit Output(Node& n, size_t bytes);
    Output(Output&& o) noexcept : node(std::move(o.node)), block(std::exchange(o.block, {})) {}
    ~Output();
    intrusive_ptr<Node> node;
    Allocation block;
  };
  // A memory operand that was added to the program. Equal operands share one entry.
  struct Known {
    char* data;
    ScalarType dtype;
    DimVector strides;
    int value;
  };

  void collect(Node& node);
  void collect_relatives();
  bool shares_unwritten(const Node& node, uint64_t mark);
  int value_of(const Operand& operand, ScalarType dtype_of_number);
  int memory_value(const intrusive_ptr<Storage>& storage, char* data, ScalarType dtype, const DimVector& strides);
  void add_call(Node& node, bool is_root);

  const Node& root_;
  const Use use_;
  DimVector sizes_;
  uint64_t mark_;
  BlockProgram program_;
  std::shared_ptr<const BlockPlan> plan_;
  std::vector<intrusive_ptr<Node>> nodes_;  // topologically sorted: operands before their readers
  std::vector<std::pair<const Node*, int>> value_of_node_;
  std::vector<Known> known_;
  std::vector<char*> memories_;  // in the program's numbering
  int root_memory_ = 0;          // the root's index in memories_, for Use::Elements
  std::vector<Input> inputs_;
  std::vector<Output> outputs_;
  std::vector<std::atomic<uint8_t>> errors_;
  std::unique_ptr<ExpressionVerifier> verifier_;  // null unless the root was deferred under verification
};

// The text of the program that would compute a pending storage; nullopt if the storage is not
// pending.
TNP_API std::optional<std::string> fused_expression_text(Storage& storage);

}  // namespace tnp::fusion
