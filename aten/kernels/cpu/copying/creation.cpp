// Kernels that compute elements from their index: ranges and triangles.
#include <algorithm>
#include <cstring>

#include "aten/core/numbers/element_bits.h"
#include "aten/core/threads/parallel.h"
#include "aten/kernel_functions/creation.h"
#include "aten/kernels/index_geometry.h"
#include "aten/kernels/ranges.h"

namespace tnp::native {

namespace {

// out[i] = rule(i)
template <class T, class Rule>
void fill_by_rule(const Tensor& out, const Rule& rule) {
  T* to = out.data_ptr<T>();
  parallel_for(0, out.numel(), kParallelWork, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) to[i] = rule(i);
  });
}

// Copies the columns [0, i + diagonal] (lower) or [i + diagonal, m) (upper) of each row i; all
// other elements become zero.
template <class Bits>
void copy_triangles(const Tensor& input, int64_t diagonal, bool lower, const Tensor& out) {
  const int64_t rows = input.size(-2), columns = input.size(-1), row_step = input.stride(-2),
                column_step = input.stride(-1);
  diagonal = std::clamp(diagonal, -rows, columns);  // the caller may pass any int64
  const auto* from = reinterpret_cast<const Bits*>(input.data());
  auto* to = reinterpret_cast<Bits*>(out.data());
  parallel_for(0, out.numel() / columns, std::max<int64_t>(kParallelWork / columns, 1),
               [&](int64_t first, int64_t last) {
                 for (int64_t line = first; line < last; ++line) {
                   const int64_t row = line % rows, at = row + diagonal;
                   const Bits* source = from + row * row_step;
                   int64_t matrix = line / rows;
                   for (int64_t d = input.dim() - 3; d >= 0; matrix /= input.size(d--))
                     source += matrix % input.size(d) * input.stride(d);
                   const int64_t begin = lower ? 0 : std::clamp<int64_t>(at, 0, columns),
                                 end = lower ? std::clamp<int64_t>(at + 1, 0, columns) : columns;
                   Bits* target = to + line * columns;
                   std::fill(target, target + begin, Bits{});
                   if (column_step == 1)
                     std::copy(source + begin, source + end, target + begin);
                   else
                     for (int64_t k = begin; k < end; ++k) target[k] = source[k * column_step];
                   std::fill(target + end, target + columns, Bits{});
                 }
               });
}

void triangle(const Tensor& input, int64_t diagonal, bool lower, const Tensor& out) {
  if (out.numel() == 0) return;
  visit_size(out.dtype(), [&]<class Bits>() { copy_triangles<Bits>(input, diagonal, lower, out); });
}

}  // namespace

void arithmetic_sequence_cpu(int64_t count, const Scalar& first, const Scalar& second, ScalarType dtype, Device,
                             const Tensor& out) {
  visit_dtype(dtype, [&]<class T>() {
    const auto rule = Arithmetic<T>::of(first, second);
    fill_by_rule<T>(out, [&](int64_t i) { return rule.rounded(i); });
    if (count > 1) out.data_ptr<T>()[1] = rule.second;
  });
}

void evenly_spaced_cpu(int64_t count, const Scalar& start, const Scalar& stop, bool endpoint, bool from_both_ends,
                       ScalarType dtype, Device, const Tensor& out) {
  visit_dtype(dtype, [&]<class T>() {
    visit_spaced<T>(start, stop, count, endpoint, from_both_ends,
                    [&](const auto& rule) { fill_by_rule<T>(out, rule); });
  });
}

void tril_cpu(const Tensor& input, int64_t diagonal, const Tensor& out) { triangle(input, diagonal, true, out); }
void triu_cpu(const Tensor& input, int64_t diagonal, const Tensor& out) { triangle(input, diagonal, false, out); }

}  // namespace tnp::native
