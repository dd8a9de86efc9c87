// Cumulative sums and products, and the linear recurrence that their gradients need.
//
// Note [Scans on the device] Results must not depend on the order in which blocks finish. They must
// also be as accurate and as monotone as the CPU's results (Note [Running sums]). CUB's scans
// combine the totals of preceding blocks in varying order. This is harmless for integers, so single
// lines of integers use CUB.
//
// All other lines are cut into pieces of a fixed length. Each piece is scanned separately, and
// their totals are accumulated sequentially. An element is the total before its piece, combined
// with its running value within the piece. A piece begins with the value at which the previous one
// ended, rounded once, so cumulative sums of numbers of one sign are monotone. The threads within a
// block proceed in the same way. Sums of float32 are kept in float64.
#include <algorithm>

#include "aten/cuda/launch.h"
#include "aten/functors/sums.h"
#include "aten/kernel_functions/reductions.h"
#include "aten/kernels/cuda/element.h"
#include "aten/kernels/cuda/reduction/integer_scan.h"
#include "aten/kernels/dense_lines.h"

namespace tnp {

namespace gpu {
namespace {

constexpr uint32_t kBlock = 256;
constexpr int64_t kShortLine = 128, kLongLine = 1024, kManyLines = 8192;
constexpr int64_t kManyThreads = 1 << 16, kShortPiece = 64;

uint32_t blocks_of(int64_t blocks) {
  TNP_CHECK(blocks <= kMaxBlocks, ErrorKind::NotImplemented, "a scan in ", blocks,
            " blocks on CUDA is not implemented");
  return static_cast<uint32_t>(blocks);
}
uint32_t blocks_for(int64_t threads) { return blocks_of((threads + kBlock - 1) / kBlock); }

template <class T>
struct RunningSum {
  using Type = T;
  using Acc = std::conditional_t<std::is_same_v<T, float>, double,
                                 std::conditional_t<std::is_same_v<T, Complex<float>>, Complex<double>, T>>;
  TNP_HOST_DEVICE static Acc combine(Acc a, Acc b) { return Sum<Acc>::combine(a, b); }
};
template <class T>
struct RunningProduct {
  using Type = T;
  using Acc = T;
  TNP_HOST_DEVICE static Acc combine(Acc a, Acc b) { return Prod<Acc>::combine(a, b); }
};

// Combines `sum` with the values [begin, end) in sequence and returns the total. before(i) receives
// the total before value i. Values are loaded kAhead at a time, because only the combinations
// depend on each other.
template <class F, class Value, class Before>
TNP_HOST_DEVICE TNP_INLINE typename F::Acc chain(typename F::Acc sum, int64_t begin, int64_t end, const Value& value,
                                                 const Before& before) {
  constexpr int kAhead = 8;
  int64_t i = begin;
  for (; i + kAhead <= end; i += kAhead) {
    typename F::Acc next[kAhead];
    TNP_UNROLL
    for (int k = 0; k < kAhead; ++k) next[k] = value(i + k);
    TNP_UNROLL
    for (int k = 0; k < kAhead; ++k) {
      before(i + k) = sum;
      sum = F::combine(sum, next[k]);
    }
  }
  for (; i < end; ++i) {
    const typename F::Acc next = value(i);
    before(i) = sum;
    sum = F::combine(sum, next);
  }
  return sum;
}

// Scans with one thread per piece of each line. Neighbouring threads have neighbouring lines.
template <class F>
struct ScanPieces {
  using T = typename F::Type;
  using Acc = typename F::Acc;
  static constexpr uint32_t kThreads = kBlock;
  DenseLines lines;
  int64_t pieces, length;
  const T* in;
  T* out;       // cumulative values, or null
  Acc* totals;  // shape (lines, pieces): written if `out` is null, else the total before each piece
  TNP_HOST_DEVICE void run(Place place) const {
    const int64_t id = static_cast<int64_t>(place.block) * kThreads + place.thread;
    if (id >= lines.count() * pieces) return;
    const int64_t line = id % lines.count(), piece = id / lines.count();
    const int64_t begin = piece * length, end = begin + length < lines.n ? begin + length : lines.n;
    int64_t at = lines.first(line) + begin * lines.inner;
    Acc sum = convert<Acc>(in[at]);
    for (int64_t k = begin;;) {
      if (out) out[at] = convert<T>(piece > 0 ? F::combine(totals[line * pieces + piece], sum) : sum);
      if (++k >= end) break;
      at += lines.inner;
      sum = F::combine(sum, convert<Acc>(in[at]));
    }
    if (!out) totals[line * pieces + piece] = sum;
  }
};

// One block per piece of each contiguous line. The block reads and writes adjacent elements, and
// each thread scans a run of them.
template <class F>
struct ScanSegments {
  using T = typename F::Type;
  using Acc = typename F::Acc;
  static constexpr uint32_t kThreads = kBlock;
  static constexpr int64_t kItems = sizeof(Acc) > 8 ? 8 : 16, kSegment = kThreads * kItems;
  struct Shared {
    Acc items[kSegment + kThreads];  // a gap after each thread's items avoids bank conflicts
    Acc before[kThreads];            // the total before each thread's items
  };
  struct Private {};
  int64_t n, segments;
  const T* in;
  T* out;  // `out` and `totals`: see ScanPieces
  Acc* totals;

