#include "aten/compiler/frame.h"

namespace tnp::compiler {

Frame::Frame(const Record& record, Data data)
    : record_(record),
      data_(data),
      storages_(record.slots.size()),
      origins_(record.slots.size()),
      tensors_(record.views.size()) {
  for (size_t s = 0; s < record.slots.size(); ++s) {
    const Slot& slot = record.slots[s];
    if (slot.origin != Origin::Outside) continue;
    storages_[s] = slot.outside.impl()->storage;
    origins_[s] = slot.outside.address();
  }
}

void Frame::set_argument(int i, const Tensor& array) {
  for (size_t s = 0; s < record_.slots.size(); ++s) {
    if (record_.slots[s].argument != i) continue;
    storages_[s] = array.impl()->storage;
    origins_[s] = array.address();
  }
}

const Tensor& Frame::tensor(int view) {
  static const Tensor undefined;
  if (view < 0) return undefined;
  Tensor& t = tensors_[static_cast<size_t>(view)];
  if (!t.defined()) {
    const View& v = record_.views[static_cast<size_t>(view)];
    const auto slot = static_cast<size_t>(v.slot);
    if (data_ == Data::None) return t = empty_strided_tensor(v.sizes, v.strides, v.dtype, Device{DeviceType::Meta});
    t = Tensor(make_intrusive<TensorImpl>(storages_[slot], v.dtype, v.sizes, v.strides, data(view)));
    t.impl()->is_wrapped_number = v.is_wrapped_number;
    t.impl()->is_value = v.is_value;
  }
  return t;
}

bool Frame::bind(int view, const Tensor& result) {
  const View& v = record_.views[static_cast<size_t>(view)];
  if (!result.defined() || result.dtype() != v.dtype || !(result.sizes() == IntList(v.sizes)) ||
      !(result.strides() == IntList(v.strides)))
    return false;
  if (data_ == Data::None) return true;
  const auto slot = static_cast<size_t>(v.slot);
  if (!storages_[slot] && result.storage().is_pending()) {  // it stays so until somebody asks where it is
    storages_[slot] = result.impl()->storage;
    tensors_[static_cast<size_t>(view)] = result;
    return true;
  }
  if (origins_[slot]) return result.address() == data(view);  // written where it was to be
  storages_[slot] = result.impl()->storage;
  origins_[slot] = result.address() - v.offset;
  tensors_[static_cast<size_t>(view)] = result;
  return true;
}

char* Frame::allocate(int view) {
  const View& v = record_.views[static_cast<size_t>(view)];
  const auto slot = static_cast<size_t>(v.slot);
  const Slot& s = record_.slots[slot];
  if (s.place >= 0) {
    if (!arena_) arena_ = new_storage(record_.arena_bytes, Device{});
    arena_->prepare_change();  // operators that are done later may read what was here
    storages_[slot] = arena_;
    return origins_[slot] = arena_->data() + s.place;
  }
  storages_[slot] = new_storage(static_cast<size_t>(v.numel * element_size(v.dtype)), Device{});
  return origins_[slot] = storages_[slot]->data();
}

void Frame::release(int slot) {
  const auto s = static_cast<size_t>(slot);
  for (int v : record_.views_of_slots[s]) tensors_[static_cast<size_t>(v)] = Tensor();
  storages_[s] = nullptr;
  origins_[s] = nullptr;
}

void Frame::clear() {
  for (size_t s = 0; s < record_.slots.size(); ++s) {
    if (record_.slots[s].origin == Origin::Outside) continue;
    storages_[s] = nullptr;
    origins_[s] = nullptr;
  }
  for (size_t v = 0; v < tensors_.size(); ++v)
    if (record_.slots[static_cast<size_t>(record_.views[v].slot)].origin != Origin::Outside) tensors_[v] = Tensor();
}

}  // namespace tnp::compiler
