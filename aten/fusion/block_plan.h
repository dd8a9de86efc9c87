// Block plan: runs a block program (block_program.h) over blocks of elements that stay in the
// first-level cache. Each loop sees the same elements as if it ran alone, so results are
// bit-identical.
//
// A plan owns no memory: each run receives the addresses. It may run any number of times, also in
// several threads at once.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "aten/core/errors/floating_point_error_kinds.h"
#include "aten/fusion/block_program.h"
#include "aten/fusion/compiled_regions.h"
#include "aten/fusion/lines.h"

namespace tnp::fusion {

class TNP_API BlockPlan {
 public:
  // Merges axes, compiles sequences to machine code where that saves time, assigns registers and
  // chooses the block size. If `is_run_often` is set, sequences are compiled even if the program has
  // few elements.
  explicit BlockPlan(const BlockProgram& program, bool is_run_often = false);
  // A plan from the cache, or a new one. If `counted` is not -1, it is prepared to count that memory
  // (prepare_count()). Call under lock().
  static std::shared_ptr<const BlockPlan> of(const BlockProgram& program, int counted = -1);

  // `memories`: addresses of the first elements, in the order of add_memory(). `errors`: one
  // bitmask per call, to which the call's floating-point errors are added; may be null. Blocks run
  // in parallel.
  void run(char* const* memories, std::atomic<uint8_t>* errors = nullptr) const;
  // Computes elements [begin, end) in this thread. Writes the elements of the memory with index
  // `passed` to `to` instead of to that memory.
  void run_range(int64_t begin, int64_t end, char* const* memories, int passed, char* to,
                 std::atomic<uint8_t>* errors = nullptr) const;

  // Computes elements [begin, end) in this thread.
  void run_range(int64_t begin, int64_t end, char* const* memories, std::atomic<uint8_t>* errors = nullptr) const;

  // Prepares count_range() for one memory; Succeeds if machine code computes
  // the memory's truth values and no later call reads them. counts() returns whether it succeeded.
  void prepare_count(int memory);
  bool counts() const { return counted_ >= 0; }
  // As run_range(), but returns the number of true elements of the memory given to prepare_count()
  // instead of writing that memory. Returns -1, with no effect, if counts() is false.
  int64_t count_range(int64_t begin, int64_t end, char* const* memories, std::atomic<uint8_t>* errors = nullptr) const;

  int64_t numel() const { return numel_; }
  double cost() const { return cost_; }  // nanoseconds per element
  int num_calls() const { return static_cast<int>(calls_.size()); }
  // is_watched(): whether run() reports floating-point errors. watched(): the name of the operator
  // that the errors of `call` are reported for, or null if they are not reported.
  bool is_watched() const { return is_watched_; }
  const char* watched(int call) const { return calls_[static_cast<size_t>(call)].operation.watched; }
  // Describes the program, one line per call.
  std::string text() const;

 private:
  // A value, and the location of its elements during a block.
  struct Value : BlockProgram::Value {
    int slot = -1;                   // scratch slot, of Register, and of Memory that is not dense
    bool repeats = false;            // not dense and read: all lines are the same memory
    bool is_number_of_line = false;  // not dense and read: the elements of a line are equal
    bool is_packed = false;          // read by machine code, which needs dense elements
    Lines lines = {};                // lines, copy: of Memory that is not dense
    Loop copy = nullptr;
  };
  using Kind = BlockProgram::Value::Kind;
  struct LoopCall : BlockProgram::Call {
    bool has_numbers_of_lines = false;
  };
  // Address and stride of a value's elements within the current block.
  struct Place {
    char* data;
    int64_t stride;
  };

  // State of count_range() while one thread processes its range.
  struct Count {
    char* block;  // buffer for a block's truth values, unless machine code counts them
    int64_t total = 0;
    bool is_counted = false;  // whether machine code counted the current block
  };

  void merge_axes();
  void find_regions(const BlockProgram& program);
  void assign_slots();
  int64_t touched_slot_bytes() const;
  double cost_of(const CompiledRegion& m) const;
  void find_cost();
  int new_slot(int64_t itemsize);
  void choose_block();
  char* line_at(const Value& value, char* base, int64_t line) const;
  // Elements [begin, begin + n). A line is a 1-d slice along the last axis. Element `begin` is
  // element `first` of line `line`. is_in_line: all n elements are in that line.
  struct Part {
    int64_t begin, n = 0, line = 0, first = 0;
    bool is_in_line = true;
  };
  Place place_of(const Value& value, char* base, const Part& part, char* scratch, Lines::Held& held) const;
  // Runs the machine code that replaces the calls of `region`. Returns false if the caller must run
  // the calls one by one: because one of them caused a floating-point error, or because the code
  // would overwrite its own inputs.
  bool run_region(const CompiledRegion& region, int64_t n, const Place* places, bool is_watched, Count* count) const;
  void run_block(const Part& part, const Place* places, char* const* memories, std::atomic<uint8_t>* errors,
                 Count* count) const;
  void run_by_line(const LoopCall& call, char** data, const int64_t* strides, const Part& part,
                   char* const* memories) const;
  void run_piece(int64_t begin, int64_t end, char* const* memories, std::atomic<uint8_t>* errors,
                 int64_t* counted = nullptr) const;
  template <class F>
  void apart(std::atomic<uint8_t>* errors, F&& run) const;
  std::string name_of(int value) const;

  // Sizes after merging neighbouring axes, where the strides of all memories that are not dense
  // allow it.
  DimVector axes_;
  int64_t numel_;
  double cost_ = 0;  // nanoseconds per element
  bool is_watched_;
  std::vector<Value> values_;
  std::vector<LoopCall> calls_;
  std::vector<CompiledRegion> regions_;
  std::vector<int> memories_;   // as indices into values_
  std::vector<int> scattered_;  // memories that are written through a slot and then scattered
  // slot_sizes_: bytes of an element, per slot. slot_offsets_: sum of the sizes of the preceding
  // slots.
  std::vector<int64_t> slot_sizes_, slot_offsets_;
  int64_t scratch_bytes_ = 0;  // sum over all slots, per element
  int64_t block_ = 0;          // elements
  int64_t slot_elements_ = 0;  // elements per slot: block_, rounded up to whole cache lines
  bool has_lines_ = false;     // some memory is not dense
  // Blocks end at multiples of this number of elements, that is, at ends of lines. 0 means that
  // blocks may end anywhere.
  int64_t group_ = 0;
  int64_t grain_ = 0;  // minimum number of elements per thread
  int counted_ = -1;   // index of the value that count_range() counts; -1 if none
};

}  // namespace tnp::fusion
