#include "aten/core/memory/lazy_zeros.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>

#include "aten/core/memory/poison.h"

namespace tnp {

bool clear_lazily(void* block, size_t bytes) {
  static const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  if (kAddressSanitizer || bytes < kLazyZeros || reinterpret_cast<uintptr_t>(block) % page != 0) return false;
  const size_t pages = bytes / page * page;
  if (madvise(block, pages, MADV_DONTNEED) != 0) return false;  // such as locked memory
  std::memset(static_cast<char*>(block) + pages, 0, bytes - pages);
  return true;
}

}  // namespace tnp
