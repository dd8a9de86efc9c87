// Block programs: loops of operators, one after the other over blocks of elements that stay in the first-level cache.
// Each loop sees the elements that it would see if it ran alone, so that results are the same bits.
//
// A program is a plan. It knows shapes, dtypes and strides, and neither where the elements are nor who owns them: it is
// told the addresses whenever it runs, and runs as often, and in as many threads at once, as one likes.
#pragma once

#include <array>
#include <atomic>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "aten/core/containers/dim_vector.h"
#include "aten/core/errors/floating_point_error_kinds.h"
#include "aten/core/numbers/dtype.h"
#include "aten/fusion/lines.h"
#include "aten/fusion/machine_steps.h"
#include "aten/iterator/iterator.h"

namespace tnp::fusion {

class TNP_API BlockProgram {
 public:
  // Of values, operands and results together.
  static constexpr int kMostOperands = 16;

  // All values are of these sizes; 0-d is one element.
  explicit BlockProgram(IntList sizes);

  // Values; each gives the index by which steps name it.
  //
  // Elements in memory, `byte_strides` apart along the axes; dense and row-major if there are none. Programs read it,
  // write to it, or both: then a step sees what those before it have written. A memory that is read may also be given
  // the address of another, which is written: where both are dense, the same holds for them. Where they are not, none
  // but the last step that reads the one may write to the other.
  int add_memory(ScalarType dtype, const DimVector& byte_strides = {});
  // `value` is an element of `dtype`.
  int add_number(ScalarType dtype, const void* value);
  // Is in a block's scratch memory. A step writes it before others read it.
  int add_register(ScalarType dtype);

  // `cost` is in nanoseconds an element; `name` and `watched` are literals: of the operator for text(), and of the one
  // whose floating-point errors are of interest, or null. Results are apart from operands, or the same element for
  // element.
  void add_step(Loop loop, const char* name, const char* watched, double cost, std::span<const int> out,
                std::span<const int> in);
  void add_step(Loop loop, const char* name, const char* watched, double cost, int out, std::span<const int> in) {
    add_step(loop, name, watched, cost, std::span<const int>(&out, 1), in);
  }
  // Merges axes, makes machine code of chains where it pays (`is_run_often`: for few elements, too), assigns registers,
  // chooses the block. Nothing is added after that.
  void finish(bool is_run_often = false);

  // `memories`: the addresses of their first elements, in the order of add_memory(). `errors`: one for each step, to
  // which the floating-point errors are added; null if nobody wants to know. Shares blocks out over threads.
  void run(char* const* memories, std::atomic<uint8_t>* errors = nullptr) const;
  // Elements [begin, end) alone, in this thread; those of memory number `passed` to `to`, and not to where that lies.
  void run_range(int64_t begin, int64_t end, char* const* memories, int passed, char* to,
                 std::atomic<uint8_t>* errors = nullptr) const;

  // Elements [begin, end) in this thread.
  void run_range(int64_t begin, int64_t end, char* const* memories, std::atomic<uint8_t>* errors = nullptr) const;

  // From then on count_range() is for that memory, if counts(): truth values that no step reads after the machine code
  // that computes them. After finish(), for one memory.
  void prepare_count(int memory);
  bool counts() const { return counted_ >= 0; }
  // As run_range(), but that nothing is written to that memory: how many of the truth values are true; -1,
  // and nothing happened, unless counts().
  int64_t count_range(int64_t begin, int64_t end, char* const* memories, std::atomic<uint8_t>* errors = nullptr) const;

  int64_t numel() const { return numel_; }
  double cost() const { return cost_; }  // nanoseconds an element
  int num_memories() const { return num_memories_; }
  int num_steps() const { return static_cast<int>(steps_.size()); }
  // Whether run() would find errors to tell of, and whose a step's are; null if nobody's.
  bool is_watched() const { return is_watched_; }
  const char* watched(int step) const { return steps_[static_cast<size_t>(step)].watched; }
  // One line a step.
  std::string text() const;

