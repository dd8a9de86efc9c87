#include "aten/core/storage.h"

#include "aten/core/poison.h"

namespace tnp {

namespace {

// One line of the cache: small storages are made and dropped at every call.
static_assert(sizeof(Storage) <= 64);

// Where a small storage's bytes begin: as aligned as malloc's blocks are, and beyond the Storage itself.
constexpr size_t kHeader = (sizeof(Storage) + 15) / 16 * 16;
constexpr size_t kTiny = 64, kSmall = 256;
using TinyBlocks = FreeList<kHeader + kTiny>;
using SmallBlocks = FreeList<kHeader + kSmall>;
using Headers = FreeList<sizeof(Storage)>;

}  // namespace

intrusive_ptr<Storage> new_storage(size_t bytes, Device device) {
  Storage* made = nullptr;
  if (TNP_LIKELY(device.is_cpu() && bytes <= kSmall)) {
    void* block = bytes <= kTiny ? TinyBlocks::take() : SmallBlocks::take();
    unpoison_only(static_cast<char*>(block) + kHeader, bytes, bytes <= kTiny ? kTiny : kSmall);
    made = new (block) Storage({static_cast<char*>(block) + kHeader, bytes}, bytes, device, Storage::Memory::Inline);
  } else if (device.is_meta()) {
    // An address that views can be made of, as far from both ends as sizes go; nobody reads there.
    Allocation nowhere{reinterpret_cast<void*>(uintptr_t{1} << 62), 0};
    made = new (Headers::take()) Storage(nowhere, bytes, device, Storage::Memory::None);
  } else {
    Allocation memory = allocator(device).allocate(bytes, device);
    void* block = nullptr;
    try {
      block = Headers::take();
    } catch (...) {
      allocator(device).free(memory, device);
      throw;
    }
    made = new (block) Storage(memory, bytes, device, Storage::Memory::Allocated);
  }
  made->retain_first();
  return intrusive_ptr<Storage>::adopt(made);
}

void Storage::destroy() {
  const Memory memory = memory_;
  const size_t bytes = bytes_;
  this->~Storage();
  switch (memory) {
    case Memory::Inline:
      return bytes <= kTiny ? TinyBlocks::give(this) : SmallBlocks::give(this);
    case Memory::Allocated:
    case Memory::None:
      return Headers::give(this);
    case Memory::Foreign:
      return ::operator delete(this);
  }
}

}  // namespace tnp
