#include "aten/core/pending_warnings.h"

#include <utility>

namespace tnp {

thread_local constinit uint8_t num_pending_warnings = 0;

namespace {
constexpr uint8_t kMostPending = 8;
thread_local std::vector<std::string> pending;
}  // namespace

void warn_caller(std::string text) {
  if (num_pending_warnings == kMostPending) return;
  pending.push_back(std::move(text));
  ++num_pending_warnings;
}

std::vector<std::string> take_pending_warnings() {
  num_pending_warnings = 0;
  return std::exchange(pending, {});
}

}  // namespace tnp
