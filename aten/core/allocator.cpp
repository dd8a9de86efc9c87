#include "aten/core/allocator.h"

#include <cstdlib>

namespace tnp {

namespace {

// The caching allocator takes this one's place; see docs/performance.md.
class CpuAllocator final : public Allocator {
 public:
  Allocation allocate(size_t bytes, Device) override {
    constexpr size_t kAlignment = 64;
    size_t rounded = (bytes + kAlignment - 1) / kAlignment * kAlignment;
    if (rounded < bytes) rounded = bytes;  // so near SIZE_MAX that the allocation fails anyway
    void* data = rounded > PTRDIFF_MAX ? nullptr : std::aligned_alloc(kAlignment, rounded ? rounded : kAlignment);
    TNP_CHECK(data != nullptr, ErrorKind::Memory, "unable to allocate ", static_cast<uint64_t>(bytes), " bytes on the CPU");
    return {data, rounded};
  }
  void free(Allocation block, Device) noexcept override { std::free(block.data); }
};

CpuAllocator cpu_allocator;
Allocator* allocators[2] = {&cpu_allocator, nullptr};

}  // namespace

Allocator& allocator(DeviceType type) {
  Allocator* found = allocators[static_cast<int>(type)];
  TNP_CHECK(found != nullptr, ErrorKind::Runtime,
            "CUDA is not available: this build of torch_np has no CUDA library, or the machine has no driver");
  return *found;
}

void register_allocator(DeviceType type, Allocator* a) { allocators[static_cast<int>(type)] = a; }

}  // namespace tnp
