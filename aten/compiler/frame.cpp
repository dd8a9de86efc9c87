#include "aten/compiler/frame.h"

#include <algorithm>

#include "aten/compiler/views.h"
#include "aten/iterator/copy.h"

namespace tnp::compiler {

bool Step::run_parts(Frame& frame) const {
  return std::all_of(parts.begin(), parts.end(), [&](const auto& part) { return part->run(frame); });
}

Frame::Frame(const Trace& trace, Data data)
    : trace_(trace),
      data_(data),
      slots_of_arguments_(static_cast<size_t>(trace.num_arguments), -1),
      storages_(trace.slots.size()),
      origins_(trace.slots.size()),
      tensors_(trace.views.size()) {
  if (data == Data::Real && trace.arena_bytes > 0) arena_ = new_storage(trace.arena_bytes, Device{});
  for (size_t s = 0; s < trace.slots.size(); ++s) {
    const Slot& slot = trace.slots[s];
    if (slot.argument >= 0) slots_of_arguments_[static_cast<size_t>(slot.argument)] = static_cast<int>(s);
    if (slot.origin == Origin::Outside) {
      storages_[s] = slot.outside.impl()->storage;
      origins_[s] = slot.outside.address();
    } else if (arena_ && slot.place >= 0) {
      storages_[s] = arena_;
      origins_[s] = arena_->data() + slot.place;
    }
  }
}

void Frame::set_argument(int i, const Tensor& array) {
  const int slot = slots_of_arguments_[static_cast<size_t>(i)];
  if (slot < 0) return;
  storages_[static_cast<size_t>(slot)] = array.impl()->storage;
  origins_[static_cast<size_t>(slot)] = array.address();
}

void Frame::share_arguments(const Frame& other) {
  for (size_t s = 0; s < trace_.slots.size(); ++s) {
    if (trace_.slots[s].origin != Origin::Argument) continue;
    storages_[s] = other.storages_[s];
    origins_[s] = other.origins_[s];
  }
}

const Tensor& Frame::tensor(int view) {
  static const Tensor undefined;
  if (view < 0) return undefined;
  Tensor& t = tensors_[static_cast<size_t>(view)];
  if (!t.defined()) {
    const View& v = trace_.views[static_cast<size_t>(view)];
    const auto slot = static_cast<size_t>(v.slot);
    if (data_ == Data::None) return t = without_elements(v);
    t = Tensor(make_intrusive<TensorImpl>(storages_[slot], v.dtype, v.sizes, v.strides, data(view)));
    t.impl()->is_wrapped_number = v.is_wrapped_number;
    t.impl()->is_value = v.is_value;
  }
  return t;
}

bool Frame::bind(int view, const Tensor& result) {
  const View& v = trace_.views[static_cast<size_t>(view)];
  if (!result.defined() || result.dtype() != v.dtype || !(result.sizes() == IntList(v.sizes)) ||
      !(result.strides() == IntList(v.strides)))
    return false;
  if (data_ == Data::None) return true;
  const auto slot = static_cast<size_t>(v.slot);
  if (!storages_[slot] && result.storage().is_pending()) {  // stays pending until its address is requested
    storages_[slot] = result.impl()->storage;
    tensors_[static_cast<size_t>(view)] = result;
    return true;
  }
  if (origins_[slot]) {
    if (result.address() == data(view)) return true;  // written to the view's memory already
    if (trace_.slots[slot].place < 0) return false;
    // A step that does not support an output buffer. Other steps read its result in the arena.
    copy_into(tensor(view), result);
    return true;
  }
  storages_[slot] = result.impl()->storage;
  origins_[slot] = result.address() - v.offset;
  tensors_[static_cast<size_t>(view)] = result;
  return true;
}

char* Frame::allocate(int view) {
  const View& v = trace_.views[static_cast<size_t>(view)];
  const auto slot = static_cast<size_t>(v.slot);
  if (trace_.slots[slot].place >= 0) {
    arena_->prepare_change();  // pending operators may still read the former contents
    return origins_[slot];
  }
  storages_[slot] = new_storage(static_cast<size_t>(v.numel * element_size(v.dtype)), Device{});
  return origins_[slot] = storages_[slot]->data();
}

void Frame::release(int slot) {
  const auto s = static_cast<size_t>(slot);
  for (int v : trace_.views_of_slots[s]) tensors_[static_cast<size_t>(v)] = Tensor();
  storages_[s] = nullptr;
  origins_[s] = nullptr;
}

// Keeps the arena and arrays from outside.
void Frame::clear() {
  const auto is_kept = [](const Slot& s) { return s.origin == Origin::Outside || s.place >= 0; };
  for (size_t s = 0; s < trace_.slots.size(); ++s) {
    if (is_kept(trace_.slots[s])) continue;
    storages_[s] = nullptr;
    origins_[s] = nullptr;
  }
  for (size_t v = 0; v < tensors_.size(); ++v)
    if (tensors_[v].defined() && !is_kept(trace_.slots[static_cast<size_t>(trace_.views[v].slot)]))
      tensors_[v] = Tensor();
}

}  // namespace tnp::compiler
