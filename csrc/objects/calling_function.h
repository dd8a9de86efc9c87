// Names the public Python function of this package that made a native call, for error messages.
// Users know the function that they called, but not the operators that implement it.
#pragma once

#include <string>
#include <string_view>

#include "aten/core/macros.h"

namespace tnp::python {

// "cov(): " if np.cov calls `operator_name`, directly or through other functions of ours. Finds the
// outermost of our functions without foreign code in between. Empty if user code made the call, or
// if both names agree. It walks the frames of the running Python code, so only errors pay for it.
// No exception may be set before; none is set after.
TNP_COLD std::string calling_function(std::string_view operator_name);

}  // namespace tnp::python
