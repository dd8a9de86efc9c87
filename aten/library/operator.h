// An operator of a library: computes the outputs of a call and records the call for autograd.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "aten/autograd/node.h"
#include "aten/library/context.h"
#include "aten/library/shared_library.h"

namespace tnp {

// The arguments of a call other than tensors. The caller owns the memory.
struct LibraryArguments {
  std::span<const TorchNpValue> values;
  const char* const* names = nullptr;  // one for each value
  // Inputs that are temporary copies of the caller's objects, so changes to them would be lost.
  std::span<const int64_t> copies = {};
};
// A copy of LibraryArguments that owns its memory. A derivative needs it, since it reads the
// arguments after the call.
class KeptArguments {
 public:
  explicit KeptArguments(const LibraryArguments& arguments);
  KeptArguments(const KeptArguments&) = delete;
  KeptArguments& operator=(const KeptArguments&) = delete;
  LibraryArguments get() const { return {values_, names_.data()}; }

 private:
  std::vector<TorchNpValue> values_;
  std::vector<const char*> names_;
  std::list<std::string> texts_;
  std::list<std::vector<int64_t>> integers_;
  std::list<std::vector<double>> numbers_;
  std::list<std::vector<uint8_t>> booleans_;
};

using LibraryTensors = InlineVector<Tensor, 6>;

class TNP_API LibraryOperator : public std::enable_shared_from_this<LibraryOperator> {
 public:
  // `num_outputs`: number of outputs according to the schema, or -1 if the operator's functions
  // determine the number.
  LibraryOperator(std::shared_ptr<SharedLibrary> library, const TorchNpOperator& table, int64_t num_outputs);

  // Appends the outputs to `results`. Optional inputs that the caller omitted are undefined
  // tensors. `mutated`: indices of the inputs that the operator changes in place, according to its
  // schema. Raises the library's errors. Raises Runtime, Value or Type if the library gives
  // inconsistent answers; the message names the operator and the library.
  void operator()(const LibraryTensors& inputs, const LibraryArguments& arguments, std::span<const int64_t> mutated,
                  LibraryTensors& results) const;
  // Same as operator(), but does not report the call to an observer (Note [Observers]). If
  // `is_train` is set, the library is told that the call is part of training, even if the call is
  // not recorded for autograd.
  void run(const LibraryTensors& inputs, const LibraryArguments& arguments, std::span<const int64_t> mutated,
           LibraryTensors& results, bool is_train) const;

  const TorchNpOperator& table() const { return table_; }
  const char* name() const { return table_.name; }
  const SharedLibrary& library() const { return *library_; }
  // The library's own table, passed to its functions. It may be smaller than this version's struct.
  const TorchNpOperator& librarys_table() const { return librarys_table_; }
  bool has_schema() const { return table_.schema != nullptr; }

  // Returns the operator's function for `device`. Raises NotImplemented if the library has none.
  TorchNpFunction forward_on(Device device) const;
  TorchNpFunction backward_on(Device device) const;  // null if the library has none
  CallContext context() const { return CallContext(library_->file_name(), table_.name); }

 private:
  friend class LibraryCall;
  std::shared_ptr<SharedLibrary> library_;
  const TorchNpOperator& librarys_table_;
  TorchNpOperator table_{};  // a copy; fields that an older library does not have are 0
  int64_t num_outputs_;
};

// Owns a state object that the library created, and lets the library delete it with the last
// reference.
class LibraryState {
 public:
  LibraryState(std::shared_ptr<const LibraryOperator> op, void* state) : op_(std::move(op)), state_(state) {}
  ~LibraryState() {
    if (state_) op_->table().delete_state(&op_->librarys_table(), state_);
  }
  LibraryState(const LibraryState&) = delete;
  LibraryState& operator=(const LibraryState&) = delete;
  void* get() const { return state_; }

  std::mutex mutex;  // locked during the backward function

 private:
  std::shared_ptr<const LibraryOperator> op_;
  void* state_;
};

// Fills in a TorchNpCall for `device`, except its tensors.
void describe_call(TorchNpCall& call, CallContext& context, Device device, const LibraryArguments& arguments);
// Returns `t`, or a copy of it, in a layout that the operator accepts: aligned, and contiguous
// unless the operator supports strides.
Tensor as_operand(const TorchNpOperator& table, const Tensor& t);

// Sets this thread's current device, for a call that launches kernels.
class CurrentDeviceGuard {
 public:
  explicit CurrentDeviceGuard(Device device);
  ~CurrentDeviceGuard();
  CurrentDeviceGuard(const CurrentDeviceGuard&) = delete;
  CurrentDeviceGuard& operator=(const CurrentDeviceGuard&) = delete;

 private:
  int before_ = -1;
};

}  // namespace tnp
