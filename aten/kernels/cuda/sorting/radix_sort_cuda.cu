// Radix sort by CUB: DeviceRadixSort for long lines, one after the other, and DeviceSegmentedSort
// for shorter lines. The latter sorts all lines in one or a few launches.
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_segmented_sort.cuh>

#include "aten/cuda/launch.h"
#include "aten/kernel_functions/creation.h"
#include "aten/kernels/cuda/cub_memory.h"
#include "aten/kernels/cuda/sorting/radix_sort.h"

namespace tnp::gpu {

namespace {

// DeviceSegmentedSort gives a line to one block, which takes time in proportion to its length.
// DeviceRadixSort takes at least some tens of microseconds per line.
constexpr int64_t kLongLine = 8192;  // a line of n elements is long if n >= kLongLine * lines

template <class Key, class Item>
void sort(Tensor& keys, Tensor& items, int64_t lines, int bits) {
  const Device device = keys.device();
  const bool pairs = items.defined();
  const int64_t n = keys.numel() / lines;
  Tensor other_keys = empty_tensor(keys.sizes(), keys.dtype(), device), other_items;
  if (pairs) other_items = empty_tensor(items.sizes(), items.dtype(), device);
  const LaunchScope scope(device);
  auto* stream = static_cast<cudaStream_t>(scope.stream());
  auto keys_from = [&](int64_t i) {
    return cub::DoubleBuffer<Key>(reinterpret_cast<Key*>(keys.address()) + i,
                                  reinterpret_cast<Key*>(other_keys.address()) + i);
  };
  auto items_from = [&](int64_t i) {
    return cub::DoubleBuffer<Item>(reinterpret_cast<Item*>(items.address()) + i,
                                   reinterpret_cast<Item*>(other_items.address()) + i);
  };
  // The index of the buffer that holds the result. All lines have the same index, because they need
  // the same passes.
  int selector = 0;
  constexpr bool kWide = sizeof(Item) == 8;  // lines of more than 2^32 items are always long
  if (kWide || n / kLongLine >= lines || lines == 1) {
    for (int64_t line = 0; line < lines; ++line) {
      with_cub_memory(device, [&](void* memory, size_t& bytes) {
        auto key = keys_from(line * n);
        cudaError_t status;
        if (pairs) {
          auto item = items_from(line * n);
          status = cub::DeviceRadixSort::SortPairs(memory, bytes, key, item, n, 0, bits, stream);
        } else {
          status = cub::DeviceRadixSort::SortKeys(memory, bytes, key, n, 0, bits, stream);
        }
        selector = key.selector;
        return status;
      });
    }
  } else if constexpr (!kWide) {
    const Tensor starts = empty_tensor({lines + 1}, ScalarType::Int64, device);
    native::arithmetic_sequence_cuda(lines + 1, Scalar(0), Scalar(n), ScalarType::Int64, device, starts);
    const auto* begins = reinterpret_cast<const int64_t*>(starts.address());
    with_cub_memory(device, [&](void* memory, size_t& bytes) {
      auto key = keys_from(0);
      cudaError_t status;
      if (pairs) {
        auto item = items_from(0);
        status = cub::DeviceSegmentedSort::StableSortPairs(memory, bytes, key, item, lines * n, lines, begins,
                                                           begins + 1, stream);
      } else {
        status =
            cub::DeviceSegmentedSort::StableSortKeys(memory, bytes, key, lines * n, lines, begins, begins + 1, stream);
      }
      selector = key.selector;
      return status;
    });
  }
  if (selector == 0) return;
  keys = other_keys;
  items = other_items;
}

}  // namespace

void radix_sort(Tensor& keys, Tensor& items, int64_t lines, int bits) {
  const bool wide = items.defined() && items.dtype() == ScalarType::UInt64;
  TNP_INTERNAL_ASSERT(!wide || keys.dtype() == ScalarType::UInt64);
  if (keys.dtype() == ScalarType::UInt16)
    sort<uint16_t, uint32_t>(keys, items, lines, bits);
  else if (keys.dtype() == ScalarType::UInt32)
    sort<uint32_t, uint32_t>(keys, items, lines, bits);
  else if (wide)
    sort<uint64_t, uint64_t>(keys, items, lines, bits);
  else
    sort<uint64_t, uint32_t>(keys, items, lines, bits);
}

}  // namespace tnp::gpu
