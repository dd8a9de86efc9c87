// What torch_np.compile remembers of a function: the operators that it called, on what, in their order.
//
// Note [Records] A record is straight-line: for one set of shapes, dtypes, layouts and Python values. Memory is named
// by slots, a slot for each storage that the function met, and tensors are views of slots, whose geometry is known; so
// that what makes views (slices, transposes, `_torch()`) leaves nothing behind in the record. A step reads views and
// writes views; gradients were computed while it was recorded, and are steps like others.
//
// A replay gives the slots memory and runs the steps (frame.h). What Python looked at meanwhile is compared with what
// it was (Step::run() is false where it differs); since the function is then called again from its beginning, nothing
// outside of the record is changed before the last look.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "aten/core/dialect.h"
#include "aten/core/tensor.h"

namespace tnp::compiler {

class Frame;
struct Record;

enum class Origin : uint8_t {
  Argument,  // an array that the function is called with
  Outside,   // one that it found elsewhere: in a closure, in a module; the record keeps it
  Step,      // made by a step
};

struct Slot {
  // Whether it was there before the call. What was may share memory with another slot that was, of which nobody knows.
  bool is_from_outside() const { return origin != Origin::Step && !is_constant; }

  Origin origin = Origin::Step;
  int argument = -1;  // which array, of Origin::Argument
  Tensor outside;     // of Origin::Outside
  Device device;
  bool is_constant = false;  // of Origin::Outside: the function makes it anew in each call, of the same numbers
  bool is_written = false;   // after it was made, or at all where no step made it
  int64_t place = -1;        // in the memory of a replay, from plan() on; -1: it has memory of its own
  bool escapes = false;      // the caller gets it: its memory is not used again
};

// A tensor of the record.
struct View {
  int slot;
  int64_t offset;  // bytes from the slot's origin: the first element of the array that it was met as
  DimVector sizes, strides;
  int64_t numel;
  ScalarType dtype;
  bool is_contiguous, is_wrapped_number, is_value;
  friend bool operator==(const View& a, const View& b) {
    return a.slot == b.slot && a.offset == b.offset && a.dtype == b.dtype && a.sizes == b.sizes &&
           a.strides == b.strides && a.is_wrapped_number == b.is_wrapped_number && a.is_value == b.is_value;
  }
};

class Step {
 public:
  Step() = default;
  Step& operator=(const Step&) = delete;
  virtual ~Step() = default;

  // False: it gave something else than when it was recorded, by which the function went its way.
  virtual bool run(Frame& frame) const = 0;
  // "add"
  virtual std::string name() const = 0;
  // "add(%1, 2.5)": steps of the same text, operands and `recorded_in` do the same.
  virtual std::string text() const = 0;
  // Whether other threads may have a share of it, but are woken too late for most of that: Note [Kept threads].
  virtual bool has_short_shares(const Record& /*record*/) const { return false; }

  std::vector<int> reads, writes;  // views; what it makes is among the writes
  Dialect recorded_in;             // in which the function called the operator
  bool draws = false;              // random numbers
  bool looks = false;              // run() may be false

 protected:
  Step(const Step&) = default;
};

struct Record {
  const Slot& slot_of(int view) const { return slots[static_cast<size_t>(views[static_cast<size_t>(view)].slot)]; }

  std::vector<Slot> slots;
  std::vector<std::vector<int>> views_of_slots;  // from plan() on, as the next
  std::vector<std::vector<int>> done;            // by step: slots that no later one needs
  std::vector<View> views;
  std::vector<std::unique_ptr<Step>> steps;
  size_t arena_bytes = 0;   // what a replay keeps for results that go with it
  size_t first_change = 0;  // the first step that changes something that is not the record's own
  int num_arguments = 0;
  bool keeps_threads = false;  // while it is replayed
};

}  // namespace tnp::compiler
