#include "aten/fusion/executable_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

namespace tnp::fusion {

ExecutableMemory::ExecutableMemory(std::span<const uint8_t> code) {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  size_ = (code.size() + page - 1) / page * page;
  void* const pages = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) return;
  std::memcpy(pages, code.data(), code.size());
  if (mprotect(pages, size_, PROT_READ | PROT_EXEC) == 0)
    pages_ = pages;
  else
    munmap(pages, size_);
}

ExecutableMemory::~ExecutableMemory() {
  if (pages_) munmap(pages_, size_);
}

}  // namespace tnp::fusion
