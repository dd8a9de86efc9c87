#include "aten/fusion/last_use.h"

#include "aten/fusion/expression.h"

namespace tnp::fusion {

constinit std::atomic<bool (*)(const TensorImpl&)> is_temporary = nullptr;

bool is_last_use(const Tensor& t) {
  if (thread_flags.is_last_use) return true;
  const TensorImpl& impl = *t.impl();
  if (impl.use_count() != 1 || impl.storage->use_count() != 1) return false;
  bool (*const is_temporary_of)(const TensorImpl&) = is_temporary.load(std::memory_order_acquire);
  return is_temporary_of && is_temporary_of(impl);
}

LastUse::LastUse() : before_(thread_flags.is_last_use) { thread_flags.is_last_use = true; }
LastUse::~LastUse() { thread_flags.is_last_use = before_; }

}  // namespace tnp::fusion
