// Separable linear maps of images on the CPU, one plane and one row of the result at a time. First
// the input rows for a result row are summed in a buffer that stays in the cache. Then the sums
// along the row are computed.
#include <cstring>

#include "aten/core/memory/scratch.h"
#include "aten/core/threads/parallel.h"
#include "aten/iterator/memory_format.h"
#include "aten/kernel_functions/resampling.h"
#include "aten/kernels/resampling.h"

namespace tnp::native {

namespace {

// A map with its weights in the dtype of the computation.
template <class A>
struct Taps {
  explicit Taps(AxisMap map) : m(std::move(map)), weights(m.weights.size()) {
    for (size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<A>(m.weights[i]);
    even = !m.identity;
    width = m.size() > 0 ? m.offsets[1] : 0;
    for (int64_t i = 0; even && i < m.size(); ++i) {
      const int64_t first = m.offsets[static_cast<size_t>(i)], n = m.offsets[static_cast<size_t>(i) + 1] - first;
      even = n == width;
      for (int64_t k = 0; even && k < n; ++k)
        even = m.indices[static_cast<size_t>(first + k)] == m.indices[0] + i * width + k &&
               weights[static_cast<size_t>(first + k)] == weights[0];
    }
    even = even && width > 0 && m.indices[0] == 0;
  }
  AxisMap m;
  std::vector<A> weights;
  bool even;  // each output is the sum of the next `width` inputs with equal weights
  int64_t width;
};

// T is the type of elements, A that of accumulators. `inner` is the number of adjacent elements per
// pixel: the channels in channels-last order, else 1.
template <class T, class A>
struct Resampler {
  const Taps<A>&d, &h, &w;
  int64_t in[3], inner;

  // to[j] = weight * from[j] if `first`, else to[j] += weight * from[j]
  template <class S>
  static void add(A* to, const S* from, A weight, int64_t n, bool first) {
    if (first)
      for (int64_t j = 0; j < n; ++j) to[j] = weight * static_cast<A>(from[j]);
    else
      for (int64_t j = 0; j < n; ++j) to[j] += weight * static_cast<A>(from[j]);
  }

  void along_row(const A* row, T* to) const {
    const int64_t n = w.m.size();
    if (inner == 1) {
      if (w.m.identity) {
        for (int64_t j = 0; j < n; ++j) to[j] = static_cast<T>(row[j]);
      } else if (w.even && w.width == 2) {
        const A weight = w.weights[0];
        for (int64_t j = 0; j < n; ++j) to[j] = static_cast<T>(weight * (row[2 * j] + row[2 * j + 1]));
      } else {
        const int64_t *offsets = w.m.offsets.data(), *indices = w.m.indices.data();
        const A* weights = w.weights.data();
        for (int64_t j = 0; j < n; ++j) {
          A sum(0);
          for (int64_t k = offsets[j]; k < offsets[j + 1]; ++k) sum += weights[k] * row[indices[k]];
          to[j] = static_cast<T>(sum);
        }
      }
      return;
    }
    constexpr int64_t kChunk = 64;
    for (int64_t j = 0; j < n; ++j) {
      const int64_t first = w.m.offsets[static_cast<size_t>(j)], end = w.m.offsets[static_cast<size_t>(j) + 1];
      for (int64_t c = 0; c < inner; c += kChunk) {
        const int64_t count = std::min(kChunk, inner - c);
        A sums[kChunk] = {};
        for (int64_t k = first; k < end; ++k)
          add(sums, row + w.m.indices[static_cast<size_t>(k)] * inner + c, w.weights[static_cast<size_t>(k)], count,
              false);
        for (int64_t l = 0; l < count; ++l) to[j * inner + c + l] = static_cast<T>(sums[l]);
      }
    }
  }

  // Computes output row `r` of the depth * height rows of a plane.
  void row(const T* plane, int64_t r, A* sums, T* to) const {
    const int64_t height = h.m.size(), od = r / height, oh = r % height, length = in[2] * inner;
    bool first = true;
    for (int64_t a = d.m.offsets[static_cast<size_t>(od)]; a < d.m.offsets[static_cast<size_t>(od) + 1]; ++a) {
      for (int64_t b = h.m.offsets[static_cast<size_t>(oh)]; b < h.m.offsets[static_cast<size_t>(oh) + 1]; ++b) {
        const T* from =
            plane + (d.m.indices[static_cast<size_t>(a)] * in[1] + h.m.indices[static_cast<size_t>(b)]) * length;
        add(sums, from, d.weights[static_cast<size_t>(a)] * h.weights[static_cast<size_t>(b)], length, first);
        first = false;
      }
    }
    if (first) std::fill_n(sums, length, A(0));
    along_row(sums, to);
  }

