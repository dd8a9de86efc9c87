// An operator of a library: its call, from inputs to recorded outputs.
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

// What stands for each argument of a call. Borrowed.
struct LibraryArguments {
  std::span<const TorchNpValue> values;
  const char* const* names = nullptr;    // as many
  std::span<const int64_t> copies = {};  // inputs that were made of something else: what changes them would be lost
};
// A copy, for a derivative that reads them later.
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
  // `num_outputs`: of the schema; -1: as many as its functions say. `mutated`: of the schema's Tensors, by argument.
  LibraryOperator(std::shared_ptr<SharedLibrary> library, const TorchNpOperator& table, int64_t num_outputs);

  // Appends the results for `inputs`, which are undefined where an optional one was not given. `mutated`: the inputs
  // that are changed in place, which a schema says. Raises what the library says, and Runtime, Value or Type for
  // whatever it says that makes no sense: messages name the operator and the library.
  void operator()(const LibraryTensors& inputs, const LibraryArguments& arguments, std::span<const int64_t> mutated,
                  LibraryTensors& results) const;
  // The same, which no observer (Note [Observers]) takes for a call. `is_train`: say so, whether or not it is recorded.
  void run(const LibraryTensors& inputs, const LibraryArguments& arguments, std::span<const int64_t> mutated,
           LibraryTensors& results, bool is_train) const;

  const TorchNpOperator& table() const { return table_; }
  const char* name() const { return table_.name; }
  const SharedLibrary& library() const { return *library_; }
  // What the library's functions are given, which may be smaller than the table of this version.
  const TorchNpOperator& librarys_table() const { return librarys_table_; }
  bool has_schema() const { return table_.schema != nullptr; }

  // The function of the device that the Tensors are on. Raises NotImplemented.
  TorchNpFunction forward_on(Device device) const;
  TorchNpFunction backward_on(Device device) const;  // null: none
  CallContext context() const { return CallContext(library_->file_name(), table_.name); }

 private:
  friend class LibraryCall;
  std::shared_ptr<SharedLibrary> library_;
  const TorchNpOperator& librarys_table_;
  TorchNpOperator table_{};  // a copy; what an older library does not know is 0
  int64_t num_outputs_;
};

// A state of the library's, deleted when nobody needs it any more.
class LibraryState {
 public:
  LibraryState(std::shared_ptr<const LibraryOperator> op, void* state) : op_(std::move(op)), state_(state) {}
  ~LibraryState() {
    if (state_) op_->table().delete_state(&op_->librarys_table(), state_);
  }
  LibraryState(const LibraryState&) = delete;
  LibraryState& operator=(const LibraryState&) = delete;
  void* get() const { return state_; }

  std::mutex mutex;  // of backward

 private:
  std::shared_ptr<const LibraryOperator> op_;
  void* state_;
};

// Fills in a TorchNpCall about `device`, but for tensors.
void describe_call(TorchNpCall& call, CallContext& context, Device device, const LibraryArguments& arguments);
// Inputs as the operator takes them: aligned, and contiguous unless it takes strides.
Tensor as_operand(const TorchNpOperator& table, const Tensor& t);

// The current device of this thread, for a call that launches kernels.
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
