// The lock of pending results: Note [Pending results] in storage.h.
#pragma once

#include <mutex>

#include "aten/core/macros.h"

namespace tnp {

// Guards the records of pending results; nothing is computed under it. Recursive, since records are
// also freed under it.
TNP_API std::recursive_mutex& pending_lock();

}  // namespace tnp
