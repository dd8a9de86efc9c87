// Reports a call's floating-point errors as NumPy's warnings and exceptions. See Note
// [Floating-point errors] in aten/core/errors/floating_point_errors.h.
#pragma once

#include "aten/core/errors/floating_point_errors.h"

namespace tnp::python {

// Whether this thread has reports that have not been given to NumPy.
inline bool has_floating_point_errors() { return TNP_UNLIKELY(floating_point_state.has_reports); }

// Discards the reports.
inline void drop_floating_point_errors() {
  if (has_floating_point_errors()) take_floating_point_reports();
}

// Gives the reports to NumPy: warns, raises, calls a function or prints, according
// to np.errstate. Returns false if this sets a Python exception. If an exception was set before,
// discards the reports.
TNP_COLD bool give_floating_point_errors();

}  // namespace tnp::python
