// Depthwise convolutions on the CPU, forward and backward.
//
// Note [Depthwise convolutions] A band of rows of a plane is copied into a zero-padded buffer that
// stays in the cache. In the band, tap t of every element is at the constant offset[t], even across
// row ends. So one vectorised loop covers the whole band. The results in the padding columns at the
// end of each row are discarded. With strides, the band groups the columns (rows) by their
// remainder modulo the stride.
#include "aten/kernels/cpu/convolution/depthwise.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "aten/core/memory/scratch.h"
#include "aten/core/threads/parallel.h"
#include "aten/kernels/cpu/convolution/convolution_direct.h"
#include "aten/kernels/cpu/convolution/depthwise_loops.h"
#include "aten/kernels/cpu/pointwise/loops_of_type.h"

namespace tnp::depthwise {

namespace {

template <class T>
const DepthwiseLoop<T>& loop_of() {
  using namespace depthwise_loops;
  static constexpr LoopVariants<DepthwiseLoops> variants = TNP_LOOP_VARIANTS(loops);
  static const DepthwiseLoops& chosen = variants.choose()[0];
  return loops_of_type<T>(chosen);
}

constexpr int64_t kBandBytes = 24 * 1024;

// Geometry of the map from a plane `from` to a plane `to`, along both axes.
struct Geometry {
  int64_t from[2], to[2], kernel[2], stride[2], padding[2], dilation[2];
};

Geometry forward_geometry(const Convolution& c) {
  Geometry g;
  for (int d = 0; d < 2; ++d) {
    g.from[d] = c.x[1 + d], g.to[d] = c.y[1 + d], g.kernel[d] = c.kernel[1 + d];
    g.stride[d] = c.stride[1 + d], g.padding[d] = c.padding[1 + d], g.dilation[d] = c.dilation[1 + d];
  }
  return g;
}
// The gradient with stride 1: a convolution of y with the taps in reverse.
Geometry reversed_geometry(const Convolution& c) {
  Geometry g;
  for (int d = 0; d < 2; ++d) {
    g.from[d] = c.y[1 + d], g.to[d] = c.x[1 + d], g.kernel[d] = c.kernel[1 + d];
    g.stride[d] = 1, g.dilation[d] = c.dilation[1 + d];
    g.padding[d] = c.dilation[1 + d] * (c.kernel[1 + d] - 1) - c.padding[1 + d];
  }
  return g;
}

template <class T>
class Bands {
 public:
  explicit Bands(const Geometry& g) : g_(g), pitch_(g.to[1] + (g.kernel[1] - 1) * g.dilation[1] / g.stride[1]) {
    const int64_t beyond = (g.kernel[0] - 1) * g.dilation[0] / g.stride[0];
    const int64_t row = g.stride[0] * g.stride[1] * pitch_ * static_cast<int64_t>(sizeof(T));
    height_ = std::clamp<int64_t>(kBandBytes / row - beyond, 1, std::max<int64_t>(g.to[0], 1));
    lines_ = height_ + beyond;
    for (int64_t i = 0; i < g.kernel[0]; ++i) {
      for (int64_t j = 0; j < g.kernel[1]; ++j) {
        const int64_t down = i * g.dilation[0], right = j * g.dilation[1];
        offsets_.push_back(start(down % g.stride[0], right % g.stride[1]) + down / g.stride[0] * pitch_ +
                           right / g.stride[1]);
      }
    }
  }

  int64_t height() const { return height_; }
  int64_t pitch() const { return pitch_; }
  const int64_t* offsets() const { return offsets_.data(); }
  int64_t taps() const { return static_cast<int64_t>(offsets_.size()); }
  // The number of elements of `rows` rows, rounded up to whole registers.
  int64_t places(int64_t rows) const { return (rows * pitch_ + loop_.step - 1) / loop_.step * loop_.step; }
  int64_t size() const { return g_.stride[0] * g_.stride[1] * lines_ * pitch_ + places(1) + loop_.step; }
  const DepthwiseLoop<T>& loop() const { return loop_; }

