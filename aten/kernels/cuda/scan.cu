// Running sums and products, and the linear recurrence that their gradients need.
//
// Note [Scans on the device] Many lines: a thread goes along each. Few long ones: a line is cut into segments, one block each;
// their totals are scanned by the same functions, and then each block scans its segment from where the ones before it ended.
#include <algorithm>

#include "aten/core/promotion.h"
#include "aten/functions.h"
#include "aten/kernels/cuda/element.h"
#include "aten/kernels/cuda/launch.h"
#include "aten/kernels/functors/reduction.h"
#include "aten/native_functions.h"

namespace tnp {

namespace gpu {
namespace {

constexpr uint32_t kBlock = 256;
constexpr int64_t kItems = 16, kSegment = kBlock * kItems;
constexpr int64_t kManyLines = 8192, kShortLine = 128;

// A row-major tensor seen as (outer, n, inner): lines of n elements, `inner` apart.
struct Lines {
  int64_t outer = 1, n = 1, inner = 1;
  Lines(IntList sizes, int64_t dim) {
    for (int64_t d = 0; d < static_cast<int64_t>(sizes.size()); ++d) (d < dim ? outer : d > dim ? inner : n) *= sizes[static_cast<size_t>(d)];
  }
  TNP_HOST_DEVICE int64_t count() const { return outer * inner; }
  TNP_HOST_DEVICE int64_t first(int64_t line) const { return line / inner * n * inner + line % inner; }
};

uint32_t blocks_for(int64_t threads) {
  TNP_CHECK(threads <= int64_t{kMaxBlocks} * kBlock, ErrorKind::NotImplemented, "a scan of ", threads, " lines on CUDA");
  return static_cast<uint32_t>((threads + kBlock - 1) / kBlock);
}

template <class F>
using acc_t = decltype(F::identity());

// A thread goes along each line. With `offsets`, out[k] is what the elements before k came to, and they start with it.
template <class F>
struct ScanLines {
  using T = acc_t<F>;
  static constexpr uint32_t kThreads = kBlock;
  Lines lines;
  const T* in;
  T* out;
  bool exclusive;
  TNP_HOST_DEVICE void run(Place place) const {
    const int64_t line = static_cast<int64_t>(place.block) * kThreads + place.thread;
    if (line >= lines.count()) return;
    int64_t at = lines.first(line);
    T sum = F::identity();
    for (int64_t k = 0; k < lines.n; ++k, at += lines.inner) {
      const T x = in[at];
      if (exclusive) out[at] = sum;
      sum = k == 0 ? x : F::combine(sum, x);
      if (!exclusive) out[at] = sum;
    }
  }
};

// A block for each segment of each line: its total, or, if `totals` are there, its running values.
template <class F>
struct ScanSegments {
  using T = acc_t<F>;
  static constexpr uint32_t kThreads = kBlock;
  struct Shared {
    T sums[2][kThreads];  // of the threads' items; written in turn, since a phase may not read what it writes
  };
  struct Private {};
  Lines lines;
  int64_t segments;
  const T* in;
  T* out;           // values, or null
  T* totals;        // (line, segment): written if `out` is null, else what comes before the segment

  static constexpr int kSteps = 8;
  static_assert((1u << kSteps) == kBlock);
  TNP_HOST_DEVICE int phases() const { return kSteps + 2; }

