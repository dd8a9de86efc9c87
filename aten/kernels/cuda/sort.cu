// Stable argsort of all lines along an axis, by radix: each pass orders by four bits of the key and keeps the order of equals.
//
// Keys are integers that compare as the elements do: NaN is the largest, -0 equals 0; `descending` turns them round. A pass counts
// the digits of each tile of a line, scans the counts (digit by digit, tile by tile), and moves the tile's items to where they
// belong. Complex numbers are sorted by their imaginary part first, then by the real part, then by which of the two is NaN.
#include <algorithm>
#include <bit>

#include "aten/functions.h"
#include "aten/kernels/cuda/element.h"
#include "aten/kernels/cuda/launch.h"
#include "aten/kernels/functors/functor.h"
#include "aten/native_functions.h"

namespace tnp {

namespace gpu {
namespace {

constexpr uint32_t kBlock = 128;
constexpr int64_t kItems = 16, kTile = kBlock * kItems;
constexpr int kBits = 4, kDigits = 1 << kBits;

// (outer, n, inner) of a row-major tensor; items are kept line by line, densely.
struct Lines {
  int64_t outer, n, inner;
  TNP_HOST_DEVICE int64_t count() const { return outer * inner; }
  // The place in the tensor of item `k` of line `line`.
  TNP_HOST_DEVICE int64_t place(int64_t line, int64_t k) const { return (line / inner * n + k) * inner + line % inner; }
};

uint32_t blocks_of(int64_t blocks) {
  TNP_CHECK(blocks <= kMaxBlocks, ErrorKind::NotImplemented, "sorting of ", blocks, " pieces on CUDA");
  return static_cast<uint32_t>(blocks);
}

enum class Part { Whole, Real, Imaginary, NanClass };

// 64 bits that compare as `x` does.
template <class T>
TNP_HOST_DEVICE uint64_t key_of(T x) {
  if constexpr (std::is_same_v<T, double>) {
    if (x != x) return ~uint64_t{0};
    const auto bits = std::bit_cast<uint64_t>(x == 0 ? 0.0 : x);
    return bits >> 63 ? ~bits : bits | (uint64_t{1} << 63);
  } else if constexpr (std::is_same_v<T, float>) {
    if (x != x) return ~uint32_t{0};
    const auto bits = std::bit_cast<uint32_t>(x == 0 ? 0.0f : x);
    return bits >> 31 ? static_cast<uint32_t>(~bits) : bits | (uint32_t{1} << 31);
  } else if constexpr (is_reduced_float_v<T>) {
    return key_of(static_cast<float>(x));
  } else if constexpr (std::is_signed_v<T>) {
    constexpr int kWidth = 8 * sizeof(T);
    return (static_cast<uint64_t>(static_cast<int64_t>(x)) ^ (uint64_t{1} << (kWidth - 1))) & (~uint64_t{0} >> (64 - kWidth));
  } else {
    return static_cast<uint64_t>(x);
  }
}

// Keys of the items in the order that `order` has them in; fills `order` with 0, 1, ... if it is the first.
template <class T>
struct MakeKeys {
  static constexpr uint32_t kThreads = 256;
  Lines lines;
  const T* in;
  uint64_t* keys;
  int64_t* order;
  uint64_t flip;  // all bits of a key, to turn the order round
  Part part;
  bool first;
  TNP_HOST_DEVICE void run(Place place) const {
    const int64_t i = static_cast<int64_t>(place.block) * kThreads + place.thread;
    if (i >= lines.count() * lines.n) return;
    const int64_t line = i / lines.n;
    if (first) order[i] = i % lines.n;
    const T x = static_cast<T>(reinterpret_cast<const stored_t<T>*>(in)[lines.place(line, order[i])]);
    if constexpr (is_complex_v<T>) {
      const uint64_t nans = (x.re != x.re ? 2 : 0) + (x.im != x.im ? 1 : 0);
      keys[i] = (part == Part::Real ? key_of(x.re) : part == Part::Imaginary ? key_of(x.im) : nans) ^ flip;
    } else {
      keys[i] = key_of(x) ^ flip;
    }
  }
};

// One tile of one line a block. Counts digits, or, when `offsets` hold where each tile's digits begin, moves the items there.
struct Pass {
  static constexpr uint32_t kThreads = kBlock;
  struct Shared {
    uint32_t counts[kDigits][kThreads];
  };
  struct Private {};
  int64_t n, tiles;
  int shift;
  const uint64_t* keys;
  const int64_t* order;
  uint64_t* keys_out;
  int64_t* order_out;
  int64_t* offsets;  // (line, digit, tile)
  bool move;

  TNP_HOST_DEVICE int phases() const { return 3; }
  TNP_HOST_DEVICE int digit(int64_t i) const { return static_cast<int>(keys[i] >> shift) & (kDigits - 1); }

