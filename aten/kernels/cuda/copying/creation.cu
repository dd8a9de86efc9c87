// Ranges and triangles: each element is a function of its index.
#include <algorithm>

#include "aten/core/numbers/element_bits.h"
#include "aten/cuda/launch.h"
#include "aten/iterator/dense.h"
#include "aten/kernel_functions/creation.h"
#include "aten/kernels/index_geometry.h"
#include "aten/kernels/ranges.h"

namespace tnp {

namespace gpu {
namespace {

constexpr uint32_t kBlock = 256;
constexpr int kItems = 4;

uint32_t blocks_for(int64_t n, Device device) {
  const int64_t blocks = (n + kBlock * kItems - 1) / (kBlock * kItems);
  TNP_CHECK(blocks <= kMaxBlocks, ErrorKind::NotImplemented, "creating ", n, " elements at once on ", device,
            " is not implemented");
  return static_cast<uint32_t>(blocks);
}

// Element i is rule(i).
template <class T, class Rule>
struct ByRule {
  static constexpr uint32_t kThreads = kBlock;
  T* out;
  int64_t n;
  Rule rule;
  TNP_HOST_DEVICE void run(Place place) const {
    int64_t i = static_cast<int64_t>(place.block) * (kThreads * kItems) + place.thread;
    for (int k = 0; k < kItems && i < n; ++k, i += kThreads) out[i] = rule(i);
  }
};

template <class T, class Rule>
void fill_by_rule(const Tensor& out, const Rule& rule) {
  launch(ByRule<T, Rule>{reinterpret_cast<T*>(out.address()), out.numel(), rule}, blocks_for(out.numel(), out.device()),
         out.device());
}

// Copies a stack of matrices with zeros above or below a diagonal. Steps are in elements. `Bits`
// only needs the element's size.
template <class Bits, class Index>
struct Triangle {
  static constexpr uint32_t kThreads = kBlock;
  const Bits* in;
  Bits* out;
  Index n, rows, columns;
  int64_t stack_step, row_step, column_step, diagonal;
  bool lower;
  TNP_HOST_DEVICE void run(Place place) const {
    const int64_t first = static_cast<int64_t>(place.block) * (kThreads * kItems) + place.thread;
    for (int k = 0; k < kItems; ++k) {
      const int64_t at = first + k * kThreads;
      if (at >= static_cast<int64_t>(n)) return;
      const Index i = static_cast<Index>(at), line = i / columns, column = i - line * columns, matrix = line / rows,
                  row = line - matrix * rows;
      const int64_t above = static_cast<int64_t>(column) - static_cast<int64_t>(row);
      const bool kept = lower ? above <= diagonal : above >= diagonal;
      out[at] = kept ? in[static_cast<int64_t>(matrix) * stack_step + static_cast<int64_t>(row) * row_step +
                          static_cast<int64_t>(column) * column_step]
                     : Bits{};
    }
  }
};

// Computes the step from one matrix to the next. Returns false if the step is not constant.
bool one_step(const Tensor& t, int64_t& step) {
  int64_t covered = 1;
  step = 0;
  for (int64_t d = t.dim() - 3; d >= 0; --d) {
    if (t.size(d) == 1) continue;
    if (covered == 1)
      step = t.stride(d);
    else if (t.stride(d) != step * covered)
      return false;
    covered *= t.size(d);
  }
  return true;
}

void triangle(const Tensor& input, int64_t diagonal, bool lower, const Tensor& out) {
  if (out.numel() == 0) return;
  Tensor source = input;
  int64_t step = 0;
  if (!one_step(source, step)) {
    source = native::dense_copy(source, source.dtype());
    one_step(source, step);
  }
  const int64_t rows = source.size(-2), columns = source.size(-1), row_step = source.stride(-2),
                column_step = source.stride(-1);
  // `diagonal` may be any int64, so clamping avoids overflow
  diagonal = std::clamp(diagonal, -rows, columns);
  visit_size(source.dtype(), [&]<class Bits>() {
    auto run = [&]<class Index>(Index) {
      const Triangle<Bits, Index> kernel{reinterpret_cast<const Bits*>(source.address()),
                                         reinterpret_cast<Bits*>(out.address()),
                                         static_cast<Index>(out.numel()),
                                         static_cast<Index>(rows),
                                         static_cast<Index>(columns),
                                         step,
                                         row_step,
                                         column_step,
                                         diagonal,
                                         lower};
      launch(kernel, blocks_for(out.numel(), out.device()), out.device());
    };
    if (out.numel() < INT32_MAX)
      run(uint32_t{});  // 32-bit division is far cheaper
    else
      run(int64_t{});
  });
}

}  // namespace
}  // namespace gpu

void native::arithmetic_sequence_cuda(int64_t, const Scalar& first, const Scalar& second, ScalarType dtype, Device,
                                      const Tensor& out) {
  visit_dtype(dtype, [&]<class T>() { gpu::fill_by_rule<T>(out, Arithmetic<T>::of(first, second)); });
}

void native::evenly_spaced_cuda(int64_t count, const Scalar& start, const Scalar& stop, bool endpoint,
                                bool from_both_ends, ScalarType dtype, Device, const Tensor& out) {
  visit_dtype(dtype, [&]<class T>() {
    visit_spaced<T>(start, stop, count, endpoint, from_both_ends,
                    [&](const auto& rule) { gpu::fill_by_rule<T>(out, rule); });
  });
}

void native::tril_cuda(const Tensor& input, int64_t diagonal, const Tensor& out) {
  gpu::triangle(input, diagonal, true, out);
}
void native::triu_cuda(const Tensor& input, int64_t diagonal, const Tensor& out) {
  gpu::triangle(input, diagonal, false, out);
}

}  // namespace tnp
