// The memory of one replay: Note [Records].
#pragma once

#include <vector>

#include "aten/compiler/record.h"

namespace tnp::compiler {

class TNP_API Frame {
 public:
  // Of tensors without data, which say what shapes a step gives: those that are bound are compared, and nothing else.
  enum class Data : uint8_t { Real, None };
  explicit Frame(const Record& record, Data data = Data::Real);
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;

  // Array number `i` of the call.
  void set_argument(int i, const Tensor& array);
  // -1: undefined.
  const Tensor& tensor(int view);
  char* data(int view) {
    const View& v = record_.views[static_cast<size_t>(view)];
    char*& origin = origins_[static_cast<size_t>(v.slot)];
    if (TNP_UNLIKELY(!origin)) origin = storages_[static_cast<size_t>(v.slot)]->data();  // of a result that was pending
    return origin + v.offset;
  }
  // Memory for a view that is all of its slot.
  char* allocate(int view);
  // `result` is the view, and its storage the slot's, from now on. False: it has another shape, dtype or layout.
  bool bind(int view, const Tensor& result);
  void release(int slot);
  // Drops what belongs to this call.
  void clear();
  const Record& record() const { return record_; }

 private:
  const Record& record_;
  const Data data_;
  std::vector<int> slots_of_arguments_;  // -1: it shares the slot of another one
  std::vector<intrusive_ptr<Storage>> storages_;
  std::vector<char*> origins_;
  intrusive_ptr<Storage> arena_;
  std::vector<Tensor> tensors_;  // of views, once they are asked for
};

}  // namespace tnp::compiler