  TNP_HOST_DEVICE int phases() const { return 4; }
  TNP_HOST_DEVICE static int64_t slot(int64_t i) { return i + i / kItems; }

  TNP_HOST_DEVICE void run(int phase, Place place, Shared& shared, Private&) const {
    const int64_t line = place.block / segments, segment = place.block % segments, first = segment * kSegment;
    const int64_t count = n - first < kSegment ? n - first : kSegment;
    const T* from = in + line * n + first;
    Acc* total = totals ? totals + line * segments + segment : nullptr;
    if (phase == 0) {
      for (int64_t i = place.thread; i < count; i += kThreads) shared.items[slot(i)] = convert<Acc>(from[i]);
    } else if (phase == 1) {
      const int64_t begin = place.thread * kItems, end = begin + kItems < count ? begin + kItems : count;
      for (int64_t i = begin + 1; i < end; ++i)
        shared.items[slot(i)] = F::combine(shared.items[slot(i - 1)], shared.items[slot(i)]);
    } else if (phase == 2) {
      if (place.thread > 0) return;
      const int64_t threads = (count + kItems - 1) / kItems;
      auto last_of = [&](int64_t t) {
        return shared.items[slot((t + 1) * kItems < count ? (t + 1) * kItems - 1 : count - 1)];
      };
      auto before = [&](int64_t t) -> Acc& { return shared.before[t]; };
      const Acc sum = chain<F>(last_of(0), 1, threads, last_of, before);
      if (!out) *total = sum;
    } else if (out) {
      for (int64_t i = place.thread; i < count; i += kThreads) {
        Acc value = shared.items[slot(i)];
        if (i >= kItems) value = F::combine(shared.before[i / kItems], value);
        if (segment > 0) value = F::combine(*total, value);
        out[line * n + first + i] = convert<T>(value);
      }
    }
  }
};

// Replaces totals by their exclusive cumulative values, with one block per row. The first total of
// a row is left unchanged.
template <class F>
struct ChainTotals {
  using Acc = typename F::Acc;
  static constexpr uint32_t kThreads = kBlock;
  static constexpr int64_t kTile = 1024;
  struct Shared {
    Acc items[kTile];
  };
  struct Private {
    Acc sum;
  };
  int64_t n;
  Acc* totals;
  TNP_HOST_DEVICE int phases() const { return static_cast<int>(3 * ((n + kTile - 1) / kTile)); }
  TNP_HOST_DEVICE void run(int phase, Place place, Shared& shared, Private& own) const {
    const int64_t first = phase / 3 * kTile, count = n - first < kTile ? n - first : kTile;
    Acc* row = totals + place.block * n + first;
    if (phase % 3 == 0) {
      for (int64_t i = place.thread; i < count; i += kThreads) shared.items[i] = row[i];
    } else if (phase % 3 == 1) {
      if (place.thread > 0) return;
      auto item = [&](int64_t i) -> Acc& { return shared.items[i]; };
      own.sum = first == 0 ? chain<F>(shared.items[0], 1, count, item, item) : chain<F>(own.sum, 0, count, item, item);
    } else {
      for (int64_t i = place.thread; i < count; i += kThreads) row[i] = shared.items[i];
    }
  }
};

// Launches the kernel for the totals, accumulates the totals, and launches the kernel again for the
// results.
template <class F, class Kernel>
void launch_scan(Kernel kernel, typename F::Type* out, int64_t lines, int64_t pieces, int64_t blocks, Device device) {
  Tensor totals;
  if (pieces > 1) {
    totals = empty_tensor({lines, pieces}, scalar_type_of<typename F::Acc>, device);
    kernel.totals = reinterpret_cast<typename F::Acc*>(totals.address());
    launch(kernel, blocks_of(blocks), device);
    launch(ChainTotals<F>{pieces, kernel.totals}, blocks_of(lines), device);
  }
  kernel.out = out;
  launch(kernel, blocks_of(blocks), device);
}

template <class F>
void scan(const typename F::Type* in, typename F::Type* out, const DenseLines& lines, Device device) {
  if (lines.count() == 0 || lines.n == 0) return;
  if (lines.inner == 1 && (lines.n >= kLongLine || (lines.n > kShortLine && lines.count() < kManyLines))) {
    const int64_t segments = (lines.n + ScanSegments<F>::kSegment - 1) / ScanSegments<F>::kSegment;
    return launch_scan<F>(ScanSegments<F>{lines.n, segments, in, nullptr, nullptr}, out, lines.count(), segments,
                          lines.count() * segments, device);
  }
  const int64_t wanted =
      std::clamp<int64_t>(kManyThreads / lines.count(), 1, std::max<int64_t>(lines.n / kShortPiece, 1));
  const int64_t length = (lines.n + wanted - 1) / wanted, pieces = (lines.n + length - 1) / length;
  const int64_t blocks = (lines.count() * pieces + kBlock - 1) / kBlock;
  launch_scan<F>(ScanPieces<F>{lines, pieces, length, in, nullptr, nullptr}, out, lines.count(), pieces, blocks,
                 device);
}

template <template <class> class F>
void running(const Tensor& input, int64_t dim, const Tensor& out) {
  const DenseLines lines(out.sizes(), dim);
  // Signed and unsigned integers are both scanned modulo 2^64.
  if (is_integral(out.dtype()) && lines.count() == 1 && lines.n > 0) {
    constexpr IntegerScan kind =
        std::is_same_v<F<float>, RunningSum<float>> ? IntegerScan::Sums : IntegerScan::Products;
    return scan_integers(kind, reinterpret_cast<const uint64_t*>(input.address()),
                         reinterpret_cast<uint64_t*>(out.address()), lines.n, out.device());
  }
  visit<WideTypes>(out.dtype(), [&]<class T>() {
    scan<F<T>>(reinterpret_cast<const T*>(input.address()), reinterpret_cast<T*>(out.address()), lines, out.device());
  });
}

// y[k] = decay[k] * y[k - 1] + x[k], or backwards if `reverse`.
template <class T>
struct Recurrence {
  static constexpr uint32_t kThreads = kBlock;
  DenseLines lines;
  const T *decay, *x;
  T* y;
  bool reverse;
  TNP_HOST_DEVICE void run(Place place) const {
    const int64_t line = static_cast<int64_t>(place.block) * kThreads + place.thread;
    if (line >= lines.count()) return;
    const int64_t step = reverse ? -lines.inner : lines.inner;
    int64_t at = lines.first(line) + (reverse ? (lines.n - 1) * lines.inner : 0);
    T value = x[at];
    y[at] = value;
    for (int64_t k = 1; k < lines.n; ++k) {
      at += step;
      value = decay[at] * value + x[at];
      y[at] = value;
    }
  }
};

}  // namespace
}  // namespace gpu

void native::cumsum_cuda(const Tensor& input, std::optional<int64_t> dim, std::optional<ScalarType>,
                         const Tensor& out) {
  gpu::running<gpu::RunningSum>(input, *dim, out);
}

void native::cumprod_cuda(const Tensor& input, std::optional<int64_t> dim, std::optional<ScalarType>,
                          const Tensor& out) {
  gpu::running<gpu::RunningProduct>(input, *dim, out);
}

void native::linear_recurrence_cuda(const Tensor& decay, const Tensor& input, int64_t dim, bool reverse,
                                    const Tensor& out) {
  if (out.numel() == 0) return;
  const DenseLines lines(out.sizes(), dim);
  visit<InexactTypes>(out.dtype(), [&]<class T>() {
    auto at = [](const Tensor& t) { return reinterpret_cast<T*>(t.address()); };
    gpu::launch(gpu::Recurrence<T>{lines, at(decay), at(input), at(out), reverse}, gpu::blocks_for(lines.count()),
                out.device());
  });
}

}  // namespace tnp
