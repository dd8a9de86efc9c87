// Note [Floating-point errors] Division by zero, overflow, underflow and invalid values are errors to NumPy, of which
// it warns, or raises, or says nothing. The processor notes them in flags that stay up: they are taken down before the
// loops of an operator (FloatingPointWatch) and read after them, in each thread that takes part. Nothing is counted or
// looked at while all goes well. What was seen is remembered with the name of NumPy's function until the front end
// collects it at the end of the call (csrc/objects/floating_point_errors.h).
//
// Only operators that say so are watched (`floating_point_errors:` of an entry in native_functions.yaml), since not
// every loop's flags are those of its operator: a vectorised choice computes both sides, and vector math raises flags
// on the way to results without error, or none on the way to others. `values` stands for those: where something hints
// at an error, operands and results are compared (Note [Errors by values] in
// aten/kernels/cpu/pointwise/pointwise_loops.h).
#pragma once

#include <cstdint>
#include <vector>
#if !defined(__x86_64__)
#include <cfenv>
#endif

#include "aten/core/errors/floating_point_error_kinds.h"
#include "aten/core/threads/thread_state.h"

namespace tnp {

// The flags of this thread that are up, which are taken down.
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
// Puts up flags, for errors that were found otherwise.
TNP_API void raise_floating_point_flags(FloatingPointErrors errors);

// What a thread knows of the errors of the call under way. Small: see FreeList.
struct FloatingPointState {
  bool reported = false;     // a function of a library said that there is an error, whatever flags say
  bool has_records = false;  // there is what take_floating_point_records() gives
};
TNP_API extern thread_local constinit FloatingPointState floating_point_state;

struct FloatingPointRecord {
  const char* operation;       // NumPy's name of it, a literal
  FloatingPointErrors errors;  // none: the operation is a warning
};
// The records of this thread's call, which are forgotten.
TNP_API std::vector<FloatingPointRecord> take_floating_point_records() noexcept;

// Adds to the records of this thread's call.
TNP_API void record_floating_point_errors(const char* operation, FloatingPointErrors errors) noexcept;
// And a RuntimeWarning of another kind that NumPy gives: a literal.
inline void record_runtime_warning(const char* message) { record_floating_point_errors(message, kNoErrors); }

// Whether the loops that run are watched.
TNP_INLINE bool has_error_watch() { return dialect().error_watch() == ErrorWatch::Open; }
// Whether some may be: the call came by NumPy's face, and nothing forbids it.
TNP_INLINE bool wants_floating_point_errors() { return dialect().error_watch() == ErrorWatch::Ready; }

// Stands around the loops of an operator, on the thread that calls. `operation`: null, if it is not watched. Within
// another watch it does nothing.
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
    if (TNP_UNLIKELY(errors)) record_floating_point_errors(operation, errors);
  }
  FloatingPointWatch(const FloatingPointWatch&) = delete;
  FloatingPointWatch& operator=(const FloatingPointWatch&) = delete;

  // Ends it here, for a caller who knows better what the errors are.
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
