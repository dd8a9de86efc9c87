// The calling thread's state: its dialect, whether autograd records, and its observer.
#pragma once

#include <cstdint>

#include "aten/core/dialect.h"
#include "aten/core/macros.h"

namespace tnp {

class Observer;

enum class GradMode : uint8_t {
  Off,     // no_grad
  Within,  // off while an operator runs that the tape records
  On,
};

struct ThreadState {
  Dialect dialect;
  GradMode grad_mode = GradMode::On;
  Observer* observer = nullptr;  // of the function being traced: observer.h
};
TNP_API extern thread_local constinit ThreadState thread_state;

inline Dialect dialect() { return thread_state.dialect; }
inline PromotionRules promotion_rules() { return thread_state.dialect.promotion(); }
inline bool grad_enabled() { return thread_state.grad_mode == GradMode::On; }

// RAII guard that sets a field of the thread's state and restores its previous value.
template <class T, T ThreadState::* field>
class StateGuard {
 public:
  explicit StateGuard(T value) : saved_(thread_state.*field) { thread_state.*field = value; }
  ~StateGuard() { thread_state.*field = saved_; }
  StateGuard(const StateGuard&) = delete;
  StateGuard& operator=(const StateGuard&) = delete;

 private:
  T saved_;
};
using DialectGuard = StateGuard<Dialect, &ThreadState::dialect>;
struct GradModeGuard : StateGuard<GradMode, &ThreadState::grad_mode> {
  explicit GradModeGuard(bool on) : StateGuard(on ? GradMode::On : GradMode::Off) {}
};
struct NoGradGuard : GradModeGuard {
  NoGradGuard() : GradModeGuard(false) {}
};
// While an operator runs that the tape records, or one in its place. Views that it makes count as
// made in the mode of the program.
struct RecordedGuard : StateGuard<GradMode, &ThreadState::grad_mode> {
  RecordedGuard() : StateGuard(thread_state.grad_mode == GradMode::Off ? GradMode::Off : GradMode::Within) {}
};
// For computations that are not the program's own: gradients, and operators whose errors NumPy does
// not report.
struct NoErrorWatchGuard : DialectGuard {
  NoErrorWatchGuard() : DialectGuard(dialect().with(ErrorWatch::Never)) {}
};

}  // namespace tnp
