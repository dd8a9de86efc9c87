#include "aten/core/threads/processor.h"

#include <unistd.h>

namespace tnp {

ProcessorVendor processor_vendor() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_is("intel")) return ProcessorVendor::Intel;
  if (__builtin_cpu_is("amd")) return ProcessorVendor::Amd;
#endif
  return ProcessorVendor::Other;
}

int64_t second_level_cache() {
  static const int64_t bytes = [] {
    constexpr int64_t kUsual = 512 * 1024;
#if defined(_SC_LEVEL2_CACHE_SIZE)
    if (const long known = sysconf(_SC_LEVEL2_CACHE_SIZE); known > 0) return int64_t{known};
#endif
    return kUsual;
  }();
  return bytes;
}

}  // namespace tnp
