// Max pooling on the CPU: row-major images are processed by rows of windows, channels-last images
// by all channels of one window at once.
#include "aten/kernels/max_pool.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

#include "aten/core/threads/parallel.h"
#include "aten/functors/extrema.h"
#include "aten/iterator/memory_format.h"
#include "aten/kernel_functions/pooling.h"

namespace tnp::native {

namespace {

using PooledTypes = Join<IntegerTypes, TypeList<Half, BFloat16, float, double>>;

// The type in which elements are compared.
template <class T>
using compared_t = std::conditional_t<is_reduced_float_v<T>, float, T>;
using reduction_detail::lowest;
template <class C>
bool is_nan(C x) {
  return x != x;
}
// The first of several equal elements wins, and the last of several NaNs.
template <class C>
bool beats(C x, C best) {
  return x > best || is_nan(x);
}

// The taps of windows along one axis that are inside the image.
struct Spans {
  std::vector<int64_t> first, count;  // first input and number of inputs, with stride `step`
  int64_t step = 1;
  Spans() = default;
  Spans(const MaxPool& p, int64_t plane, int d) { set(p, plane, d); }
  void set(const MaxPool& p, int64_t plane, int d) {
    step = p.dilation[d];
    first.clear(), count.clear();
    for (int64_t o = 0; o < p.out[d]; ++o) {
      const int64_t start = p.start(plane, d, o), from = p.first_tap(d, start);
      int64_t taps = std::max<int64_t>(p.taps(d, o, start) - (from - start) / step, 0);
      while (taps > 0 && from + (taps - 1) * step >= p.in[d]) --taps;
      first.push_back(from);
      count.push_back(taps);
    }
  }
};

// The windows of a plane: their taps along each axis, and a table of the columns that they read, tap by tap.
// A window with fewer taps than others reads its last column again, which changes nothing.
struct PlaneWindows {
  Spans axes[3];
  std::vector<int32_t> columns;
  int64_t taps = 0;
  bool has_empty = false;  // some window has no column in the image
  PlaneWindows() = default;
  PlaneWindows(const MaxPool& p, int64_t plane) { set(p, plane); }
  void set(const MaxPool& p, int64_t plane) {
    for (int d = 0; d < 3; ++d) axes[d].set(p, plane, d);
    const Spans& w = axes[2];
    taps = std::max<int64_t>(*std::ranges::max_element(w.count), 1);
    has_empty = *std::ranges::min_element(w.count) == 0;
    columns.resize(static_cast<size_t>(taps * p.out[2]));
    auto at = columns.begin();
    for (int64_t tap = 0; tap < taps; ++tap)
      for (size_t o = 0; o < w.first.size(); ++o)
        *at++ = w.count[o] == 0 ? 0 : static_cast<int32_t>(w.first[o] + std::min(tap, w.count[o] - 1) * w.step);
  }
};

// `a` or `b`, without a branch.
template <class N>
N chosen(bool first, N a, N b) {
  if constexpr (std::is_floating_point_v<N>) {
    using Bits = std::conditional_t<sizeof(N) == 4, uint32_t, uint64_t>;
    return std::bit_cast<N>(chosen(first, std::bit_cast<Bits>(a), std::bit_cast<Bits>(b)));
  } else {
    return static_cast<N>(b ^ ((a ^ b) & static_cast<N>(-static_cast<N>(first))));
  }
}

template <class T>
struct Pooling {
  using C = compared_t<T>;
  const MaxPool& p;
  const T* in;
  T* out;
  int64_t* indices;

  // For a row of windows: the largest element of each column below it, and of each window so far, with the
  // element's line and column. `starts`: the lines in the plane.
  struct Row {
    std::vector<C> columns, windows;
    std::vector<int32_t> lines, line_of, column_of;
    std::vector<int64_t> starts;
  };

  // Pools one row of windows of a plane: first the lines below the windows, all columns at once, then the
  // columns of each window.
  void row(const T* plane, const PlaneWindows& windows, int64_t od, int64_t oh, T* to, int64_t* places,
           Row& row) const {
    const Spans &depth = windows.axes[0], &height = windows.axes[1], &w = windows.axes[2];
    const auto d = static_cast<size_t>(od), h = static_cast<size_t>(oh);
    row.starts.clear();
    for (int64_t a = 0; a < depth.count[d]; ++a)
      for (int64_t b = 0; b < height.count[h]; ++b)
        row.starts.push_back(p.place(depth.first[d] + a * depth.step, height.first[h] + b * height.step, 0));
    const auto out = static_cast<size_t>(p.out[2]);
    if (!row.starts.empty()) {
      if (row.starts.size() == 1) {
        largest_of_line(plane + row.starts[0], row.starts[0], windows, row, places);
      } else {
        largest_of_columns(plane, row);
        largest_of_windows(windows, row, places);
      }
      for (size_t o = 0; o < out; ++o) to[o] = plane[places[o]];
    }
    for (size_t o = 0; o < out && (windows.has_empty || row.starts.empty()); ++o) {
      if (!row.starts.empty() && w.count[o] > 0) continue;
      to[o] = convert<T>(lowest<C>());
      places[o] = p.place(depth.first[d], height.first[h], w.first[o]);
    }
  }

