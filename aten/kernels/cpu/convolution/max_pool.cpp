// Max pooling on the CPU: row-major images are processed by rows of windows, channels-last images
// by all channels of one window at once.
#include "aten/kernels/max_pool.h"

#include <cstring>
#include <vector>

#include "aten/core/threads/parallel.h"
#include "aten/iterator/memory_format.h"
#include "aten/kernel_functions/pooling.h"

namespace tnp::native {

namespace {

using PooledTypes = Join<IntegerTypes, TypeList<Half, BFloat16, float, double>>;

// The type in which elements are compared.
template <class T>
using compared_t = std::conditional_t<is_reduced_float_v<T>, float, T>;
template <class C>
bool beats(C x, C best) {
  return x > best || x != x;  // true also for NaN
}

// The taps of windows along one axis that are inside the image.
struct Spans {
  std::vector<int64_t> first, count;  // first input and number of inputs, with stride `step`
  int64_t step;
  Spans(const MaxPool& p, int64_t plane, int d) : step(p.dilation[d]) {
    for (int64_t o = 0; o < p.out[d]; ++o) {
      int64_t from = p.start(plane, d, o), taps = p.taps(d, o, from);
      while (from < 0 && taps > 0) from += step, --taps;
      while (taps > 0 && from + (taps - 1) * step >= p.in[d]) --taps;
      first.push_back(from);
      count.push_back(taps);
    }
  }
};

template <class T>
struct Pooling {
  const MaxPool& p;
  const T* in;
  T* out;
  int64_t* indices;

  // Pools one row of windows of a plane.
  void row(const T* plane, const Spans* spans, int64_t od, int64_t oh, T* to, int64_t* places) const {
    using C = compared_t<T>;
    const auto d = static_cast<size_t>(od), h = static_cast<size_t>(oh);
    const Spans& w = spans[2];
    const int64_t width = p.in[2];
    for (size_t o = 0; o < static_cast<size_t>(p.out[2]); ++o) {
      int64_t place = (spans[0].first[d] * p.in[1] + spans[1].first[h]) * width + w.first[o];
      C best = static_cast<C>(plane[place]);
      for (int64_t a = 0; a < spans[0].count[d]; ++a) {
        for (int64_t b = 0; b < spans[1].count[h]; ++b) {
          const int64_t line =
              ((spans[0].first[d] + a * spans[0].step) * p.in[1] + spans[1].first[h] + b * spans[1].step) * width;
          for (int64_t c = 0; c < w.count[o]; ++c) {
            const int64_t at = line + w.first[o] + c * w.step;
            const C x = static_cast<C>(plane[at]);
            if (beats(x, best)) best = x, place = at;
          }
        }
      }
      to[o] = plane[place];
      places[o] = place;
    }
  }

  // Pools a row of adjacent 2 x 2 windows without padding. Processes both image rows at once,
  // without branches.
  void row_of_pairs(const T* plane, int64_t top, T* to, int64_t* places) const {
    using C = compared_t<T>;
    const T *upper = plane + top, *lower = upper + p.in[2];
    for (int64_t o = 0; o < p.out[2]; ++o) {
      const C a = static_cast<C>(upper[2 * o]), b = static_cast<C>(upper[2 * o + 1]), c = static_cast<C>(lower[2 * o]),
              e = static_cast<C>(lower[2 * o + 1]);
      const bool right = beats(b, a), below = beats(e, c);
      const C x = right ? b : a, y = below ? e : c;
      const bool second = beats(y, x);
      const int64_t column = second ? p.in[2] + (below ? 1 : 0) : (right ? 1 : 0);
      to[o] = static_cast<T>(second ? y : x);
      places[o] = top + 2 * o + column;
    }
  }

  void planes(int64_t count) const {
    const bool shared = p.kind != Windows::Fractional;
    auto spans_of = [&](int64_t plane) { return std::vector<Spans>{{p, plane, 0}, {p, plane, 1}, {p, plane, 2}}; };
    const std::vector<Spans> common = shared ? spans_of(0) : std::vector<Spans>();
    bool pairs = p.kind == Windows::Sliding && p.in[0] == 1 && p.kernel[0] == 1 && p.out[0] == 1;
    for (int d = 1; d < 3; ++d)
      pairs = pairs && p.kernel[d] == 2 && p.stride[d] == 2 && p.padding[d] == 0 && p.dilation[d] == 1 &&
              2 * p.out[d] <= p.in[d];
    const int64_t rows = p.out[0] * p.out[1];
    const int64_t work = std::max<int64_t>(p.out_plane() * p.kernel[0] * p.kernel[1] * p.kernel[2], p.in_plane());
    parallel_for(0, count, std::max<int64_t>(kParallelWork / std::max<int64_t>(work, 1), 1),
                 [&](int64_t begin, int64_t end) {
                   for (int64_t i = begin; i < end; ++i) {
                     const std::vector<Spans> own = shared ? std::vector<Spans>() : spans_of(i);
                     const Spans* spans = shared ? common.data() : own.data();
                     const T* plane = in + i * p.in_plane();
                     for (int64_t r = 0; r < rows; ++r) {
                       T* to = out + i * p.out_plane() + r * p.out[2];
                       int64_t* places = indices + i * p.out_plane() + r * p.out[2];
                       if (pairs)
                         row_of_pairs(plane, 2 * r * p.in[2], to, places);
                       else
                         row(plane, spans, r / p.out[1], r % p.out[1], to, places);
                     }
                   }
                 });
  }