  // Fills the band with the inputs of the rows of `to` from `first` on. The band must be zeros or
  // have been filled before.
  void fill(const T* plane, int64_t first, T* band) const {
    for (int64_t down = 0; down < g_.stride[0]; ++down) {
      // Lines [begin, end) of the band are rows of the plane.
      const int64_t shift = first * g_.stride[0] + down - g_.padding[0];
      const auto [begin, end] = inside(shift, g_.stride[0], g_.from[0], lines_);
      for (int64_t right = 0; right < g_.stride[1]; ++right) {
        T* to = band + start(down, right);
        if (height_ < g_.to[0]) {  // otherwise a plane has a single band, whose padding is still zero
          std::fill_n(to, begin * pitch_, T(0));
          std::fill_n(to + end * pitch_, (lines_ - end) * pitch_, T(0));
        }
        fill_lines(plane, shift, right - g_.padding[1], begin, end, to);
      }
    }
  }

 private:
  int64_t start(int64_t down, int64_t right) const { return (down * g_.stride[1] + right) * lines_ * pitch_; }
  // The range of i in [0, n) for which i * stride + shift lies in [0, size).
  static std::pair<int64_t, int64_t> inside(int64_t shift, int64_t stride, int64_t size, int64_t n) {
    const int64_t begin = std::clamp<int64_t>(shift < 0 ? (-shift + stride - 1) / stride : 0, 0, n);
    return {begin, std::clamp<int64_t>(size > shift ? (size - shift + stride - 1) / stride : 0, begin, n)};
  }
  // to[line, i] = plane[line * stride + down, i * stride + right], for elements inside the plane.
  void fill_lines(const T* plane, int64_t down, int64_t right, int64_t begin, int64_t end, T* to) const {
    const auto [left, stop] = inside(right, g_.stride[1], g_.from[1], pitch_);
    const int64_t s = g_.stride[1], step = g_.stride[0] * g_.from[1];
    const T* from = plane + (begin * g_.stride[0] + down) * g_.from[1] + left * s + right;
    to += begin * pitch_ + left;
    if (s == 1) return loop_.copy_rows(to, pitch_, from, step, end - begin, stop - left);
    for (int64_t line = begin; line < end; ++line, to += pitch_, from += step)
      for (int64_t i = 0; i < stop - left; ++i) to[i] = from[i * s];
  }

