#include "aten/compiler/views.h"

#include <algorithm>

namespace tnp::compiler {

bool has_slot(const Trace& r, const std::vector<int>& views, int slot) {
  return std::any_of(views.begin(), views.end(), [&](int v) { return slot_of(r, v) == slot; });
}

bool changes_outside(const Trace& r, const Step& step) {
  return std::any_of(step.writes.begin(), step.writes.end(),
                     [&](int v) { return r.slot_of(v).origin != Origin::Step; });
}

std::vector<int> uses_of_slots(const Trace& r) {
  std::vector<int> uses(r.slots.size());
  for (const auto& step : r.steps) for_each_view(*step, [&](int v) { ++uses[static_cast<size_t>(slot_of(r, v))]; });
  return uses;
}

int64_t bytes_of(const View& v) { return v.numel * element_size(v.dtype); }

std::pair<int64_t, int64_t> extent(const View& v) {
  if (v.numel == 0) return {0, 0};
  const int64_t size = element_size(v.dtype);
  int64_t begin = 0, end = size;
  for (size_t d = 0; d < v.sizes.size(); ++d) {
    const int64_t reach = (v.sizes[d] - 1) * v.strides[d] * size;
    (reach < 0 ? begin : end) += reach;
  }
  return {begin, end};
}

DimVector strides_along(const View& v, IntList sizes) {
  DimVector strides(sizes.size(), 0);
  const size_t offset = sizes.size() - v.sizes.size();
  for (size_t d = 0; d < v.sizes.size(); ++d)
    if (v.sizes[d] > 1) strides[offset + d] = v.strides[d] * element_size(v.dtype);
  return strides;
}

namespace {

Tensor marked(Tensor t, const View& v) {
  t.impl()->is_wrapped_number = v.is_wrapped_number;
  t.impl()->is_value = v.is_value;
  return t;
}

}  // namespace

Tensor without_elements(const View& v) {
  return marked(empty_strided_tensor(v.sizes, v.strides, v.dtype, Device{DeviceType::Meta}), v);
}

Tensor operand(const Trace& r, int view) {
  const View& v = view_of(r, view);
  const Slot& slot = r.slot_of(view);
  if (!slot.is_constant) return without_elements(v);
  char* const data = slot.outside.address() + v.offset;
  return marked(Tensor(make_intrusive<TensorImpl>(slot.outside.impl()->storage, v.dtype, v.sizes, v.strides, data)), v);
}

std::vector<int> first_of_equal_views(const Trace& r) {
  std::vector<int> all;
  std::vector<std::vector<int>> of_slots(r.slots.size());
  for (size_t v = 0; v < r.views.size(); ++v) {
    std::vector<int>& known = of_slots[static_cast<size_t>(r.views[v].slot)];
    int first = -1;
    for (int w : known)
      if (first < 0 && r.views[static_cast<size_t>(w)] == r.views[v]) first = w;
    if (first < 0) known.push_back(first = static_cast<int>(v));
    all.push_back(first);
  }
  return all;
}

}  // namespace tnp::compiler
