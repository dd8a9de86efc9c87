// Reports a call's floating-point errors as NumPy's warnings and exceptions. See Note
// [Floating-point errors] in aten/core/errors/floating_point_errors.h.
#pragma once

#include "aten/core/errors/floating_point_errors.h"

namespace tnp::python {

// Whether this thread has recorded errors that are not reported yet.
inline bool has_floating_point_errors() { return TNP_UNLIKELY(floating_point_state.has_records); }

// Discards the records.
inline void drop_floating_point_errors() {
  if (has_floating_point_errors()) take_floating_point_records();
}

// Reports the recorded errors through NumPy: warns, raises, calls a function or prints, according
// to np.errstate. Returns false if this sets a Python exception. If an exception was set before,
// discards the records.
TNP_COLD bool give_floating_point_errors();

}  // namespace tnp::python
