#include "aten/core/errors/floating_point_errors.h"

#include <new>
#include <string_view>
#include <utility>

#include "aten/core/threads/thread_object.h"

namespace tnp {

thread_local constinit FloatingPointState floating_point_state;

#if defined(__x86_64__)
FloatingPointErrors detail::take_flags(uint32_t mxcsr) {
  FloatingPointErrors errors = kNoErrors;
  if (mxcsr & 0x01) errors |= kInvalid;
  if (mxcsr & 0x04) errors |= kDivideByZero;
  if (mxcsr & 0x08) errors |= kOverflow;
  if (mxcsr & 0x10) errors |= kUnderflow;
  mxcsr &= ~kErrorFlags;
  asm volatile("ldmxcsr %0" : : "m"(mxcsr) : "memory");
  return errors;
}

void raise_floating_point_flags(FloatingPointErrors errors) {
  uint32_t mxcsr;
  asm volatile("stmxcsr %0" : "=m"(mxcsr) : : "memory");
  if (errors & kInvalid) mxcsr |= 0x01;
  if (errors & kDivideByZero) mxcsr |= 0x04;
  if (errors & kOverflow) mxcsr |= 0x08;
  if (errors & kUnderflow) mxcsr |= 0x10;
  asm volatile("ldmxcsr %0" : : "m"(mxcsr) : "memory");
}
#else
FloatingPointErrors take_floating_point_flags() {
  constexpr int all = FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW | FE_UNDERFLOW;
  const int flags = std::fetestexcept(all);
  if (!flags) return kNoErrors;
  std::feclearexcept(all);
  FloatingPointErrors errors = kNoErrors;
  if (flags & FE_INVALID) errors |= kInvalid;
  if (flags & FE_DIVBYZERO) errors |= kDivideByZero;
  if (flags & FE_OVERFLOW) errors |= kOverflow;
  if (flags & FE_UNDERFLOW) errors |= kUnderflow;
  return errors;
}

void raise_floating_point_flags(FloatingPointErrors errors) {
  int flags = 0;
  if (errors & kInvalid) flags |= FE_INVALID;
  if (errors & kDivideByZero) flags |= FE_DIVBYZERO;
  if (errors & kOverflow) flags |= FE_OVERFLOW;
  if (errors & kUnderflow) flags |= FE_UNDERFLOW;
  std::feraiseexcept(flags);
}
#endif

namespace {
struct Reports {
  std::vector<FloatingPointReport> all;
};
}  // namespace

void report_floating_point_errors(const char* operation, FloatingPointErrors errors) noexcept {
  try {
    std::vector<FloatingPointReport>& reports = ThreadObject<Reports>::get().all;
    for (FloatingPointReport& r : reports) {
      if (std::string_view(r.operation) != operation) continue;
      r.errors |= errors;
      return;
    }
    reports.push_back({operation, errors});
  } catch (const std::bad_alloc&) {  // out of memory: the error is not reported
    return;
  }
  floating_point_state.has_reports = true;
}

std::vector<FloatingPointReport> take_floating_point_reports() noexcept {
  floating_point_state.has_reports = false;
  Reports* const reports = ThreadObject<Reports>::get_if_made();
  return reports ? std::exchange(reports->all, {}) : std::vector<FloatingPointReport>();
}

}  // namespace tnp
