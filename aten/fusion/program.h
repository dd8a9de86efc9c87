// From nodes of pending results to the block program that computes them, and back.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "aten/fusion/expression.h"
#include "aten/fusion/program_outline.h"

namespace tnp::fusion {

class Program {
 public:
  // What computes `root`, and the results that are held of the nodes that it needs, or that need the same as it. Under
  // lock(). Raises Memory if there is none for the results.
  enum class Use : uint8_t {
    Results,   // run()
    Elements,  // run_range(): the root has no memory
    Text,      // text(): no result has
  };
  explicit Program(Node& root, Use use = Use::Results);
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  // Without lock().
  void run() { program_->run(memories_.data(), errors_.data()); }
  // Elements [begin, end), the root's to `to`, in this thread. publish() wants all of them.
  void run_range(int64_t begin, int64_t end, char* to) {
    program_->run_range(begin, end, memories_.data(), root_memory_, to, errors_.data());
  }
  // Of a root of truth values, instead: how many are true; -1, and nothing happened, where they have to be computed.
  int64_t count_range(int64_t begin, int64_t end) {
    return program_->count_range(begin, end, memories_.data(), errors_.data());
  }
  // Operators.
  size_t size() const { return nodes_.size(); }
  // Whether there are results in memory.
  bool has_results() const { return !outputs_.empty(); }
  // Whether steps tell of floating-point errors.
  bool is_watched() const { return program_->is_watched(); }
  // Hands the results over, and the floating-point errors to this thread's call. False: an operand has changed since
  // the program was made, and nothing happened.
  bool publish();
  // One line a step.
  std::string text() const { return program_->text(); }

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
  // Which value stands for the same elements in memory.
  struct Known {
    char* data;
    ScalarType dtype;
    DimVector strides;
    int value;
  };

  void collect(Node& node);
  void collect_relatives();
  bool shares_unwritten(const Node& node, uint64_t mark);
  int value_of(const Operand& operand, ScalarType wanted, const char* watched);
  int memory_value(const intrusive_ptr<Storage>& storage, char* data, ScalarType dtype, const DimVector& strides);
  void add_steps(Node& node, bool is_root);

  const Node& root_;
  const Use use_;
  DimVector sizes_;
  uint64_t mark_;
  ProgramOutline outline_;
  std::shared_ptr<const BlockProgram> program_;
  std::vector<intrusive_ptr<Node>> nodes_;  // operands before who reads them
  std::vector<std::pair<const Node*, int>> value_of_node_;
  std::vector<Known> known_;
  std::vector<char*> memories_;  // as the program numbers them
  int root_memory_ = 0;          // which is the root's, of Use::Elements
  std::vector<Input> inputs_;
  std::vector<Output> outputs_;
  std::vector<std::atomic<uint8_t>> errors_;
};

// The program that would compute the bytes of a pending storage; nothing where it is not pending.
TNP_API std::optional<std::string> program_text(Storage& storage);

}  // namespace tnp::fusion
