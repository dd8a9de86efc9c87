// Records what a function does on a thread: Note [Records] in record.h, Note [Observers] in aten/core/observer.h.
#pragma once

#include <exception>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "aten/compiler/record.h"
#include "aten/core/observer.h"
#include "aten/kernels/pointwise.h"

namespace tnp::compiler {

class TNP_API Recorder final : public Observer {
 public:
  // What becomes of floating-point errors where an operator is called: the same as where the function began, nothing,
  // or something else.
  enum class Errors : uint8_t { AsBefore, Ignored, Other };
  explicit Recorder(Record& record, Errors (*errors)() = nullptr) : record_(record), errors_(errors) {}
  ~Recorder();

  // Arrays that are known before the function runs.
  void add_argument(const Tensor& array);
  void add_outside(const Tensor& array);

  bool pointwise(const PointwiseOp& op, TensorList inputs, const PointwiseOptions& options, Tensor* results) override;
  bool reduce(const ReductionOp& op, const Tensor& input, OptIntList dim, bool keepdim, std::optional<ScalarType> dtype,
              const ReduceOptions& options, Tensor& result) override;
  bool copy(const Tensor& to, const Tensor& from, Casting casting) override;
  bool fill(const Tensor& t, const Scalar& value) override;
  void touched(const Tensor& t) override;
  void read_item(const Tensor& t, const Scalar& value) override;
  void drew() override;
  void made_view(const Tensor& of, TensorImpl& view) override;
  void lent(Storage& storage) override;
  void made_constant(const Tensor& t) override;

  // --- of steps (call.h)
  bool is_within_operator() const { return depth_ > 0; }
  // Stands around what an operator does itself.
  class Within {
   public:
    explicit Within(Recorder& r) : recorder_(r), num_exceptions_(std::uncaught_exceptions()) { ++recorder_.depth_; }
    ~Within() {
      --recorder_.depth_;
      if (std::uncaught_exceptions() > num_exceptions_) recorder_.note_raised();
    }
    Within(const Within&) = delete;
    Within& operator=(const Within&) = delete;

   private:
    Recorder& recorder_;
    const int num_exceptions_;
  };
  // An operator has raised. If the function handles that, its record holds the way through the handler alone: nothing
  // in it would notice a call in which the operator does not raise.
  void note_raised() { has_raised_ = true; }
  void fail_if_raised() {
    if (has_raised_) fail("an operator raises an error, which the function handles");
  }
  // The view of a tensor that a step reads; -1 of an undefined one.
  int read(const Tensor& t, Step& step);
  // What an operator gave, after it ran: a new slot, or a view of one that there is.
  int made(const Tensor& t, Step& step);
  // The slots of what the step reads, before and after it ran: those that it changed are among its writes.
  std::vector<uint32_t> versions(const Step& step) const;
  void note_changes(Step& step, const std::vector<uint32_t>& before);
  void add(std::unique_ptr<Step> step);
  // A step that did nothing but to make views is none.
  bool is_needed(const Step& step) const;
  // Whether the step gives the same shapes where arrays have no data.
  bool is_same_without_data(const Step& step) const;
  // The dialect that a step is replayed in.
  Dialect dialect_of_step();
  // What is to be looked at now must be looked at before anything outside is changed.
  void fail_after_changes() {
    if (has_effects_)
      fail(
          "Python looks at a value, or makes an array whose shape depends on values, after something outside has "
          "changed");
  }

  // An operator that is made of others is recorded as those, or as itself where one of them cannot be.
  struct Mark {
    size_t slots, views, steps;
    bool has_effects;
  };
  Mark mark() const;
  // Whether all that was done since is recorded, and Python looked at nothing.
  bool is_complete(const Mark& since) const;
  bool knows(const Tensor& t) const { return !t.defined() || slots_.contains(&t.storage()); }
  void go_back(const Mark& to);

  // What the caller gets, or keeps: -1 where it is not of the record.
  int result(const Tensor& t);
  bool is_constant(int view) const {
    return record_.slots[static_cast<size_t>(record_.views[static_cast<size_t>(view)].slot)].is_constant;
  }
  bool is_constant(const Tensor& t) {
    const int slot = slot_of(t);
    return slot >= 0 && record_.slots[static_cast<size_t>(slot)].is_constant;
  }
  // Whether the function has made this tensor as a view of what the record knows: `x.detach()`, `x[1:]`.
  bool is_made_view(const Tensor& t);
  void become_view_of_copy(const Tensor& of, TensorImpl& view);
  // Whether arrays that were there before are what they were, but for their elements; else it has failed.
  void check_arrays();
  // That it cannot be replayed, and why: the first reason counts.
  void fail(std::string reason);
  const std::string& failure() const { return failure_; }
  // Whether something that is not the record's own has changed, as far as it knows: it knows all if it has not failed.
  bool has_effects() const { return has_effects_; }

 private:
  Errors errors_now() const;
  void add_given(const Tensor& array, Origin origin);
  int slot_of(const Tensor& t);  // -1: none
  void check_version(int slot);
  int new_slot(const Tensor& t, Origin origin);
  int new_constant(const Tensor& t);
  // Memory that was taken a moment ago, to be written to.
  void define(const Tensor& t);
  int view(const Tensor& t, int slot);
  int64_t offset_of(const Tensor& t, int slot);  // bytes from the slot's origin
  void watch(TensorImpl* impl, int slot, bool is_made = false);
  // Gives back large memory that nobody else knows of any more.
  void drop_unreachable();

  Record& record_;
  Errors (*const errors_)();
  int depth_ = 0;
  bool has_drawn_ = false;  // the operator that is running
  bool has_effects_ = false;
  bool has_raised_ = false;
  std::string failure_;
  std::unordered_map<const Storage*, int> slots_;
  std::vector<intrusive_ptr<Storage>> storages_;  // of slots: no other has their address
  std::vector<char*> origins_;                    // null: it was pending when it was last asked for
  std::vector<uint32_t> versions_;                // what the record knows of
  std::vector<std::vector<int>> views_;           // of slots
  struct Watched {
    intrusive_ptr<TensorImpl> impl;
    bool is_made;  // while recording, as a view of another
  };
  std::vector<std::vector<Watched>> watched_;  // of slots
  std::vector<int> large_;                     // slots of steps that hold much
  struct Given {
    Tensor array;
    View view;
    bool requires_grad, is_leaf;
  };
  std::vector<Given> given_;
};

// The recorder of this thread, if an operator's call is to be recorded by itself.
inline Recorder* active_recorder() {
  auto* r = static_cast<Recorder*>(observer());
  return r && !r->is_within_operator() ? r : nullptr;
}

}  // namespace tnp::compiler
