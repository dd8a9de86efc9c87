// Which Python function of this package a native call is a part of, for messages: users know the function that they
// called, not the operators that it is written on.
#pragma once

#include <string>
#include <string_view>

#include "aten/core/macros.h"

namespace tnp::python {

// "cov(): ", where `operator_name` is called for np.cov, whatever number of our functions stands between: the outermost
// one without code of others in between. Empty where the caller is the user, and where the names are the same.
// Reads the frames of the Python code that runs, so that only errors cost anything. No exception is set before or
// after it.
TNP_COLD std::string calling_function(std::string_view operator_name);

}  // namespace tnp::python
