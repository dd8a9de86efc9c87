#include "aten/core/memory/memory_limit.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <string_view>

namespace tnp {

namespace {

constexpr uint64_t kNone = std::numeric_limits<uint64_t>::max();

// The number in a file, or kNone if the file is missing or contains "max".
uint64_t number_in(const std::string& path) {
  std::ifstream file(path);
  uint64_t value = 0;
  return file >> value ? value : kNone;
}

// The smallest limit of a group and its ancestors. In most containers the process sees only its own
// part of the hierarchy: directories of its path are missing, and the outermost one has the limit.
uint64_t least_limit(const std::string& hierarchy, std::string group, const char* file) {
  uint64_t least = kNone;
  for (;;) {
    least = std::min(least, number_in(hierarchy + group + "/" + file));
    const size_t slash = group.rfind('/');
    if (slash == std::string::npos) return least;
    group.resize(slash);
  }
}

// Whether "memory" is one of the names in "cpu,memory".
bool names_memory(std::string_view controllers) {
  while (!controllers.empty()) {
    const size_t comma = std::min(controllers.find(','), controllers.size());
    if (controllers.substr(0, comma) == "memory") return true;
    controllers.remove_prefix(std::min(comma + 1, controllers.size()));
  }
  return false;
}

uint64_t limit_of_groups(const std::string& root) {
  uint64_t least = kNone;
  std::ifstream groups(root + "/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {  // "0::/path" of version 2, "4:memory:/path" of version 1
    const size_t first = line.find(':'), second = first == line.npos ? first : line.find(':', first + 1);
    if (second == line.npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    std::string group = line.substr(second + 1);
    if (group == "/") group.clear();
    if (controllers.empty()) {
      for (const char* mount : {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"})
        least = std::min(least, least_limit(root + mount, group, "memory.max"));
    } else if (names_memory(controllers)) {
      std::string mount = root;
      mount.append("/sys/fs/cgroup/").append(controllers);
      least = std::min(least, least_limit(mount, group, "memory.limit_in_bytes"));
    }
  }
  return least;
}

}  // namespace

uint64_t memory_limit(const std::string& root) {
  const auto pages = static_cast<uint64_t>(std::max(sysconf(_SC_PHYS_PAGES), 0L));
  return std::min(pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE)), limit_of_groups(root));
}

}  // namespace tnp
