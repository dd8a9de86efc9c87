// The amount of memory available to the process.
#pragma once

#include <cstdint>
#include <string>

#include "aten/core/macros.h"

namespace tnp {

// The machine's memory, or the limit of the process's control groups (a container's limit) if that
// is smaller. The kernel kills a process that exceeds it. `root`: the root of the file system, for
// tests.
//
// Source: the kernel's Documentation/admin-guide/cgroup-v2.rst and cgroup-v1/memory.rst.
TNP_API uint64_t memory_limit(const std::string& root = "");

}  // namespace tnp
