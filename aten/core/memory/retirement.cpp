#include "aten/core/memory/retirement.h"

#include <atomic>
#include <utility>

namespace tnp {

namespace {
std::atomic<void (*)(Tensor)> retirement = nullptr;
}  // namespace

void retire_memory(Tensor old) {
  if (auto* retire = retirement.load(std::memory_order_acquire)) retire(std::move(old));
}

void set_retirement(void (*retire)(Tensor old)) { retirement.store(retire, std::memory_order_release); }

}  // namespace tnp