  const DepthwiseLoop<T>& loop_ = loop_of<T>();
  Geometry g_;
  int64_t pitch_, height_ = 1, lines_ = 1;  // size of a band: columns, rows of `to`, and rows of `from`
  std::vector<int64_t> offsets_;
};

// Computes count planes `to`: plane i from plane source(i) of `from`, with the taps at weight(i).
template <class T, class Source, class Weight, class Bias>
void apply(const Geometry& g, int64_t count, const T* from, T* to, Source&& source, Weight&& weight, Bias&& bias) {
  const Bands<T> bands(g);
  const int64_t plane = g.to[0] * g.to[1];
  parallel_for(0, count, convolution::grain_of(bands.taps() * plane / 16), [&](int64_t begin, int64_t end) {
    const int64_t size = bands.size();
    Scratch<T> memory(size + bands.places(bands.height()));
    T *band = memory.data(), *result = band + size;
    std::fill_n(band, size, T(0));
    for (int64_t i = begin; i < end; ++i) {
      const T* x = from + source(i) * g.from[0] * g.from[1];
      for (int64_t first = 0; first < g.to[0]; first += bands.height()) {
        const int64_t rows = std::min(bands.height(), g.to[0] - first);
        bands.fill(x, first, band);
        bands.loop().taps(band, bands.offsets(), weight(i), bands.taps(), bias(i), result, bands.places(rows));
        bands.loop().copy_rows(to + i * plane + first * g.to[1], g.to[1], result, bands.pitch(), rows, g.to[1]);
      }
    }
  });
}

}  // namespace

bool handles_forward(const Convolution& c) {
  return c.x_channels == 1 && c.x[0] == 1 && c.y[0] == 1 && c.kernel[0] == 1 && c.padding[0] == 0;
}
bool handles_input(const Convolution& c) {
  for (int d = 1; d < 3; ++d)
    if (c.stride[d] != 1 || c.dilation[d] * (c.kernel[d] - 1) < c.padding[d]) return false;
  return handles_forward(c) && c.y_channels == 1;
}
bool handles_weight(const Convolution& c) { return handles_forward(c); }

template <class T>
void forward(const Convolution& c, const T* x, const T* weight, const T* bias, T* y) {
  const int64_t channels = c.groups * c.y_channels;
  apply(
      forward_geometry(c), c.images * channels, x, y, [&](int64_t i) { return i / c.y_channels; },
      [&](int64_t i) { return weight + i % channels * c.taps(); },
      [&](int64_t i) { return bias ? bias[i % channels] : T(0); });
}

template <class T>
void input_gradient(const Convolution& c, const T* y, const T* weight, const T* bias, T* x) {
  const int64_t taps = c.taps();
  std::vector<T> reversed(static_cast<size_t>(c.groups * taps));
  for (int64_t k = 0; k < c.groups; ++k)
    std::reverse_copy(weight + k * taps, weight + (k + 1) * taps, reversed.begin() + k * taps);
  apply(
      reversed_geometry(c), c.images * c.groups, y, x, [](int64_t i) { return i; },
      [&](int64_t i) { return reversed.data() + i % c.groups * taps; },
      [&](int64_t i) { return bias ? bias[i % c.groups] : T(0); });
}

template <class T>
void weight_gradient(const Convolution& c, const T* x, const T* y, T* weight) {
  const Geometry g = forward_geometry(c);
  const Bands<T> bands(g);
  const int64_t channels = c.groups * c.y_channels;
  parallel_for(0, channels, convolution::grain_of(c.images * bands.taps() * c.y_plane() / 16),
               [&](int64_t begin, int64_t end) {
                 const int64_t size = bands.size(), places = bands.places(bands.height());
                 Scratch<T> memory(size + places);
                 T *band = memory.data(), *grad = band + size;
                 std::fill_n(band, size + places, T(0));
                 std::vector<double> sums(static_cast<size_t>(bands.taps()));
                 for (int64_t k = begin; k < end; ++k) {
                   std::fill(sums.begin(), sums.end(), 0.0);
                   for (int64_t image = 0; image < c.images; ++image) {
                     const T* from = x + (image * c.groups + k / c.y_channels) * c.x_plane();
                     const T* dy = y + (image * channels + k) * c.y_plane();
                     for (int64_t first = 0; first < g.to[0]; first += bands.height()) {
                       const int64_t rows = std::min(bands.height(), g.to[0] - first), n = bands.places(rows);
                       bands.fill(from, first, band);
                       bands.loop().copy_rows(grad, bands.pitch(), dy + first * g.to[1], g.to[1], rows, g.to[1]);
                       if (rows < bands.height()) std::fill(grad + rows * bands.pitch(), grad + n, T(0));
                       bands.loop().products(band, bands.offsets(), bands.taps(), grad, n, sums.data());
                     }
                   }
                   std::transform(sums.begin(), sums.end(), weight + k * bands.taps(),
                                  [](double sum) { return static_cast<T>(sum); });
                 }
               });
  // Padding elements are zeros. Their products with infinite elements are NaN, so the sums are then
  // computed again without padding.
  const bool finite = std::all_of(weight, weight + channels * bands.taps(), [](T w) { return std::isfinite(w); });
  if (!finite) convolution::weight_direct(c, x, y, weight);
}

#define TNP_INSTANTIATE(T)                                                               \
  template void forward<T>(const Convolution&, const T*, const T*, const T*, T*);        \
  template void input_gradient<T>(const Convolution&, const T*, const T*, const T*, T*); \
  template void weight_gradient<T>(const Convolution&, const T*, const T*, T*);
TNP_INSTANTIATE(float)
TNP_INSTANTIATE(double)

}  // namespace tnp::depthwise