 private:
  // Where the elements of a value are during a block.
  struct Value {
    enum class Kind : uint8_t { Memory, Number, Register } kind;
    ScalarType dtype;
    int32_t itemsize;
    DimVector strides = {};            // of Memory that is not dense: bytes, along axes_
    int memory = -1;                   // its place among memories
    alignas(16) char number[16] = {};  // of Number
    int slot = -1;                     // of Register, and of Memory that is not dense: where lines are brought together
    int last_step = -1;
    bool is_read = false, is_written = false;  // before it is written, and at all
    bool repeats = false;                      // of what is read and not dense: all lines are the same one
    bool is_number_of_line = false;            // of what is read and not dense: lines are of equal elements
    bool is_packed = false;                    // machine code reads it, of which the elements must be neighbours
    Lines lines = {};                          // of Memory that is not dense, as the next
    Loop copy = nullptr;
  };
  struct Step {
    Loop loop;
    const char* name;
    const char* watched;
    double cost;
    int num_results;
    std::vector<int> values;  // results first
    bool has_numbers_of_lines = false;
  };
  // Where the elements of a block are, and how far apart.
  struct Place {
    char* data;
    int64_t stride;
  };

  // What is counted during a piece.
  struct Count {
    char* block;  // where the truth values of a block come to, unless they are counted as they are computed
    int64_t total = 0;
    bool is_counted = false;  // those of the block at hand
  };

  int add(Value value);
  void merge_axes();
  void find_machine_steps();
  void assign_slots();
  int64_t touched_slot_bytes() const;
  double cost_of(const MachineStep& m) const;
  void find_cost();
  int new_slot(int64_t itemsize);
  void choose_block();
  char* line_at(const Value& value, char* base, int64_t line) const;
  // Elements [begin, begin + n): from `first` of a line along the last axis on, all of them in that line or not.
  struct Part {
    int64_t begin, n = 0, line = 0, first = 0;
    bool is_in_line = true;
  };
  Place place_of(const Value& value, char* base, const Part& part, char* scratch, Lines::Held& held) const;
  // Whether machine code did what its steps do: not where one of them met a floating-point error, or where it would
  // write to what it reads.
  bool run_machine_step(const MachineStep& steps, int64_t n, const Place* places, bool is_watched, Count* count) const;
  void run_block(const Part& part, const Place* places, char* const* memories, std::atomic<uint8_t>* errors,
                 Count* count) const;
  void run_by_line(const Step& step, char** data, const int64_t* strides, const Part& part,
                   char* const* memories) const;
  void run_piece(int64_t begin, int64_t end, char* const* memories, std::atomic<uint8_t>* errors,
                 int64_t* counted = nullptr) const;
  template <class F>
  void apart(std::atomic<uint8_t>* errors, F&& run) const;
  std::string name_of(int value) const;

  DimVector axes_;  // the sizes, as few as memories that are not dense allow
  int64_t numel_ = 1;
  int num_memories_ = 0;
  double cost_ = 0;  // nanoseconds an element
  bool is_watched_ = false;
  std::vector<Value> values_;
  std::vector<Step> steps_;
  std::vector<MachineStep> machine_steps_;
  std::vector<int> memories_;                       // which of values_ are, and
  std::vector<int> scattered_;                      // those that may have to be written from a slot
  std::vector<int64_t> slot_sizes_, slot_offsets_;  // bytes of an element, and of an element of all before
  int64_t scratch_bytes_ = 0;                       // of an element of all slots
  int64_t block_ = 0;                               // elements
  int64_t slot_elements_ = 0;                       // of a slot: block_, up to whole lines of the cache
  bool has_lines_ = false;                          // of memory that is not dense
  int64_t group_ = 0;                               // elements of lines with which blocks end; 0: of none
  int64_t grain_ = 0;                               // elements below which a thread does not pay
  int counted_ = -1;                                // the value that count_range() counts
};

}  // namespace tnp::fusion