  void largest_of_columns(const T* plane, Row& row) const {
    const auto width = static_cast<size_t>(p.in[2]);
    row.columns.resize(width), row.lines.resize(width);
    C* __restrict best = row.columns.data();
    int32_t* __restrict lines = row.lines.data();
    for (size_t c = 0; c < width; ++c) best[c] = static_cast<C>(plane[row.starts[0] + static_cast<int64_t>(c)]);
    std::fill_n(lines, width, 0);
    for (size_t k = 1; k < row.starts.size(); ++k) {
      const T* __restrict from = plane + row.starts[k];
      const auto number = static_cast<int32_t>(k);
      for (size_t c = 0; c < width; ++c) {
        const C x = static_cast<C>(from[c]), b = best[c];
        const bool better = (x > b) | is_nan(x);
        best[c] = chosen(better, x, b);
        lines[c] = chosen(better, number, lines[c]);
      }
    }
  }

  // Windows of one line.
  void largest_of_line(const T* __restrict line, int64_t start, const PlaneWindows& windows, Row& row,
                       int64_t* __restrict places) const {
    const auto out = static_cast<size_t>(p.out[2]);
    row.windows.resize(out), row.column_of.resize(out);
    C* __restrict best = row.windows.data();
    int32_t* __restrict column_of = row.column_of.data();
    const int32_t* __restrict at = windows.columns.data();
    for (size_t o = 0; o < out; ++o) best[o] = static_cast<C>(line[at[o]]), column_of[o] = at[o];
    for (int64_t tap = 1; tap < windows.taps; ++tap) {
      at += out;
      for (size_t o = 0; o < out; ++o) {
        const C x = static_cast<C>(line[at[o]]), b = best[o];
        const bool better = (x > b) | is_nan(x);
        best[o] = chosen(better, x, b);
        column_of[o] = chosen(better, at[o], column_of[o]);
      }
    }
    for (size_t o = 0; o < out; ++o) places[o] = start + column_of[o];
  }

  // Of equal elements the one in the first line wins, then the one in the first column; of NaNs the last.
  void largest_of_windows(const PlaneWindows& windows, Row& row, int64_t* __restrict places) const {
    const auto out = static_cast<size_t>(p.out[2]);
    row.windows.resize(out), row.line_of.resize(out), row.column_of.resize(out);
    C* __restrict best = row.windows.data();
    int32_t* __restrict line_of = row.line_of.data();
    int32_t* __restrict column_of = row.column_of.data();
    const C* __restrict columns = row.columns.data();
    const int32_t* __restrict lines = row.lines.data();
    const int32_t* __restrict at = windows.columns.data();
    for (size_t o = 0; o < out; ++o) best[o] = columns[at[o]], line_of[o] = lines[at[o]], column_of[o] = at[o];
    for (int64_t tap = 1; tap < windows.taps; ++tap) {
      at += out;
      for (size_t o = 0; o < out; ++o) {
        const int32_t column = at[o], line = lines[column], before = line_of[o];
        const C x = columns[column], b = best[o];
        const bool better = (x > b) | ((x == b) & (line < before)) | (is_nan(x) & (!is_nan(b) | (line >= before)));
        best[o] = chosen(better, x, b);
        line_of[o] = chosen(better, line, before);
        column_of[o] = chosen(better, column, column_of[o]);
      }
    }
    for (size_t o = 0; o < out; ++o) places[o] = row.starts[static_cast<size_t>(line_of[o])] + column_of[o];
  }

  // Pools a row of adjacent 2 x 2 windows without padding. Processes both image rows at once,
  // without branches.
  void row_of_pairs(const T* plane, int64_t top, T* to, int64_t* places) const {
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
    const PlaneWindows common(p, 0);
    bool pairs = p.kind == Windows::Sliding && p.in[0] == 1 && p.kernel[0] == 1 && p.out[0] == 1;
    for (int d = 1; d < 3; ++d)
      pairs = pairs && p.kernel[d] == 2 && p.stride[d] == 2 && p.padding[d] == 0 && p.dilation[d] == 1 &&
              2 * p.out[d] <= p.in[d];
    const int64_t rows = p.out[0] * p.out[1];
    const int64_t work = std::max<int64_t>(p.out_plane() * p.kernel[0] * p.kernel[1] * p.kernel[2], p.in_plane());
    parallel_for(0, count, std::max<int64_t>(kParallelWork / std::max<int64_t>(work, 1), 1),
                 [&](int64_t begin, int64_t end) {
                   Row scratch;
                   PlaneWindows own;
                   for (int64_t i = begin; i < end; ++i) {
                     if (!shared) own.set(p, i);
                     const PlaneWindows& windows = shared ? common : own;
                     const T* plane = in + i * p.in_plane();
                     for (int64_t r = 0; r < rows; ++r) {
                       T* to = out + i * p.out_plane() + r * p.out[2];
                       int64_t* places = indices + i * p.out_plane() + r * p.out[2];
                       if (pairs)
                         row_of_pairs(plane, 2 * r * p.in[2], to, places);
                       else
                         row(plane, windows, r / p.out[1], r % p.out[1], to, places, scratch);
                     }
                   }
                 });
  }

  // Pools channels-last images.
  void pixels(int64_t images, int64_t channels) const {
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
        std::fill_n(to, channels, convert<T>(lowest<C>()));
        std::fill_n(places, channels, p.place(d.first[od], h.first[oh], w.first[ow]));
        for (int64_t a = 0; a < d.count[od]; ++a) {
          for (int64_t b = 0; b < h.count[oh]; ++b) {
            for (int64_t c = 0; c < w.count[ow]; ++c) {
              const int64_t place =
                  p.place(d.first[od] + a * d.step, h.first[oh] + b * h.step, w.first[ow] + c * w.step);
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
  TNP_CHECK(std::max(p.in[2], p.in[0] * p.in[1]) <= INT32_MAX, ErrorKind::Runtime, "{input} of shape ", input.sizes(),
            " has more lines or columns than 2^31 - 1");
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
