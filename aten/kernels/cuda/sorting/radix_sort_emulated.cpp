// Stable sort on the emulated device: std::stable_sort on host memory.
#include <algorithm>
#include <vector>

#include "aten/cuda/emulation.h"
#include "aten/kernels/cuda/sorting/radix_sort.h"

namespace tnp::gpu {

namespace {

template <class Key, class Item>
void sort_line(Key* keys, Item* items, int64_t n, Key mask) {
  struct Pair {
    Key key;
    Item item;
  };
  std::vector<Pair> pairs(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i) pairs[static_cast<size_t>(i)] = {keys[i], items ? items[i] : Item{}};
  std::stable_sort(pairs.begin(), pairs.end(),
                   [mask](const Pair& a, const Pair& b) { return (a.key & mask) < (b.key & mask); });
  for (int64_t i = 0; i < n; ++i) {
    keys[i] = pairs[static_cast<size_t>(i)].key;
    if (items) items[i] = pairs[static_cast<size_t>(i)].item;
  }
}

}  // namespace

void radix_sort(Tensor& keys, Tensor& items, int64_t lines, int bits) {
  const bool wide = items.defined() && items.dtype() == ScalarType::UInt64;
  TNP_INTERNAL_ASSERT(!wide || keys.dtype() == ScalarType::UInt64);
  const emulation::Access access;
  const int64_t n = keys.numel() / lines;
  auto sort = [&]<class Key, class Item>(Key*, Item*) {
    auto* key = reinterpret_cast<Key*>(keys.address());
    auto* item = items.defined() ? reinterpret_cast<Item*>(items.address()) : nullptr;
    const auto mask = static_cast<Key>(static_cast<Key>(~Key{0}) >> (8 * sizeof(Key) - static_cast<size_t>(bits)));
    for (int64_t line = 0; line < lines; ++line) sort_line(key + line * n, item ? item + line * n : nullptr, n, mask);
  };
  uint16_t* k16 = nullptr;
  uint32_t* k32 = nullptr;
  uint64_t* k64 = nullptr;
  if (keys.dtype() == ScalarType::UInt16)
    sort(k16, k32);
  else if (keys.dtype() == ScalarType::UInt32)
    sort(k32, k32);
  else if (wide)
    sort(k64, k64);
  else
    sort(k64, k32);
}

}  // namespace tnp::gpu
