// Scratch: uninitialised temporary memory of a kernel. It comes from the caching allocator, since
// faults on fresh pages cost more than most kernels' work on them.
#pragma once

#include <type_traits>

#include "aten/core/errors/error.h"
#include "aten/core/memory/allocator.h"

namespace tnp {

template <class T>
class Scratch {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  explicit Scratch(int64_t n) : memory_(allocator(Device()).allocate(bytes_of(n), Device())) {}
  ~Scratch() { allocator(Device()).free(memory_, Device()); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  T* data() { return static_cast<T*>(memory_.data); }
  T& operator[](int64_t i) { return data()[i]; }

 private:
  static size_t bytes_of(int64_t n) {
    size_t bytes = 0;
    TNP_CHECK(!__builtin_mul_overflow(static_cast<size_t>(n), sizeof(T), &bytes), ErrorKind::Memory, "no memory for ",
              n, " elements");
    return bytes;
  }
  Allocation memory_;
};

}  // namespace tnp
