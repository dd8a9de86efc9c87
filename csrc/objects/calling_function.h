// Names the public Python function of this package that made a native call, for error messages.
// Messages then show the function that the user called instead of an internal operator.
#pragma once

#include <string>
#include <string_view>

#include "aten/core/macros.h"

namespace tnp::python {

// Returns "cov(): " if the user called np.cov, and np.cov called `operator_name` directly or
// through other functions of ours. Finds the outermost of our functions without foreign code in
// between. Returns an empty string if user code called the operator, or if both names are equal.
// The function walks the frames of the running Python code, so call it only for errors. No Python
// exception may be set before the call, and none is set afterwards.
TNP_COLD std::string calling_function(std::string_view operator_name);

}  // namespace tnp::python