  void run(const T* from, T* to, int64_t planes) const {
    const int64_t rows = d.m.size() * h.m.size(), out_row = w.m.size() * inner,
                  in_plane = in[0] * in[1] * in[2] * inner;
    const int64_t work = std::max<int64_t>((in[2] * inner + out_row) * 2, 1);
    parallel_for(0, planes * rows, std::max<int64_t>(kParallelWork / work, 1), [&](int64_t begin, int64_t end) {
      Scratch<A> sums(in[2] * inner);
      for (int64_t i = begin; i < end; ++i) row(from + i / rows * in_plane, i % rows, sums.data(), to + i * out_row);
    });
  }
};

// If each result is one element of the input, its bytes are copied.
template <class Bytes>
void pick(const std::vector<AxisMap>& maps, const int64_t* in, int64_t inner, const Bytes* from, Bytes* to,
          int64_t planes) {
  const AxisMap &d = maps[0], &h = maps[1], &w = maps[2];
  const int64_t height = h.size(), width = w.size(), rows = d.size() * height, in_row = in[2] * inner;
  parallel_for(0, planes * rows, std::max<int64_t>(kParallelWork / std::max<int64_t>(width * inner, 1), 1),
               [&](int64_t begin, int64_t end) {
                 for (int64_t i = begin; i < end; ++i) {
                   const int64_t r = i % rows;
                   const Bytes* row = from + ((i / rows * in[0] + d.indices[static_cast<size_t>(r / height)]) * in[1] +
                                              h.indices[static_cast<size_t>(r % height)]) *
                                                 in_row;
                   Bytes* out = to + i * width * inner;
                   if (w.identity)
                     std::memcpy(out, row, static_cast<size_t>(width * inner) * sizeof(Bytes));
                   else if (inner == 1)
                     for (int64_t j = 0; j < width; ++j) out[j] = row[w.indices[static_cast<size_t>(j)]];
                   else
                     for (int64_t j = 0; j < width; ++j)
                       std::memcpy(out + j * inner, row + w.indices[static_cast<size_t>(j)] * inner,
                                   static_cast<size_t>(inner) * sizeof(Bytes));
                 }
               });
}

struct Bytes16 {
  uint64_t low, high;
};

}  // namespace

void resample_cpu(const Tensor& input, IntList input_size, IntList output_size, int64_t mode, IntList parameters,
                  bool align_corners, double scale_0, double scale_1, double scale_2, bool transposed,
                  const Tensor& out) {
  if (out.numel() == 0) return;
  const double scales[] = {scale_0, scale_1, scale_2};
  std::vector<AxisMap> maps =
      axis_maps(input_size, output_size, mode, parameters, align_corners, scales, transposed, input.dtype());
  while (maps.size() < 3) maps.insert(maps.begin(), axis_map({Resampling::Average, 1, 1, false, 0, {}, false}));
  int64_t in[3] = {1, 1, 1};
  for (int64_t d = 2; d < input.dim(); ++d) in[3 - (input.dim() - d)] = input.size(d);
  const bool last = is_channels_last(input) && !input.is_contiguous();
  const int64_t inner = last ? input.size(1) : 1, planes = last ? input.size(0) : input.size(0) * input.size(1);
  if (picks(static_cast<Resampling>(mode)) && !transposed) {
    auto move = [&]<class Bytes>() {
      pick(maps, in, inner, reinterpret_cast<const Bytes*>(input.data()), reinterpret_cast<Bytes*>(out.data()), planes);
    };
    switch (input.itemsize()) {
      case 1:
        return move.template operator()<uint8_t>();
      case 2:
        return move.template operator()<uint16_t>();
      case 4:
        return move.template operator()<uint32_t>();
      case 8:
        return move.template operator()<uint64_t>();
      default:
        return move.template operator()<Bytes16>();
    }
  }
  visit<Join<TypeList<Half, BFloat16>, InexactTypes>>(input.dtype(), [&]<class T>() {
    using A = accumulate_t<T>;
    const Taps<A> d(std::move(maps[0])), h(std::move(maps[1])), w(std::move(maps[2]));
    Resampler<T, A>{d, h, w, {in[0], in[1], in[2]}, inner}.run(input.data_ptr<T>(), out.data_ptr<T>(), planes);
  });
}

}  // namespace tnp::native
