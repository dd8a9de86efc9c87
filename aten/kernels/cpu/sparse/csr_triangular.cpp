// Systems of linear equations with a triangular CSR matrix on the CPU, by substitution.
#include <algorithm>

#include "aten/core/threads/parallel.h"
#include "aten/iterator/copy.h"
#include "aten/kernel_functions/sparse.h"
#include "aten/kernels/cpu/sparse/row_ranges.h"
#include "aten/kernels/sparse.h"

namespace tnp::native {

namespace {

template <class I, class T>
struct Triangle {
  const I *pointers, *columns;
  const T* values;
  int64_t n;
  bool upper, unit, transpose;

  // Solves for columns [first, last) of the right side, which become those of the solution.
  void solve(T* x, int64_t width, int64_t first, int64_t last) const {
    const bool descends = upper != transpose;
    for (int64_t i = 0; i < n; ++i) {
      const int64_t row = descends ? n - 1 - i : i;
      T* const own = x + row * width;
      T diagonal = T(unit ? 1 : 0);
      for (int64_t e = pointers[row]; e < pointers[row + 1]; ++e) {
        const int64_t column = columns[e];
        if (column == row && !unit) diagonal += values[e];
        if (transpose || !is_inside(row, column)) continue;
        const T* const other = x + column * width;
        for (int64_t c = first; c < last; ++c) own[c] -= values[e] * other[c];
      }
      if (!unit)
        for (int64_t c = first; c < last; ++c) own[c] = own[c] / diagonal;
      if (!transpose) continue;
      for (int64_t e = pointers[row]; e < pointers[row + 1]; ++e) {
        if (!is_inside(row, columns[e])) continue;
        T* const other = x + columns[e] * width;
        for (int64_t c = first; c < last; ++c) other[c] -= values[e] * own[c];
      }
    }
  }

 private:
  bool is_inside(int64_t row, int64_t column) const { return upper ? column > row : column < row; }
};

}  // namespace

void csr_triangular_solve_cpu(const Tensor& crow, const Tensor& col, const Tensor& values, const Tensor& dense,
                              bool upper, bool unit, bool transpose, const Tensor& out) {
  copy_into(out, dense);
  visit<TypeList<int32_t, int64_t>>(crow.dtype(), [&]<class I>() {
    const RowRanges<I> ranges(crow, col.numel());  // checks the pointers
    const I* const columns = col.data_ptr<I>();
    const int64_t n = crow.numel() - 1, width = dense.size(1);
    const bool is_below =
        std::all_of(columns, columns + col.numel(), [&](I c) { return c >= 0 && static_cast<int64_t>(c) < n; });
    TNP_CHECK(is_below, ErrorKind::Index, "{col} has an index outside of [0, ", n, ")");
    visit<InexactTypes>(out.dtype(), [&]<class T>() {
      const Triangle<I, T> triangle{crow.data_ptr<I>(), columns, values.data_ptr<T>(), n, upper, unit, transpose};
      const int64_t work = ranges.length() * 2;  // nanoseconds for a column
      parallel_for(0, width, std::max<int64_t>(kParallelWork / std::max<int64_t>(work, 1), 1),
                   [&](int64_t first, int64_t last) { triangle.solve(out.data_ptr<T>(), width, first, last); });
    });
  });
}

}  // namespace tnp::native
