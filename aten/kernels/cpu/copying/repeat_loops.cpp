#include "aten/kernels/cpu/copying/repeat_loops.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include "aten/core/threads/register_bytes.h"

#ifndef TNP_CPU_CAPABILITY
#define TNP_CPU_CAPABILITY baseline
#endif

namespace tnp::repeat_loops::TNP_CPU_CAPABILITY {

namespace {

struct Pair {
  uint64_t first, second;
};

// A register filled with one value by integer arithmetic. Filling an array element by element and
// loading it as a whole would wait for the stores. Registers of 64 bytes are no faster than 32,
// because the next element overwrites most of the bytes.
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

#if defined(__AVX2__)
// Note [Repeating by permutations] The pattern of elements in a register of results recurs after
// some registers. So the lane indices of one period are computed once, and each register of results
// is a permutation of a register of elements.
class Permutations {
  // kUnits: number of 4-byte lanes in a register; kMost: maximum number of registers
  static constexpr int64_t kUnits = kRegisterBytes / 4, kMost = 32;

#if defined(__AVX512F__)
  using Register = __m512i;
  static Register permuted(Register places, const char* from) {
    return _mm512_permutexvar_epi32(places, _mm512_loadu_si512(from));
  }
#else
  using Register = __m256i;
  static Register permuted(Register places, const char* from) {
    return _mm256_permutevar8x32_epi32(_mm256_loadu_si256(reinterpret_cast<const Register*>(from)), places);
  }
#endif

 public:
  // Repeats as many of the n elements (of 4, 8 or 16 bytes) as this method supports, and returns
  // the number of elements that it repeated.
  static int64_t repeat(const char* from, int64_t n, int64_t bytes, int64_t times, char* to) {
    const int64_t units = bytes / 4, of_one = units * times, common = std::gcd(kUnits, of_one),
                  // A pattern has at least four consecutive registers.
        rounds = std::max<int64_t>(4 * common / of_one, 1), registers = rounds * (of_one / common),
                  elements = rounds * (kUnits / common);
    if (times < 2 || registers > kMost || n < 8 * kUnits) return 0;
    Register places[kMost];
    int64_t begins[kMost];  // in bytes
    // Counts instead of dividing, because for short lines the divisions would take longer than the
    // repetition.
    for (int64_t k = 0, element = 0, of_element = 0; k < registers; ++k) {
      const int64_t first = element;
      int32_t of_lanes[kUnits];
      for (int64_t q = 0; q < kUnits; ++q) {
        of_lanes[q] = static_cast<int32_t>((element - first) * units + (of_element & (units - 1)));
        if (++of_element == of_one) of_element = 0, ++element;
      }
      std::memcpy(&places[k], of_lanes, sizeof of_lanes);
      begins[k] = first * bytes;
    }
    int64_t done = 0;
    // The last of these elements is read with a whole register, so kUnits / units more elements
    // must exist.
    for (; done + elements + kUnits / units <= n; done += elements, from += elements * bytes) {
      for (int64_t k = 0; k < registers; ++k, to += kRegisterBytes) {
        const Register now = permuted(places[k], from + begins[k]);
        std::memcpy(to, &now, sizeof now);
      }
    }
    return done;
  }
};
#endif

// Stores whole registers. The next element overwrites the surplus of the previous one. So the last
// elements are written one by one.
template <class Bits>
void repeat(const void* from_data, int64_t n, int64_t times, void* to_data) {
  using V = Lanes<Bits>;
  constexpr int64_t kSize = sizeof(Bits);
  const char* from = static_cast<const char*>(from_data);
  char* to = static_cast<char*>(to_data);
#if defined(__AVX2__)
  if constexpr (kSize >= 4) {
    const int64_t done = Permutations::repeat(from, n, kSize, times, to);
    from += done * kSize, to += done * times * kSize, n -= done;
  }
#endif
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

// Fills the rest of `to` by copying the part already written, which doubles each time.
void double_up(char* to, int64_t done, int64_t bytes) {
  for (int64_t count; done < bytes; done += count) {
    count = std::min(done, bytes - done);
    std::memcpy(to + done, to, static_cast<size_t>(count));
  }
}

using Register [[gnu::vector_size(kRegisterBytes)]] = uint8_t;

// Stores the same registers `rounds` times.
template <int count>
char* store_again(const Register* pattern, int64_t rounds, char* to) {
  Register registers[count];
  for (int k = 0; k < count; ++k) registers[k] = pattern[k];
  for (; rounds > 0; --rounds)
    for (int k = 0; k < count; ++k, to += kRegisterBytes) std::memcpy(to, &registers[k], kRegisterBytes);
  return to;
}

// Tiles of a short line recur at the same register offset after some registers. If there are at
// most kMost of these registers, they are built once and stored repeatedly. double_up() would be
// slower, because it reads everything that it writes.
template <int64_t size>
void tile(const void* line_data, int64_t length, int64_t first, int64_t n, void* to_data) {
  constexpr int64_t kMost = 32;  // number of registers
  const char* line = static_cast<const char*>(line_data);
  char* to = static_cast<char*>(to_data);
  const int64_t bytes = length * size, total = n * size;
  const int64_t registers = bytes / std::gcd(bytes, int64_t{kRegisterBytes}), round = registers * kRegisterBytes;
  if (registers > kMost || total < 4 * round) {
    const int64_t begin = first * size, rest = std::min(bytes - begin, total);
    std::memcpy(to, line + begin, static_cast<size_t>(rest));
    std::memcpy(to + rest, line, static_cast<size_t>(std::min(begin, total - rest)));
    return double_up(to, std::min(bytes, total), total);
  }
  Register pattern[kMost];
  // Copies element by element, because calls that copy whole lines do not pay for so few elements.
  for (int64_t k = 0, element = first; k < round / size; ++k) {
    std::memcpy(reinterpret_cast<char*>(pattern) + k * size, line + element * size, size);
    if (++element == length) element = 0;
  }
  const int64_t rounds = total / round;
  char* const end = to + total;
  if (registers == 1) to = store_again<1>(pattern, rounds, to);
  if (registers == 3) to = store_again<3>(pattern, rounds, to);
  for (; end - to >= round; to += round) std::memcpy(to, pattern, static_cast<size_t>(round));
  std::memcpy(to, pattern, static_cast<size_t>(end - to));
}

template <class Bits>
constexpr RepeatLoop kLoop = {repeat<Bits>, tile<sizeof(Bits)>};
constexpr std::array<RepeatLoop, 5> kLoops = {kLoop<uint8_t>, kLoop<uint16_t>, kLoop<uint32_t>, kLoop<uint64_t>,
                                              kLoop<Pair>};

}  // namespace

std::span<const RepeatLoop> loops() { return kLoops; }

}  // namespace tnp::repeat_loops::TNP_CPU_CAPABILITY
