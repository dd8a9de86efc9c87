// Tracer: traces a function on a thread. Note [Traces] in trace.h, Note [Observers] in
// aten/core/observer.h.
#pragma once

#include <exception>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "aten/compiler/trace.h"
#include "aten/core/observer.h"
#include "aten/kernels/pointwise.h"

namespace tnp::compiler {

class TNP_API Tracer final : public Observer {
 public:
  // How floating-point errors are handled at an operator's call: as at the start of the function,
  // ignored, or otherwise.
  enum class Errors : uint8_t { AsBefore, Ignored, Other };
  explicit Tracer(Trace& trace, Errors (*errors)() = nullptr)
      : Observer(Kind::Tracer), trace_(trace), errors_(errors) {}
  ~Tracer();

  // Arrays that exist before the function runs.
  void add_argument(const Tensor& array);
  void add_gradient(const Tensor& array);  // of an argument or of an array from outside
  void add_outside(const Tensor& array);

  bool pointwise(const PointwiseOp& op, TensorList inputs, const PointwiseOptions& options, Tensor* results) override;
  bool reduce(const ReductionOp& op, const Tensor& input, OptIntList dim, bool keepdim, std::optional<ScalarType> dtype,
              const ReduceOptions& options, Tensor& result) override;
  bool copy(const Tensor& to, const Tensor& from, Casting casting) override;
  bool fill(const Tensor& t, const Scalar& value) override;
  void touched(const Tensor& t) override;
  void read_item(const Tensor& t, const Scalar& value) override;
  Scalar item_of_wrapped(const Tensor& t) override;
  Device device_of_parts() override;
  void drew() override;
  void made_view(const Tensor& of, TensorImpl& view) override;
  void lent(Storage& storage) override;
  void made_constant(const Tensor& t) override;
  void read_hidden(const Tensor& t, const char* what) override;
  void accessed_gradient(const Tensor& t) override;

  // --- for steps (call.h)
  bool is_within_operator() const { return depth_ > 0; }
  // Scope of an operator's own implementation; operators called inside are not traced.
  class Within {
   public:
    explicit Within(Tracer& r) : tracer_(r), num_exceptions_(std::uncaught_exceptions()) { ++tracer_.depth_; }
    ~Within() {
      --tracer_.depth_;
      if (std::uncaught_exceptions() > num_exceptions_) tracer_.note_raised();
    }
    Within(const Within&) = delete;
    Within& operator=(const Within&) = delete;

   private:
    Tracer& tracer_;
    const int num_exceptions_;
  };
  // Notes that an operator has raised. If the function handles the exception, the trace only has
  // the path through the handler: no step of it would notice that the operator does not raise in
  // another call.
  void note_raised() { has_raised_ = true; }
  void fail_if_raised() {
    if (has_raised_) fail("an operator raises an error, which the function handles");
  }
  // The view of a tensor that a step reads; -1 if the tensor is undefined.
  int read(const Tensor& t, Step& step);
  // The view of an operator's result, after the operator ran: in a new slot, or in one that exists.
  int made(const Tensor& t, Step& step);
  // In-place changes. versions() returns the version counters of the slots that a step reads. After
  // the operator ran, note_changes() compares them with `before` and adds the changed slots to the
  // step's writes.
  std::vector<uint32_t> versions(const Step& step) const;
  void note_changes(Step& step, const std::vector<uint32_t>& before);
  void add(std::unique_ptr<Step> step);
  // Whether the step did more than make views.
  bool is_needed(const Step& step) const;
  // Whether the step gives the same shapes when it runs on arrays without data.
  bool is_same_without_data(const Step& step) const;
  // The dialect to replay a step in.
  Dialect dialect_of_step();
  // Call where Python reads a value. Fails if something outside has changed before, as guards must
  // precede effects.
  void fail_after_changes() {
    if (has_effects_)
      fail(
          "Python reads a value, or makes an array whose shape depends on values, after an effect outside the "
          "function");
  }