  // Pools channels-last images.
  void pixels(int64_t images, int64_t channels) const {
    using C = compared_t<T>;
    const Spans d(p, 0, 0), h(p, 0, 1), w(p, 0, 2);
    const int64_t windows = p.out_plane();
    const int64_t work = std::max<int64_t>(channels * p.kernel[0] * p.kernel[1] * p.kernel[2], 1);
    parallel_for(0, images * windows, std::max<int64_t>(kParallelWork / work, 1), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const T* image = in + i / windows * p.in_plane() * channels;
        const auto o = static_cast<size_t>(i % windows), od = o / static_cast<size_t>(p.out[1] * p.out[2]),
                   oh = o / static_cast<size_t>(p.out[2]) % static_cast<size_t>(p.out[1]),
                   ow = o % static_cast<size_t>(p.out[2]);
        T* to = out + i * channels;
        int64_t* places = indices + i * channels;
        bool first = true;
        for (int64_t a = 0; a < d.count[od]; ++a) {
          for (int64_t b = 0; b < h.count[oh]; ++b) {
            for (int64_t c = 0; c < w.count[ow]; ++c) {
              const int64_t place = ((d.first[od] + a * d.step) * p.in[1] + h.first[oh] + b * h.step) * p.in[2] +
                                    w.first[ow] + c * w.step;
              const T* x = image + place * channels;
              if (first) {
                std::memcpy(to, x, static_cast<size_t>(channels) * sizeof(T));
                std::fill_n(places, channels, place);
                first = false;
                continue;
              }
              for (int64_t k = 0; k < channels; ++k) {
                const bool better = beats(static_cast<C>(x[k]), static_cast<C>(to[k]));
                to[k] = better ? x[k] : to[k];
                places[k] = better ? place : places[k];
              }
            }
          }
        }
      }
    });
  }
};

}  // namespace

void max_pool_windows_cpu(const Tensor& input, IntList output_size, int64_t kind, IntList kernel_size, IntList stride,
                          IntList padding, IntList dilation, const Tensor& samples, const Tensor& values,
                          const Tensor& indices) {
  if (values.numel() == 0) return;
  const MaxPool p = max_pool_of(input, output_size, kind, kernel_size, stride, padding, dilation, samples);
  visit<PooledTypes>(input.dtype(), [&]<class T>() {
    const Pooling<T> pooling{p, input.data_ptr<T>(), values.data_ptr<T>(), indices.data_ptr<int64_t>()};
    if (is_channels_last(input) && !input.is_contiguous())
      pooling.pixels(input.size(0), input.size(1));
    else
      pooling.planes(input.size(0) * input.size(1));
  });
}

namespace {

template <class Plane>
void for_planes(int64_t planes, int64_t work, Plane&& plane) {
  parallel_for(0, planes, std::max<int64_t>(kParallelWork / std::max<int64_t>(work, 1), 1),
               [&](int64_t begin, int64_t end) {
                 for (int64_t i = begin; i < end; ++i) plane(i);
               });
}

int64_t plane_of(const Tensor& t) { return t.numel() / std::max<int64_t>(t.size(0) * t.size(1), 1); }

}  // namespace

void scatter_planes_cpu(const Tensor& input, const Tensor& indices, IntList, bool add, const Tensor& out) {
  if (out.numel() == 0) return;
  const int64_t from_plane = plane_of(input), to_plane = plane_of(out);
  visit_dtype(out.dtype(), [&]<class T>() {
    using S = stored_t<T>;
    using A = accumulate_t<T>;
    const S* from = input.data_ptr<S>();
    const int64_t* places = indices.data_ptr<int64_t>();
    S* to = out.data_ptr<S>();
    for_planes(out.size(0) * out.size(1), from_plane * 2 + to_plane, [&](int64_t plane) {
      S* own = to + plane * to_plane;
      std::memset(static_cast<void*>(own), 0, static_cast<size_t>(to_plane) * sizeof(S));
      for (int64_t i = plane * from_plane; i < (plane + 1) * from_plane; ++i) {
        const int64_t place = places[i];
        TNP_CHECK(place >= 0 && place < to_plane, ErrorKind::Runtime, "{indices} has ", place,
                  ", which is outside of a plane of ", to_plane, " elements");
        if constexpr (std::is_same_v<T, bool>)
          own[place] = from[i];
        else
          own[place] = add ? convert<T>(static_cast<A>(convert<A>(own[place]) + convert<A>(from[i]))) : from[i];
      }
    });
  });
}

void gather_planes_cpu(const Tensor& input, const Tensor& indices, const Tensor& out) {
  if (out.numel() == 0) return;
  const int64_t from_plane = plane_of(input), to_plane = plane_of(out);
  visit_dtype(out.dtype(), [&]<class T>() {
    using S = stored_t<T>;
    const S* from = input.data_ptr<S>();
    const int64_t* places = indices.data_ptr<int64_t>();
    S* to = out.data_ptr<S>();
    for_planes(out.size(0) * out.size(1), to_plane, [&](int64_t plane) {
      for (int64_t i = plane * to_plane; i < (plane + 1) * to_plane; ++i) {
        const int64_t place = places[i];
        TNP_CHECK(place >= 0 && place < from_plane, ErrorKind::Runtime, "{indices} has ", place,
                  ", which is outside of a plane of ", from_plane, " elements");
        to[i] = from[plane * from_plane + place];
      }
    });
  });
}

}  // namespace tnp::native
