// What a thread carries along with a call: which promotion rules hold, and whether operations are recorded.
#pragma once

#include <cstdint>

#include "aten/core/macros.h"

namespace tnp {

enum class PromotionRules : uint8_t { Torch, NumPy };

struct ThreadState {
  PromotionRules rules = PromotionRules::Torch;
  bool grad_enabled = true;
};
TNP_API extern thread_local constinit ThreadState thread_state;

inline PromotionRules promotion_rules() { return thread_state.rules; }
inline bool grad_enabled() { return thread_state.grad_enabled; }

// Sets a field of the thread's state and puts back what was there.
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
using PromotionRulesGuard = StateGuard<PromotionRules, &ThreadState::rules>;
using GradModeGuard = StateGuard<bool, &ThreadState::grad_enabled>;
struct NoGradGuard : GradModeGuard {
  NoGradGuard() : GradModeGuard(false) {}
};

}  // namespace tnp
