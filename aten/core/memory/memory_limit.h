// How much memory the process may use.
#pragma once

#include <cstdint>
#include <string>

#include "aten/core/macros.h"

namespace tnp {

// The machine's memory, or what the control groups of the process allow, if that is less: a container's limit, beyond
// which the kernel ends it. `root`: where the file system begins, for tests.
//
// Source: the kernel's Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/memory.rst.
TNP_API uint64_t memory_limit(const std::string& root = "");

}  // namespace tnp
