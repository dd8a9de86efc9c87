#include "aten/core/errors/pending_warnings.h"

#include <utility>

#include "aten/core/threads/thread_object.h"

namespace tnp {

thread_local constinit uint8_t num_pending_warnings = 0;

namespace {
constexpr uint8_t kMostPending = 8;
struct Pending {
  std::vector<std::string> texts;
};
}  // namespace

void warn_caller(std::string text) {
  if (num_pending_warnings == kMostPending) return;
  ThreadObject<Pending>::get().texts.push_back(std::move(text));
  ++num_pending_warnings;
}

std::vector<std::string> take_pending_warnings() {
  num_pending_warnings = 0;
  return std::exchange(ThreadObject<Pending>::get().texts, {});
}

}  // namespace tnp
