#include "aten/kernels/cpu/repeat_loops.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "aten/core/register_bytes.h"

#ifndef TNP_CPU_CAPABILITY
#define TNP_CPU_CAPABILITY baseline
#endif

namespace tnp::repeat_loops::TNP_CPU_CAPABILITY {

namespace {

struct Pair {
  uint64_t first, second;
};

// A register full of one value, made by arithmetic on integers: an array that is filled element by element and then
// loaded whole makes the processor wait until the stores are done. 64 bytes, most of which the next element writes
// again, are no faster than 32.
template <class Bits>
struct Lanes {
  static constexpr int kBytes = std::min(kRegisterBytes, 32);
  static constexpr int64_t kCount = kBytes / static_cast<int64_t>(sizeof(Bits));
  typedef Bits Register __attribute__((vector_size(kBytes)));
  Register lanes;
  explicit Lanes(Bits value) : lanes(Register{} + value) {}
};
template <>
struct Lanes<Pair> {
  static constexpr int64_t kCount = 1;
  Pair lanes;
  explicit Lanes(Pair value) : lanes(value) {}
};

// Whole registers are stored, and what one element wrote too much the next one overwrites; so the last ones are done
// element by element.
template <class Bits>
void repeat(const void* from_data, int64_t n, int64_t times, void* to_data) {
  using V = Lanes<Bits>;
  constexpr int64_t kSize = sizeof(Bits);
  const char* from = static_cast<const char*>(from_data);
  char* to = static_cast<char*>(to_data);
  const int64_t careful = times == 0 ? n : std::min(n, (V::kCount + times - 1) / times), bytes = times * kSize;
  const char *const whole = from + (n - careful) * kSize, *const end = from + n * kSize;
  Bits value;
  for (; from < whole; from += kSize, to += bytes) {
    std::memcpy(&value, from, sizeof value);
    const V v(value);
    for (int64_t at = 0; at < bytes; at += sizeof v.lanes) std::memcpy(to + at, &v.lanes, sizeof v.lanes);
  }
  for (; from < end; from += kSize) {
    for (int64_t r = 0; r < times; ++r, to += kSize) std::memcpy(to, from, kSize);
  }
}

constexpr std::array<RepeatLoop, 5> kLoops = {RepeatLoop{repeat<uint8_t>}, RepeatLoop{repeat<uint16_t>},
                                              RepeatLoop{repeat<uint32_t>}, RepeatLoop{repeat<uint64_t>},
                                              RepeatLoop{repeat<Pair>}};

}  // namespace

std::span<const RepeatLoop> loops() { return kLoops; }

}  // namespace tnp::repeat_loops::TNP_CPU_CAPABILITY
