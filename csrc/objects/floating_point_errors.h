// Floating-point errors of a call as NumPy's warnings and exceptions. See Note [Floating-point errors] in
// aten/core/errors/floating_point_errors.h.
#pragma once

#include "aten/core/errors/floating_point_errors.h"

namespace tnp::python {

// Whether this thread's call has met errors that nobody has heard of.
inline bool has_floating_point_errors() { return TNP_UNLIKELY(floating_point_state.has_records); }

// Forgets them.
inline void drop_floating_point_errors() {
  if (has_floating_point_errors()) take_floating_point_records();
}

// Has NumPy warn of them, raise, call or print, as np.errstate says. False: a Python exception is set. What an
// exception ended that is set already says nothing.
TNP_COLD bool give_floating_point_errors();

}  // namespace tnp::python
