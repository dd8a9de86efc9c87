// The lock of pending results: Note [Pending results] in storage.h.
#pragma once

#include <mutex>

#include "aten/core/macros.h"

namespace tnp {

// Guards the expressions of pending results. No result is computed while it is held. Recursive,
// since a node may be freed while it is held.
TNP_API std::recursive_mutex& pending_lock();

}  // namespace tnp
