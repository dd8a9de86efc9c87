// Warnings of an operator to the program that called it (a UserWarning of Python's). The engine knows no Python, and a
// warning may run any code: so texts wait, thread by thread, until the front end gives them at the end of the call.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "aten/core/macros.h"

namespace tnp {

// How many texts wait in this thread.
TNP_API extern thread_local constinit uint8_t num_pending_warnings;

// Has the front end warn of this. What nobody takes is kept for the next call of this thread that can warn, eight at
// most.
TNP_API void warn_caller(std::string text);

// The texts that wait, which then no longer do.
TNP_API std::vector<std::string> take_pending_warnings();

}  // namespace tnp