  TNP_HOST_DEVICE void run(int phase, Place place, Shared& shared, Private&) const {
    const int64_t line = place.block / tiles, tile = place.block % tiles;
    const int64_t begin = tile * kTile + place.thread * kItems, end = begin + kItems < n ? begin + kItems : n;
    if (phase == 0) {
      for (int d = 0; d < kDigits; ++d) shared.counts[d][place.thread] = 0;
      for (int64_t k = begin; k < end; ++k) ++shared.counts[digit(line * n + k)][place.thread];
    } else if (phase == 1) {
      // A thread a digit: how many of it the threads before have.
      if (place.thread >= kDigits) return;
      uint32_t sum = 0;
      for (uint32_t t = 0; t < kThreads; ++t) {
        const uint32_t own = shared.counts[place.thread][t];
        shared.counts[place.thread][t] = sum;
        sum += own;
      }
      if (!move) offsets[(line * kDigits + place.thread) * tiles + tile] = sum;
    } else if (move) {
      for (int64_t k = begin; k < end; ++k) {
        const int64_t i = line * n + k;
        const int d = digit(i);
        const int64_t to = line * n + offsets[(line * kDigits + d) * tiles + tile] + shared.counts[d][place.thread]++;
        keys_out[to] = keys[i];
        order_out[to] = order[i];
      }
    }
  }
};

// The indices, in the tensor's own layout.
struct PutOrder {
  static constexpr uint32_t kThreads = 256;
  Lines lines;
  const int64_t* order;
  int64_t* out;
  TNP_HOST_DEVICE void run(Place place) const {
    const int64_t i = static_cast<int64_t>(place.block) * kThreads + place.thread;
    if (i < lines.count() * lines.n) out[lines.place(i / lines.n, i % lines.n)] = order[i];
  }
};

int64_t* integers(const Tensor& t) { return reinterpret_cast<int64_t*>(t.address()); }
uint64_t* words(const Tensor& t) { return reinterpret_cast<uint64_t*>(t.address()); }

// Orders `keys` and `order` by the lowest `bits` of the keys.
void sort_by(Tensor& keys, Tensor& order, const Lines& lines, int bits) {
  const Device device = keys.device();
  const int64_t tiles = (lines.n + kTile - 1) / kTile;
  Tensor keys_out = empty_tensor(keys.sizes(), keys.dtype(), device), order_out = empty_tensor(order.sizes(), order.dtype(), device);
  Tensor counts = empty_tensor({lines.count(), kDigits * tiles}, ScalarType::Int64, device);
  for (int shift = 0; shift < bits; shift += kBits) {
    Pass pass{lines.n, tiles, shift, words(keys), integers(order), words(keys_out), integers(order_out), integers(counts), false};
    const uint32_t blocks = blocks_of(lines.count() * tiles);
    launch(pass, blocks, device);
    // What comes before a tile's digits: running counts less the own.
    Tensor offsets = tnp::sub(native::cumsum_cuda(counts, 1, std::nullopt), counts);
    pass.offsets = integers(offsets);
    pass.move = true;
    launch(pass, blocks, device);
    std::swap(keys, keys_out);
    std::swap(order, order_out);
  }
}

}  // namespace
}  // namespace gpu

Tensor native::stable_argsort_cuda(const Tensor& input, int64_t dim, bool descending) {
  using namespace gpu;
  const Device device = input.device();
  Tensor x = input.is_contiguous() ? input : tnp::clone(input, Order::C), out = empty_tensor(input.sizes(), ScalarType::Int64, device);
  if (out.numel() == 0) return out;
  Lines lines{1, 1, 1};
  for (int64_t d = 0; d < x.dim(); ++d) (d < dim ? lines.outer : d > dim ? lines.inner : lines.n) *= x.size(d);
  Tensor keys = empty_tensor({x.numel()}, ScalarType::UInt64, device), order = empty_tensor({x.numel()}, ScalarType::Int64, device);
  const uint32_t blocks = blocks_of((x.numel() + 255) / 256);
  visit_dtype(x.dtype(), [&]<class T>() {
    auto by = [&](Part part, int bits, bool first) {
      const uint64_t flip = descending ? ~uint64_t{0} >> (64 - bits) : 0;
      launch(MakeKeys<T>{lines, reinterpret_cast<const T*>(x.address()), words(keys), integers(order), flip, part, first}, blocks, device);
      sort_by(keys, order, lines, bits);
    };
    if constexpr (is_complex_v<T>) {
      by(Part::Imaginary, 8 * sizeof(real_t<T>), true);
      by(Part::Real, 8 * sizeof(real_t<T>), false);
      by(Part::NanClass, kBits, false);
    } else {
      by(Part::Whole, is_reduced_float_v<T> ? 32 : 8 * static_cast<int>(sizeof(T)), true);
    }
  });
  launch(PutOrder{lines, integers(order), integers(out)}, blocks, device);
  return out;
}

}  // namespace tnp
