// Frame: the memory of one replay. Note [Traces].
#pragma once

#include <vector>

#include "aten/compiler/trace.h"

namespace tnp::compiler {

class TNP_API Frame {
 public:
  // None: tensors have no data, to compute the shapes that a step gives. bind() then compares
  // shapes and does nothing else.
  enum class Data : uint8_t { Real, None };
  explicit Frame(const Trace& trace, Data data = Data::Real);
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;

  // Binds array argument number `i` of the call.
  void set_argument(int i, const Tensor& array);
  // The tensor of a view; -1 gives an undefined one.
  const Tensor& tensor(int view);
  char* data(int view) {
    const View& v = trace_.views[static_cast<size_t>(view)];
    char*& origin = origins_[static_cast<size_t>(v.slot)];
    // The result was pending.
    if (TNP_UNLIKELY(!origin)) origin = storages_[static_cast<size_t>(v.slot)]->data();
    return origin + v.offset;
  }
  bool is_available(int view) const { return storage(trace_.views[static_cast<size_t>(view)].slot) != nullptr; }
  const intrusive_ptr<Storage>& storage(int slot) const { return storages_[static_cast<size_t>(slot)]; }
  // Binds the arguments to those of a frame of the same trace.
  void share_arguments(const Frame& other);
  // Allocates the memory of a view that spans its whole slot.
  char* allocate(int view);
  // Binds a step's result to the view, and its storage to the slot. Returns false if shape, dtype
  // or layout differ from the trace.
  bool bind(int view, const Tensor& result);
  void release(int slot);
  // Releases this call's memory.
  void clear();
  const Trace& trace() const { return trace_; }

 private:
  const Trace& trace_;
  const Data data_;
  std::vector<int> slots_of_arguments_;  // -1: shares the slot of another argument
  std::vector<intrusive_ptr<Storage>> storages_;
  std::vector<char*> origins_;
  intrusive_ptr<Storage> arena_;
  std::vector<Tensor> tensors_;  // of views, made on demand
};

}  // namespace tnp::compiler
