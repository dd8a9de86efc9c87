// Block programs: the loops of an expression's operators, one after the other over blocks of elements that stay in the
// first-level cache. Each loop sees the elements that it would see if it ran alone, so that results are the same bits.
#pragma once

#include <atomic>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "aten/core/floating_point_error_kinds.h"
#include "aten/fusion/expression.h"

namespace tnp::fusion {

class Program {
 public:
  // What computes `root`, and the results that are held of the nodes that it needs, or that need the same as it. Under
  // lock(). Raises Memory if there is none for the results.
  // `is_shown`: for text() alone, without memory for results.
  explicit Program(Node& root, bool is_shown = false);
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  // Without lock().
  void run();
  // Hands the results over, and the floating-point errors to this thread's call. False: an operand has changed since
  // the program was made, and nothing happened.
  bool publish();
  // One line a step.
  std::string text() const;

 private:
  // Where the elements of a value are during a block.
  struct Value {
    enum class Kind : uint8_t { Memory, Number, Register } kind;
    ScalarType dtype;
    DimVector strides = {};            // of Memory that is not dense: bytes, along axes_
    char* data = nullptr;              // of Memory
    alignas(16) char number[16] = {};  // of Number
    int slot = -1;                     // of Register
    int last_step = -1;
    std::string name() const;
  };
  struct Step {
    Loop loop;
    const char* name;
    const char* watched;
    int num_values;
    std::array<int, 1 + kMaxInputs> values;  // the result first
  };
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

  void collect(Node& node);
  void collect_relatives();
  bool shares_unwritten(const Node& node, uint64_t mark);
  int value_of(const Operand& operand, ScalarType wanted, const char* watched);
  int memory_value(const intrusive_ptr<Storage>& storage, char* data, ScalarType dtype, const DimVector& strides);
  int add(Value value);
  void add_step(Loop loop, const char* name, const char* watched, int out, std::span<const int> in);
  void add_steps(Node& node, bool is_root);
  void merge_axes();
  void assign_slots();
  int new_slot(int64_t element_size);
  void choose_block();
  // Where the elements of a block are, and how far apart.
  struct Place {
    char* data;
    int64_t stride;
  };
  Place place_of(const Value& value, int64_t begin, int64_t n, char* scratch) const;
  char* line_at(const Value& value, int64_t line) const;
  char* gather(const Value& value, int64_t begin, int64_t n, char* to) const;
  void run_block(int64_t n, const Place* places);
  void run_piece(int64_t begin, int64_t end);

  const bool is_shown_;
  DimVector sizes_;
  DimVector axes_;  // its sizes, as few as operands that are not dense allow
  int64_t numel_;
  double cost_ = 0;  // nanoseconds an element
  uint64_t mark_;
  std::vector<intrusive_ptr<Node>> nodes_;  // operands before who reads them
  std::vector<std::pair<const Node*, int>> value_of_node_;
  std::vector<Value> values_;
  std::vector<Step> steps_;
  std::vector<Input> inputs_;
  std::vector<Output> outputs_;
  std::vector<int64_t> slot_sizes_, slot_offsets_;  // bytes of an element, and of an element of all before
  int64_t scratch_bytes_ = 0;                       // of an element of all slots
  int64_t block_ = 0;                               // elements
  int64_t slot_elements_ = 0;                       // of a slot: block_, up to whole lines of the cache
  int64_t line_ = 0;                                // that no block goes beyond; 0: it does not matter
  bool is_watched_ = false;
  std::vector<std::atomic<uint8_t>> errors_;
};

// The program that would compute the bytes of a pending storage; nothing where it is not pending.
TNP_API std::optional<std::string> program_text(Storage& storage);

}  // namespace tnp::fusion
