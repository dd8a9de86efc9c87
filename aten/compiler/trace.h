// Trace: the list of operator calls that torch_np.compile makes of a function, with their operands.
// The Python API calls it a record.
//
// Note [Traces] A trace is straight-line code, valid for one set of shapes, dtypes, layouts and
// Python values. A slot stands for a storage that the function used. A view is a tensor with known
// geometry in a slot, so slices, transposes and `_torch()` leave no step. A step reads views and
// writes views. Gradients are computed while the function is traced, so their operators are steps
// as well.
//
// A replay assigns memory to the slots and runs the steps (frame.h). Values that Python read while
// tracing are guards: a replay compares them, and Step::run() returns false if one differs. The
// function is then called again from the start, so nothing outside of the trace may change before
// the last guard.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "aten/compiler/call.h"
#include "aten/core/dialect.h"
#include "aten/core/tensor.h"

namespace tnp::compiler {

class Frame;
class Tracer;
class Step;
struct Trace;

enum class Origin : uint8_t {
  Argument,  // an array argument of the function
  Outside,   // an array from a closure or a module; the trace keeps it alive
  Step,      // made by a step
};

struct Slot {
  // Whether the slot existed before the call. Such slots may alias each other without the trace's
  // knowledge.
  bool is_from_outside() const { return origin != Origin::Step && !is_constant; }

  Origin origin = Origin::Step;
  int argument = -1;  // index among the array arguments, of Origin::Argument
  Tensor outside;     // of Origin::Outside
  Device device;
  bool is_constant = false;  // of Origin::Outside: each call would make it anew from the same numbers
  bool is_written = false;   // after a step made it, or at all if no step made it
  // Offset in the replay's arena, set by plan(); -1: it has memory of its own.
  int64_t place = -1;
  bool escapes = false;  // the caller receives it, so its memory is not reused
};

// A tensor of the trace.
struct View {
  int slot;
  // In bytes, from the slot's origin: the first element of the array by which the slot was first
  // seen.
  int64_t offset;
  DimVector sizes, strides;
  int64_t numel;
  ScalarType dtype;
  bool is_contiguous, is_wrapped_number, is_value;
  friend bool operator==(const View& a, const View& b) {
    return a.slot == b.slot && a.offset == b.offset && a.dtype == b.dtype && a.sizes == b.sizes &&
           a.strides == b.strides && a.is_wrapped_number == b.is_wrapped_number && a.is_value == b.is_value;
  }
};

// Results of a call: views, or a number that Python reads.
class TNP_API Results {
 public:
  void note(Tracer& r, Step& step, TensorList list);
  void note(Tracer&, Step& step, double number);
  bool bind(Frame& frame, TensorList list) const;
  bool bind(Frame&, double number) const { return number == number_; }
  const std::vector<int>& views() const { return views_; }
  void renumber(int by);  // adds `by` to the numbers of the views

 private:
  std::vector<int> views_;
  double number_ = 0;
};

// The part of a step that its clone has, too.
struct StepData {
  Call call;                       // without an operator if the step has parts
  Results results;                 // of the call
  std::vector<int> reads, writes;  // views; results that it makes count as writes
  std::vector<int> allocates;      // those of its writes whose memory Frame::allocate() provides
  bool draws = false;              // it draws random numbers
  bool looks = false;              // it is a guard: run() may return false
  bool is_foreign = false;         // it runs code that may keep the arrays that it receives
};

class Step : public StepData {
 public:
  Step() = default;
  Step& operator=(const Step&) = delete;
  virtual ~Step() = default;

  // Returns false if the step's outcome differs from the traced one, on which the function's
  // control flow may depend.
  virtual bool run(Frame& frame) const = 0;
  // Such as "add", or "block(2)" for a step with two parts.
  virtual std::string name() const { return call.name; }
  // The text before its parts, such as "block(".
  virtual std::string heading() const { return name() + '('; }
  // A copy; null if the step may have a state.
  virtual std::unique_ptr<Step> clone() const { return nullptr; }
  // Runs its parts one by one. Returns false if one of them does.
  bool run_parts(Frame& frame) const;
  // Whether its parallel parts are too short for worker threads that have to be woken: Note [Kept
  // threads].
  virtual bool has_short_shares(const Trace& /*trace*/) const { return false; }

  std::vector<std::unique_ptr<Step>> parts;  // the steps that it replaces, and whose calls it computes

 protected:
  Step(const Step& other) : StepData(other) {}
};

struct Trace {
  const Slot& slot_of(int view) const { return slots[static_cast<size_t>(views[static_cast<size_t>(view)].slot)]; }

  std::vector<Slot> slots;
  std::vector<std::vector<int>> views_of_slots;  // set by plan(), like `done`
  std::vector<std::vector<int>> done;            // per step: slots that no later step needs
  std::vector<View> views;
  std::vector<std::unique_ptr<Step>> steps;
  std::unique_ptr<Trace> reference;  // Note [Verification]; null: it is not verified
  size_t arena_bytes = 0;            // arena of a replay, for results that live no longer than it
  size_t first_change = 0;           // the first step with an effect outside of the trace
  int num_arguments = 0;
  bool keeps_threads = false;  // keep worker threads awake during a replay
};

}  // namespace tnp::compiler
