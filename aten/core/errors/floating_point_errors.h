// Note [Floating-point errors] NumPy treats division by zero, overflow, underflow and invalid
// values as errors: it warns, raises or ignores them. The processor reports them in sticky flags.
// FloatingPointWatch clears the flags before an operator's loops and reads them afterwards, in each
// participating thread. Without errors this is the only cost. Errors are recorded with the name of
// NumPy's function until the front end collects them at the end of the call
// (csrc/objects/floating_point_errors.h).
//
// Only operators with a `floating_point_errors:` entry in native_functions.yaml are watched, since
// the processor's flags do not always match an operator's errors. A vectorised select computes both
// sides, and the discarded one may set flags. Vector math libraries may set flags for a correct
// result, or none for an erroneous one. Operators with such loops are declared
// `floating_point_errors: values`: if the flags hint at an error, operands and results are compared
// (Note [Errors by values] in aten/kernels/cpu/pointwise/pointwise_loops.h).
#pragma once

#include <cstdint>
#include <vector>
#if !defined(__x86_64__)
#include <cfenv>
#endif

#include "aten/core/errors/floating_point_error_kinds.h"
#include "aten/core/threads/thread_state.h"

namespace tnp {

// Reads and clears the flags of this thread.
#if defined(__x86_64__)
namespace detail {
inline constexpr uint32_t kErrorFlags = 0x1d;  // of MXCSR: invalid, division by zero, overflow, underflow
TNP_API FloatingPointErrors take_flags(uint32_t mxcsr);
}  // namespace detail
TNP_INLINE FloatingPointErrors take_floating_point_flags() {
  uint32_t mxcsr;
  asm volatile("stmxcsr %0" : "=m"(mxcsr) : : "memory");
  return TNP_LIKELY(!(mxcsr & detail::kErrorFlags)) ? kNoErrors : detail::take_flags(mxcsr);
}
#else
TNP_API FloatingPointErrors take_floating_point_flags();
#endif
// Sets the processor's flags for errors that were detected by other means.
TNP_API void raise_floating_point_flags(FloatingPointErrors errors);

// The calling thread's errors during the current call. Kept small: see Note [Thread-local memory].
struct FloatingPointState {
  bool reported = false;     // a library function reported an error, whatever the flags are
  bool has_reports = false;  // take_floating_point_reports() would return some
};
TNP_API extern thread_local constinit FloatingPointState floating_point_state;

struct FloatingPointReport {
  const char* operation;       // NumPy's name of the operation, a literal
  FloatingPointErrors errors;  // kNoErrors: `operation` is a warning text
};
// Returns and clears the reports of this thread's current call.
TNP_API std::vector<FloatingPointReport> take_floating_point_reports() noexcept;

// Adds a report to those of this thread's current call.
TNP_API void report_floating_point_errors(const char* operation, FloatingPointErrors errors) noexcept;
inline void report_floating_point_errors(const std::vector<FloatingPointReport>& reports) noexcept {
  for (const FloatingPointReport& r : reports) report_floating_point_errors(r.operation, r.errors);
}
// Reports a RuntimeWarning of NumPy's that is not a floating-point error. `message` is a string
// literal.
inline void report_runtime_warning(const char* message) { report_floating_point_errors(message, kNoErrors); }

// Whether a watch around the running loops is open.
TNP_INLINE bool has_error_watch() { return dialect().error_watch() == ErrorWatch::Open; }
// Whether an operator may open a watch: the call came through NumPy's face, and no guard disables
// watches.
TNP_INLINE bool wants_floating_point_errors() { return dialect().error_watch() == ErrorWatch::Ready; }

// RAII watch around the loops of an operator, on the calling thread. A null `operation` means not
// watched. A nested watch has no effect.
class FloatingPointWatch {
 public:
  explicit FloatingPointWatch(const char* operation)
      : operation_(operation && wants_floating_point_errors() ? operation : nullptr) {
    if (!operation_) return;
    take_floating_point_flags();
    thread_state.dialect = dialect().with(ErrorWatch::Open);
  }
  ~FloatingPointWatch() {
    const char* operation = operation_;
    const FloatingPointErrors errors = end();
    if (TNP_UNLIKELY(errors)) report_floating_point_errors(operation, errors);
  }
  FloatingPointWatch(const FloatingPointWatch&) = delete;
  FloatingPointWatch& operator=(const FloatingPointWatch&) = delete;

  // Ends the watch early, for a caller that determines the errors itself.
  FloatingPointErrors end() {
    if (!operation_) return kNoErrors;
    operation_ = nullptr;
    thread_state.dialect = dialect().with(ErrorWatch::Ready);
    return take_floating_point_flags();
  }

 private:
  const char* operation_;
};

}  // namespace tnp
