#include "aten/fusion/mode.h"

#include <limits>
#include <mutex>

#include "aten/fusion/counters.h"
#include "aten/fusion/expression.h"

namespace tnp::fusion {

namespace {

constexpr int64_t kNone = std::numeric_limits<int64_t>::max();

}  // namespace

constinit std::atomic<int64_t> least_bytes = kLarge;

Mode mode() {
  const int64_t bytes = least_bytes.load();
  return bytes == kNone ? Mode::Off : bytes == kLarge ? Mode::Auto : Mode::Always;
}

void set_mode(Mode mode) { least_bytes.store(mode == Mode::Off ? kNone : mode == Mode::Auto ? kLarge : 1); }

Statistics& counters() {
  static Statistics counted = {};
  return counted;
}

Statistics statistics() {
  std::lock_guard guard(lock());
  return counters();
}

}  // namespace tnp::fusion
