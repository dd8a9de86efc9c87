// Fourier transforms by ducc, Martin Reinecke's successor of pocketfft, which NumPy and SciPy use.
// ducc consists of C++ templates over a number type or a vector type. As many lines as a vector has
// lanes are transformed at once.
//
// Note [Lanes] The lanes of a vector go through the same operations as a single number. So results
// depend neither on the number of lines nor on the instruction set. ducc can also vectorise within
// one line, which is faster for a single line but rounds differently, also between instruction
// sets. That variant is used for a line that is the only one of its call, and for lines so long
// that a vector of them exceeds the cache.
#ifndef TNP_CPU_CAPABILITY
#define TNP_CPU_CAPABILITY baseline
#endif

// Each instruction set has its own copy of the library, without threads.
#define DUCC0_NAMESPACE TNP_DUCC_NAMESPACE(TNP_CPU_CAPABILITY)
#define TNP_DUCC_NAMESPACE(capability) TNP_DUCC_JOINED(capability)
#define TNP_DUCC_JOINED(capability) ducc_##capability
#define DUCC0_NO_LOWLEVEL_THREADING
#include <ducc0/fft/fft1d_impl.h>
#include <ducc0/infra/threading.cc>

#include <algorithm>

#include "aten/core/containers/recently_used.h"
#include "aten/kernels/cpu/fourier/line_transform_loops.h"

namespace tnp::line_transforms::TNP_CPU_CAPABILITY {

std::span<const LineTransformLoops> loops();

namespace {

namespace ducc = DUCC0_NAMESPACE;

template <class T>
using Vector = ducc::native_simd<T>;
template <class T>
inline constexpr int64_t kLanes = static_cast<int64_t>(Vector<T>::size());

// A cache of the factors of a transform of n numbers, which several LinePlans share.
template <class Factors>
std::shared_ptr<const Factors> factors_of(int64_t n, bool within_line) {
  static auto& made = *new RecentlyUsed<std::pair<int64_t, bool>, std::shared_ptr<const Factors>, 16>;
  return made.get(std::pair(n, within_line), [](const std::pair<int64_t, bool>& key) {
    return std::make_shared<const Factors>(static_cast<size_t>(key.first), key.second);
  });
}

// Uninitialised memory for `count` vectors or numbers. Small buffers are on the stack.
template <class V>
class Workspace {
 public:
  explicit Workspace(size_t count) : large_(count > kOnStack ? count : 0) {
    data_ = count > kOnStack ? large_.data() : reinterpret_cast<V*>(small_);
  }
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;
  V* data() { return data_; }

 private:
  static constexpr size_t kOnStack = 4096 / sizeof(V);
  alignas(64) char small_[kOnStack * sizeof(V)];
  ducc::aligned_array<V> large_;
  V* data_;
};

// Copies `lines` lines into the lanes of vectors: lane j of vector i is element i of line j, or
// zero. Complex elements have two `parts` (real and imaginary), in one vector each. Strides and
// distances are in numbers.
template <int64_t parts, int64_t width, class T>
TNP_INLINE void gather(const T* from, int64_t stride, int64_t distance, int64_t n, int64_t lines, T* lanes) {
  for (int64_t i = 0; i < n; ++i, from += stride, lanes += parts * width) {
    if (lines == width) {
      for (int64_t part = 0; part < parts; ++part)
        for (int64_t j = 0; j < width; ++j) lanes[part * width + j] = from[j * distance + part];
    } else {
      for (int64_t part = 0; part < parts; ++part)
        for (int64_t j = 0; j < width; ++j) lanes[part * width + j] = j < lines ? from[j * distance + part] : T(0);
    }
  }
}
template <int64_t parts, int64_t width, class T>
TNP_INLINE void scatter(const T* lanes, int64_t n, int64_t lines, T* to, int64_t stride, int64_t distance) {
  for (int64_t i = 0; i < n; ++i, to += stride, lanes += parts * width) {
    const int64_t count = lines == width ? width : lines;
    for (int64_t part = 0; part < parts; ++part)
      for (int64_t j = 0; j < count; ++j) to[j * distance + part] = lanes[part * width + j];
  }
}

// V: T, or a vector of several T. It is also accessed as an array of T.
template <class T, class V>
struct Lines {
  static constexpr int64_t width = sizeof(V) / sizeof(T);
  using Complex = ducc::Cmplx<V>;
  static_assert(sizeof(Complex) == 2 * sizeof(V));

  static void complex(const LinePlan& p, const ducc::detail_fft::pocketfft_c<T>& factors, bool forward, T scale,
                      const T* in, T* out, int64_t lines) {
    const auto n = static_cast<size_t>(p.n);
    if (width == 1 && p.stride_out == 1) {
      if (p.stride_in != 1)
        gather<2, 1>(in, 2 * p.stride_in, 0, p.n, 1, out);
      else if (in != out)
        std::copy_n(in, 2 * p.n, out);
      Workspace<Complex> workspace(factors.bufsize());
      return factors.exec_copyback(reinterpret_cast<Complex*>(out), workspace.data(), scale, forward);
    }
    Workspace<Complex> workspace(n + factors.bufsize());
    Complex* values = workspace.data();
    gather<2, width>(in, 2 * p.stride_in, 2 * p.distance_in, p.n, lines, reinterpret_cast<T*>(values));
    const Complex* result = factors.exec(values, values + n, scale, forward);
    scatter<2, width>(reinterpret_cast<const T*>(result), p.n, lines, out, 2 * p.stride_out, 2 * p.distance_out);
  }