  TNP_HOST_DEVICE void run(int phase, Place place, Shared& shared, Private&) const {
    const int64_t line = place.block / segments, segment = place.block % segments;
    const int64_t begin = segment * kSegment + place.thread * kItems;
    const int64_t end = begin + kItems < lines.n ? begin + kItems : lines.n;
    const int64_t first = lines.first(line);
    if (phase == 0) {
      T sum = F::identity();
      for (int64_t k = begin; k < end; ++k) sum = F::combine(sum, in[first + k * lines.inner]);
      shared.sums[0][place.thread] = sum;
      return;
    }
    if (phase <= kSteps) {
      const T *from = shared.sums[(phase - 1) % 2];
      const uint32_t reach = 1u << (phase - 1);
      const T own = from[place.thread];
      shared.sums[phase % 2][place.thread] = place.thread >= reach ? F::combine(from[place.thread - reach], own) : own;
      return;
    }
    const T* sums = shared.sums[kSteps % 2];
    if (!out) {
      if (place.thread == kThreads - 1) totals[line * segments + segment] = sums[place.thread];
      return;
    }
    T sum = segment > 0 ? totals[line * segments + segment] : F::identity();
    if (place.thread > 0) sum = F::combine(sum, sums[place.thread - 1]);
    for (int64_t k = begin; k < end; ++k) {
      sum = F::combine(sum, in[first + k * lines.inner]);
      out[first + k * lines.inner] = sum;
    }
  }
};

template <class F>
void scan(const acc_t<F>* in, acc_t<F>* out, const Lines& lines, bool exclusive, Device device) {
  using T = acc_t<F>;
  if (lines.count() == 0 || lines.n == 0) return;
  if (exclusive || lines.count() >= kManyLines || lines.n <= kShortLine) {
    return launch(ScanLines<F>{lines, in, out, exclusive}, blocks_for(lines.count()), device);
  }
  const int64_t segments = (lines.n + kSegment - 1) / kSegment;
  Tensor totals = empty_tensor({lines.count(), segments}, scalar_type_of<T>, device);
  auto* sums = reinterpret_cast<T*>(totals.address());
  const auto blocks = static_cast<uint32_t>(lines.count() * segments);  // fewer than kManyLines * 2^19
  ScanSegments<F> kernel{lines, segments, in, nullptr, sums};
  if (segments > 1) {
    launch(kernel, blocks, device);
    const Lines rows(totals.sizes(), 1);
    if (segments <= 4096) {
      scan<F>(sums, sums, rows, true, device);
    } else {  // running values of the totals, one place further on
      Tensor running = empty_tensor({lines.count(), segments}, scalar_type_of<T>, device);
      scan<F>(sums, reinterpret_cast<T*>(running.address()), rows, false, device);
      copy_into(tnp::slice(totals, 1, 1, segments - 1, 1), tnp::slice(running, 1, 0, segments - 1, 1));
    }
  }
  kernel.out = out;
  launch(kernel, blocks, device);
}

Tensor dense(const Tensor& t, ScalarType dtype) {
  if (t.dtype() == dtype && t.is_contiguous()) return t;
  Tensor out = empty_tensor(t.sizes(), dtype, t.device());
  copy_into(out, t);
  return out;
}

template <template <class> class F>
Tensor running(const Tensor& input, std::optional<int64_t> dim, std::optional<ScalarType> dtype) {
  const bool numpy = promotion_rules() == PromotionRules::NumPy;
  ScalarType type = input.dtype();
  if (dtype) type = *dtype;
  else if (is_integral(type)) type = numpy && is_unsigned(type) ? ScalarType::UInt64 : ScalarType::Int64;
  const ScalarType compute = is_integral(type) ? (type == ScalarType::UInt64 ? type : ScalarType::Int64) : compute_type(type);
  const Tensor x = dense(input, compute);
  DimVector sizes = input.sizes();
  if (!dim || (input.dim() == 0 && numpy && (*dim == 0 || *dim == -1))) {
    sizes = DimVector{input.numel()};
    dim = 0;
  }
  const Lines lines(sizes, wrap_dim(*dim, static_cast<int64_t>(sizes.size())));
  Tensor out = empty_tensor(sizes, compute, input.device());
  visit<WideTypes>(compute, [&]<class T>() {
    scan<F<T>>(reinterpret_cast<const T*>(x.address()), reinterpret_cast<T*>(out.address()), lines, false, input.device());
  });
  return dense(out, type);
}

// y[k] = decay[k] * y[k - 1] + x[k]; `inner` backwards if the recurrence is.
template <class T>
struct Recurrence {
  static constexpr uint32_t kThreads = kBlock;
  Lines lines;
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

Tensor native::cumsum_cuda(const Tensor& input, std::optional<int64_t> dim, std::optional<ScalarType> dtype) {
  return gpu::running<Sum>(input, dim, dtype);
}

Tensor native::cumprod_cuda(const Tensor& input, std::optional<int64_t> dim, std::optional<ScalarType> dtype) {
  return gpu::running<Prod>(input, dim, dtype);
}

Tensor native::linear_recurrence_cuda(const Tensor& decay, const Tensor& input, int64_t dim, bool reverse) {
  TNP_CHECK(decay.sizes() == input.sizes(), ErrorKind::Shape, "linear_recurrence(): decay of shape ", decay.sizes(),
            " and input of shape ", input.sizes(), " differ");
  const ScalarType type = result_type(decay, input), compute = compute_type(type);
  const Tensor a = gpu::dense(decay, compute), b = gpu::dense(input, compute);
  Tensor out = empty_tensor(input.sizes(), compute, input.device());
  const gpu::Lines lines(input.sizes(), wrap_dim(dim, input.dim()));
  if (out.numel() > 0) {
    visit<InexactTypes>(compute, [&]<class T>() {
      gpu::Recurrence<T> kernel{lines, reinterpret_cast<const T*>(a.address()), reinterpret_cast<const T*>(b.address()), reinterpret_cast<T*>(out.address()), reverse};
      gpu::launch(kernel, gpu::blocks_for(lines.count()), input.device());
    });
  }
  return gpu::dense(out, type);
}

}  // namespace tnp
