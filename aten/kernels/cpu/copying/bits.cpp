// Kernels of pack_bits(), unpack_bits() and byteswap().
#include <algorithm>
#include <cstring>
#include <string_view>

#include "aten/core/threads/parallel.h"
#include "aten/kernel_functions/bitwise.h"

namespace tnp::native {

namespace {

constexpr int64_t kGrain = 16384;  // bytes

// An axis of dense memory: `outer` blocks of `size` rows of `inner` elements.
struct Axis {
  int64_t outer = 1, size = 1, inner = 1;
};

Axis axis_of(const Tensor& t, std::optional<int64_t> dim) {
  if (!dim) return {1, t.numel(), 1};
  Axis axis{1, t.size(*dim), 1};
  for (int64_t d = 0; d < *dim; ++d) axis.outer *= t.size(d);
  for (int64_t d = *dim + 1; d < t.dim(); ++d) axis.inner *= t.size(d);
  return axis;
}

constexpr uint64_t kOnes = 0x0101010101010101;

// 1 in each byte that is not 0, else 0.
uint64_t truths_of(uint64_t bytes) {
  constexpr uint64_t kLow = 0x7f7f7f7f7f7f7f7f;
  return (((bytes & kLow) + kLow) | bytes) >> 7 & kOnes;
}

// The bits of up to eight elements, `step` apart; an element is true unless it is 0.
uint8_t packed(const uint8_t* from, int64_t count, int64_t step, bool little) {
  if (count == 8 && step == 1) {
    uint64_t bytes;
    std::memcpy(&bytes, from, sizeof(bytes));
    // The factor moves the truth of each byte to one bit of the highest byte; no two products overlap.
    return static_cast<uint8_t>(truths_of(bytes) * (little ? 0x0102040810204080 : 0x8040201008040201) >> 56);
  }
  uint8_t bits = 0;
  for (int64_t i = 0; i < count; ++i) bits = static_cast<uint8_t>(bits | (from[i * step] != 0) << (little ? i : 7 - i));
  return bits;
}

// The bits of `count` bytes, in eight bytes each.
void unpack_bytes(const uint8_t* from, uint8_t* to, int64_t count, bool little) {
  const uint64_t place_in_byte = little ? 0x8040201008040201 : 0x0102040810204080;
  for (int64_t i = 0; i < count; ++i) {
    const uint64_t bits = truths_of(from[i] * kOnes & place_in_byte);
    std::memcpy(to + 8 * i, &bits, sizeof(bits));
  }
}

template <size_t size>
void swap_elements(const char* from, char* to, int64_t count) {
  for (int64_t i = 0; i < count; ++i, from += size, to += size) std::reverse_copy(from, from + size, to);
}

void swap(const char* from, char* to, int64_t count, int64_t size) {
  switch (size) {
    case 1:
      std::memcpy(to, from, static_cast<size_t>(count));
      break;
    case 2:
      swap_elements<2>(from, to, count);
      break;
    case 4:
      swap_elements<4>(from, to, count);
      break;
    default:
      swap_elements<8>(from, to, count);
  }
}

}  // namespace

void pack_bits_cpu(const Tensor& input, std::optional<int64_t> dim, std::string_view bitorder, const Tensor& out) {
  if (out.numel() == 0) return;
  const Axis axis = axis_of(input, dim);
  const bool little = bitorder == "little";
  const int64_t bytes = (axis.size + 7) / 8;
  const auto* const from = reinterpret_cast<const uint8_t*>(input.data());
  auto* const to = reinterpret_cast<uint8_t*>(out.data());
  parallel_for(0, axis.outer * bytes, std::max<int64_t>(kGrain / axis.inner, 1), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const int64_t block = row / bytes, first = row % bytes * 8, count = std::min<int64_t>(axis.size - first, 8);
      const uint8_t* const rows = from + (block * axis.size + first) * axis.inner;
      for (int64_t i = 0; i < axis.inner; ++i) to[row * axis.inner + i] = packed(rows + i, count, axis.inner, little);
    }
  });
}

void unpack_bits_cpu(const Tensor& input, std::optional<int64_t> dim, std::optional<int64_t>, std::string_view bitorder,
                     const Tensor& out) {
  if (out.numel() == 0) return;
  const Axis bytes = axis_of(input, dim), bits = axis_of(out, dim);
  const bool little = bitorder == "little";
  const auto* const from = reinterpret_cast<const uint8_t*>(input.data());
  auto* const to = reinterpret_cast<uint8_t*>(out.data());
  if (bits.inner == 1 && bits.size == bytes.size * 8) {
    return parallel_for(0, input.numel(), kGrain / 8, [&](int64_t begin, int64_t end) {
      unpack_bytes(from + begin, to + 8 * begin, end - begin, little);
    });
  }
  parallel_for(0, bits.outer * bits.size, std::max<int64_t>(kGrain / bits.inner, 1), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const int64_t block = row / bits.size, at = row % bits.size;
      uint8_t* const line = to + row * bits.inner;
      if (at / 8 >= bytes.size) {  // padding
        std::memset(line, 0, static_cast<size_t>(bits.inner));
        continue;
      }
      const uint8_t* const rows = from + (block * bytes.size + at / 8) * bits.inner;
      const int64_t shift = little ? at % 8 : 7 - at % 8;
      for (int64_t i = 0; i < bits.inner; ++i) line[i] = rows[i] >> shift & 1;
    }
  });
}

void byteswap_cpu(const Tensor& input, const Tensor& out) {
  const int64_t parts = input.is_complex() ? 2 : 1, size = input.itemsize() / parts;
  const char* const from = input.data();
  char* const to = out.data();
  parallel_for(0, input.numel() * parts, kGrain / size,
               [&](int64_t begin, int64_t end) { swap(from + begin * size, to + begin * size, end - begin, size); });
}

}  // namespace tnp::native
