// Whether shorter ways to results must be avoided, as a mode with __torch_dispatch__ sees all calls.
#pragma once

#include "aten/core/macros.h"
#include "aten/core/observer.h"

namespace tnp {

// Set by aten/compiler: whether an interceptor takes calls without wrapped tensors.
extern TNP_API bool (*takes_all_calls)(const Observer&);

inline bool sees_all_calls() {
  return TNP_UNLIKELY(observer() != nullptr) && takes_all_calls && takes_all_calls(*observer());
}

}  // namespace tnp
