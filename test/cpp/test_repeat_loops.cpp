// Repeated elements and repeated lines, by the loops of each instruction set: complete results, and
// no writes beyond them.
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "aten/kernels/cpu/copying/repeat_loops.h"

namespace tnp {
namespace {

using Bytes = std::vector<uint8_t>;

std::vector<std::pair<std::string, std::span<const RepeatLoop>>> tables() {
  const LoopVariants<RepeatLoop>& variants = repeat_loops::variants();
  std::vector<std::pair<std::string, std::span<const RepeatLoop>>> all;
  if (variants.baseline) all.emplace_back("baseline", variants.baseline());
  if (variants.avx2 && cpu_capability() >= CpuCapability::AVX2) all.emplace_back("avx2", variants.avx2());
  if (variants.avx512 && cpu_capability() >= CpuCapability::AVX512) all.emplace_back("avx512", variants.avx512());
  return all;
}

Bytes counting(int64_t n) {
  Bytes bytes(static_cast<size_t>(n));
  std::iota(bytes.begin(), bytes.end(), uint8_t{1});
  return bytes;
}

// Calls `write`, compares the written elements with `element(i)`, and checks that the memory behind
// them is unchanged.
template <class Write, class Element>
void expect_elements(int64_t n, int64_t size, const std::string& what, Write&& write, Element&& element) {
  constexpr int64_t kBehind = 80;
  Bytes to(static_cast<size_t>(n * size + kBehind), 0xee);
  write(to.data());
  for (int64_t i = 0; i < n; ++i)
    ASSERT_EQ(std::memcmp(to.data() + i * size, element(i), static_cast<size_t>(size)), 0) << what << " element " << i;
  for (int64_t i = 0; i < kBehind; ++i) ASSERT_EQ(to[static_cast<size_t>(n * size + i)], 0xee) << what;
}

TEST(RepeatLoops, Repeat) {
  for (const auto& [name, loops] : tables()) {
    for (size_t k = 0; k < loops.size(); ++k) {
      const int64_t size = int64_t{1} << k;
      for (const int64_t n : {0, 1, 2, 15, 130, 700}) {
        const Bytes from = counting(n * size);
        for (const int64_t times : {0, 1, 2, 3, 5, 16, 33, 100}) {
          expect_elements(
              n * times, size,
              name + " " + std::to_string(size) + " " + std::to_string(n) + "x" + std::to_string(times),
              [&](uint8_t* to) { loops[k].repeat(from.data(), n, times, to); },
              [&](int64_t i) { return from.data() + i / times * size; });
        }
      }
    }
  }
}

TEST(RepeatLoops, Tile) {
  for (const auto& [name, loops] : tables()) {
    for (size_t k = 0; k < loops.size(); ++k) {
      const int64_t size = int64_t{1} << k;
      for (const int64_t length : {1, 2, 3, 5, 8, 31, 96, 300}) {
        const Bytes line = counting(length * size);
        for (const int64_t first : {int64_t{0}, length / 2, length - 1}) {
          for (const int64_t n : {int64_t{0}, int64_t{1}, length, length + 1, int64_t{257}, int64_t{4001}}) {
            expect_elements(
                n, size,
                name + " " + std::to_string(size) + " " + std::to_string(length) + " from " + std::to_string(first),
                [&](uint8_t* to) { loops[k].tile(line.data(), length, first, n, to); },
                [&](int64_t i) { return line.data() + (first + i) % length * size; });
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace tnp
