// Per-thread queue of warnings for the calling program (Python's UserWarning). The engine does not
// depend on Python, and a warning may run arbitrary code. So the texts wait until the front end
// emits them at the end of the call.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "aten/core/macros.h"

namespace tnp {

// The number of queued texts of this thread.
TNP_API extern thread_local constinit uint8_t num_pending_warnings;

// Queues a warning for the front end. Texts that no call collects stay for the thread's next call
// that can warn. The queue holds at most eight.
TNP_API void warn_caller(std::string text);

// Returns and clears the queued texts.
TNP_API std::vector<std::string> take_pending_warnings();

}  // namespace tnp