  // ducc stores the first half of the transform of real numbers as y_0, re y_1, im y_1, re y_2,
  // ..., and for even n y_(n/2) at the end. y_0 and y_(n/2) are real.
  static void real_to_complex(const LinePlan& p, const ducc::detail_fft::pocketfft_r<T>& factors, T scale, const T* in,
                              T* out, int64_t lines) {
    const auto n = static_cast<size_t>(p.n);
    Workspace<V> workspace(n + factors.bufsize());
    V* values = workspace.data();
    gather<1, width>(in, p.stride_in, p.distance_in, p.n, lines, reinterpret_cast<T*>(values));
    const T* result = reinterpret_cast<const T*>(factors.exec(values, values + n, scale, true));
    const int64_t stride = 2 * p.stride_out, distance = 2 * p.distance_out;
    auto put_real = [&](const T* lanes, T* to) {
      for (int64_t j = 0; j < lines; ++j) to[j * distance] = lanes[j], to[j * distance + 1] = T(0);
    };
    put_real(result, out);
    scatter<2, width>(result + width, (p.n - 1) / 2, lines, out + stride, stride, distance);
    if (p.n % 2 == 0) put_real(result + (p.n - 1) * width, out + p.n / 2 * stride);
  }

  static void complex_to_real(const LinePlan& p, const ducc::detail_fft::pocketfft_r<T>& factors, T scale, const T* in,
                              T* out, int64_t lines) {
    const auto n = static_cast<size_t>(p.n);
    Workspace<V> workspace(n + factors.bufsize());
    V* values = workspace.data();
    T* lanes = reinterpret_cast<T*>(values);
    const int64_t stride = 2 * p.stride_in, distance = 2 * p.distance_in;
    gather<1, width>(in, stride, distance, 1, lines, lanes);
    gather<2, width>(in + stride, stride, distance, (p.n - 1) / 2, lines, lanes + width);
    if (p.n % 2 == 0) gather<1, width>(in + p.n / 2 * stride, stride, distance, 1, lines, lanes + (p.n - 1) * width);
    const V* result = factors.exec(values, values + n, scale, false);
    scatter<1, width>(reinterpret_cast<const T*>(result), p.n, lines, out, p.stride_out, p.distance_out);
  }
};

// The length from which a line is transformed alone: see Note [Lanes]. Counted in elements, so that
// the limit is the same for all instruction sets.
constexpr int64_t kLongLine = 8192;

template <class T>
class DuccTransform final : public LineTransform {
 public:
  explicit DuccTransform(const LinePlan& p)
      : plan_(p), within_line_(p.alone || (p.n > kLongLine && p.stride_in == 1 && p.stride_out == 1)) {
    if (p.kind == Fourier::Complex)
      complex_ = factors_of<ducc::detail_fft::pocketfft_c<T> >(p.n, within_line_);
    else
      real_ = factors_of<ducc::detail_fft::pocketfft_r<T> >(p.n, within_line_);
  }

  void run(bool forward, char* in, char* out) const override {
    const T scale = static_cast<T>(forward ? plan_.forward_scale : plan_.backward_scale);
    const int64_t step_in = plan_.distance_in * (plan_.kind == Fourier::RealToComplex ? 1 : 2);
    const int64_t step_out = plan_.distance_out * (plan_.kind == Fourier::ComplexToReal ? 1 : 2);
    const T* x = reinterpret_cast<const T*>(in);
    T* y = reinterpret_cast<T*>(out);
    // Up to this many lines are faster one by one than in a vector that is mostly empty.
    constexpr int64_t kFewLines = std::max<int64_t>(kLanes<T> / 4, 1);
    int64_t i = 0;
    if (!within_line_)
      for (; plan_.lines - i > kFewLines; i = std::min(i + kLanes<T>, plan_.lines))
        some<Vector<T> >(forward, scale, x + i * step_in, y + i * step_out, std::min(kLanes<T>, plan_.lines - i));
    for (; i < plan_.lines; ++i) some<T>(forward, scale, x + i * step_in, y + i * step_out, 1);
  }

 private:
  template <class V>
  void some(bool forward, T scale, const T* in, T* out, int64_t lines) const {
    using Some = Lines<T, V>;
    switch (plan_.kind) {
      case Fourier::Complex:
        return Some::complex(plan_, *complex_, forward, scale, in, out, lines);
      case Fourier::RealToComplex:
        return Some::real_to_complex(plan_, *real_, scale, in, out, lines);
      case Fourier::ComplexToReal:
        return Some::complex_to_real(plan_, *real_, scale, in, out, lines);
    }
  }

  const LinePlan plan_;
  const bool within_line_;
  std::shared_ptr<const ducc::detail_fft::pocketfft_c<T> > complex_;
  std::shared_ptr<const ducc::detail_fft::pocketfft_r<T> > real_;
};

std::shared_ptr<const LineTransform> make(const LinePlan& plan) {
  if (plan.single_precision) return std::make_shared<DuccTransform<float> >(plan);
  return std::make_shared<DuccTransform<double> >(plan);
}

}  // namespace

std::span<const LineTransformLoops> loops() {
  static constexpr LineTransformLoops table[] = {{make}};
  return table;
}

}  // namespace tnp::line_transforms::TNP_CPU_CAPABILITY