  // Position in a trace. A composite operator is traced as the operators it calls, or, after
  // go_back(), as a single step if one of those cannot be traced.
  struct Mark {
    size_t slots, views, steps;
    bool has_effects;
  };
  Mark mark() const;
  // Whether everything since `since` was traced, and Python read no value.
  bool is_complete(const Mark& since) const;
  bool knows(const Tensor& t) const { return !t.defined() || slots_.contains(&t.storage()); }
  void go_back(const Mark& to);

  // The view of an array that the caller receives or keeps; -1 if the array is not part of the
  // trace.
  int result(const Tensor& t);
  bool is_constant(int view) const {
    return trace_.slots[static_cast<size_t>(trace_.views[static_cast<size_t>(view)].slot)].is_constant;
  }
  bool is_outside(int view) const {
    return trace_.slots[static_cast<size_t>(trace_.views[static_cast<size_t>(view)].slot)].origin == Origin::Outside;
  }
  bool is_constant(const Tensor& t) {
    const int slot = slot_of(t);
    return slot >= 0 && trace_.slots[static_cast<size_t>(slot)].is_constant;
  }
  // Whether the function made this tensor as a view of a traced one: `x.detach()`, `x[1:]`.
  bool is_made_view(const Tensor& t);
  void become_view_of_copy(const Tensor& of, TensorImpl& view);
  // Checks that arrays from before the call have kept everything but their elements; fails
  // otherwise.
  void check_arrays();
  // Marks the trace as not replayable. The first reason is kept.
  void fail(std::string reason);
  // A value that becomes a number of the program's language fails for this reason, and is not replaced by a 0-d array.
  void refuse_scalars(std::string reason) { scalar_failure_ = std::move(reason); }
  const std::string& scalar_failure() const { return scalar_failure_; }
  const std::string& failure() const { return failure_; }
  // Whether something outside of the trace has changed. Reliable only if the tracing has not
  // failed.
  bool has_effects() const { return has_effects_; }

 private:
  Errors errors_now() const;
  void add_given(const Tensor& array, Origin origin, bool is_gradient = false);
  int slot_of(const Tensor& t);  // -1: none
  void check_version(int slot);
  int new_slot(const Tensor& t, Origin origin);
  int new_constant(const Tensor& t);
  // Traces the allocation of memory that the running operator has just made, to be written to.
  void define(const Tensor& t);
  int view(const Tensor& t, int slot);
  int64_t offset_of(const Tensor& t, int slot);  // in bytes, from the slot's origin
  void watch(TensorImpl* impl, int slot, bool is_made = false);
  // Releases large memory that only the tracer still references.
  void drop_unreachable();

  Trace& trace_;
  Errors (*const errors_)();
  int depth_ = 0;
  bool has_drawn_ = false;  // the operator that is running has drawn random numbers
  bool has_effects_ = false;
  bool has_raised_ = false;
  std::string failure_;
  std::string scalar_failure_;
  std::unordered_map<const Storage*, int> slots_;
  std::vector<intrusive_ptr<Storage>> storages_;  // of slots; holding them keeps their addresses unique
  std::vector<char*> origins_;                    // null: still pending when last queried
  std::vector<uint32_t> versions_;                // last version of each slot that the trace accounts for
  std::vector<std::vector<int>> views_;           // per slot
  struct Watched {
    intrusive_ptr<TensorImpl> impl;
    bool is_made;  // made during tracing, as a view of another tensor
  };
  std::vector<std::vector<Watched>> watched_;  // per slot
  std::vector<int> large_;                     // slots of steps with large memory
  struct Given {
    Tensor array;
    View view;
    bool requires_grad, is_leaf, is_gradient;
  };
  std::vector<Given> given_;
};

// This thread's tracer, if a call of an operator is to be traced now; null inside of an
// operator that is traced.
inline Tracer* active_tracer() {
  auto* r = is_tracing() ? static_cast<Tracer*>(observer()) : nullptr;
  return r && !r->is_within_operator() ? r : nullptr;
}

}  // namespace tnp::compiler
