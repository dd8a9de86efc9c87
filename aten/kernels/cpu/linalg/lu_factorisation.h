// LU factorisation with partial pivoting of one large matrix on several threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <numeric>
#include <utility>
#include <vector>

#include "aten/core/threads/parallel.h"
#include "aten/kernels/blas.h"
#include "aten/kernels/lapack.h"

namespace tnp::native {

// Note [LU by panels]: LAPACK factorises a panel of columns on one thread. Then all threads update
// the columns to the right of the panel, each thread its own columns: it exchanges rows, solves
// with the triangle and subtracts the product. The first thread takes the columns of the next panel
// and factorises them at once, while the other threads still update the rest ("look-ahead": Kurzak
// and Dongarra, Implementing Linear Algebra Routines on Multi-core Processors, LAPACK Working Note
// 178, 2006). oneMKL's own factorisation on TBB took 1.3 times as long (512 x 512 float64, two
// threads). On one thread the library factorises the whole matrix, with different last bits.
template <class T>
class LuByPanels {
 public:
  LuByPanels(int64_t n, T* a, lapack::Int* pivots)
      : n_(n), a_(a), pivots_(pivots), lib_(blas::library_for<T>(blas::Work::Product, n * n * kPanel)) {}

  // Returns 0, or the number of the first column without a pivot, as lapack::getrf does.
  int64_t factorise() {
    factorise_panel(0);
    for (int64_t k = 0; k < n_; k += kPanel) {
      const int64_t right = std::min(k + kPanel, n_);
      if (right < n_) update_right_of(k, right);
    }
    parallel_for(0, panels(), 2, [&](int64_t begin, int64_t end) {
      for (int64_t p = begin; p < end; ++p)
        exchange_rows(exchange_of(end_of(p * kPanel), n_), p * kPanel, end_of(p * kPanel));
    });
    return info_;
  }

 private:
  // kPanel: columns of a panel; kColumns: columns of a task
  static constexpr int64_t kPanel = 64, kColumns = 128;

  int64_t panels() const { return (n_ + kPanel - 1) / kPanel; }
  int64_t end_of(int64_t column) const { return std::min(column + kPanel, n_); }
  T* at(int64_t row, int64_t column) { return a_ + row + column * n_; }

  // Factorises the panel from its diagonal down.
  void factorise_panel(int64_t k) {
    const blas::OneThread one(blas::library_for<T>(blas::Work::LU, n_ - k), true);
    const int64_t info = lapack::getrf(n_ - k, end_of(k) - k, at(k, k), n_, pivots_ + k);
    if (info > 0 && info_ == 0) info_ = k + info;
    for (int64_t i = k; i < end_of(k); ++i) pivots_[i] += k;
  }

  // The combined permutation of the row exchanges of pivots [first, last): row to[i] receives row
  // from[i]. If the exchanges were applied one by one, each would wait for the writes of the
  // previous one.
  struct Exchange {
    std::vector<int64_t> to, from;
  };
  Exchange exchange_of(int64_t first, int64_t last) const {
    std::vector<int64_t> rows(static_cast<size_t>(n_ - first));
    std::iota(rows.begin(), rows.end(), first);
    for (int64_t i = first; i < last; ++i) std::swap(rows[i - first], rows[pivots_[i] - 1 - first]);
    Exchange e;
    for (int64_t i = first; i < n_; ++i) {
      if (rows[i - first] != i) e.to.push_back(i), e.from.push_back(rows[i - first]);
    }
    return e;
  }
  void exchange_rows(const Exchange& e, int64_t first_column, int64_t last_column) {
    const size_t count = e.to.size();
    std::vector<T> held(count);
    for (int64_t j = first_column; j < last_column; ++j) {
      T* column = at(0, j);
      for (size_t i = 0; i < count; ++i) held[i] = column[e.from[i]];
      for (size_t i = 0; i < count; ++i) column[e.to[i]] = held[i];
    }
  }

  // Updates columns [begin, end) with the result of panel [k, right).
  void update(const Exchange& exchange, int64_t k, int64_t right, int64_t begin, int64_t end) {
    const blas::Library& triangles = blas::library_for<T>(blas::Work::Triangular, right - k);
    const blas::OneThread one(lib_, true), triangle(triangles, true);
    exchange_rows(exchange, begin, end);
    // BLAS is called in row-major order, so it sees all matrices as their transposes.
    blas::trsm_right(triangles, true, true, end - begin, right - k, at(k, k), n_, at(k, begin), n_);
    blas::subtract_product(lib_, end - begin, n_ - right, right - k, at(k, begin), n_, at(right, k), n_,
                           at(right, begin), n_);
  }

  void update_right_of(int64_t k, int64_t right) {
    const int64_t next = end_of(right), tasks = 1 + (n_ - next + kColumns - 1) / kColumns;
    const Exchange exchange = exchange_of(k, right);
    std::atomic<int64_t> taken{0};
    parallel_for(0, tasks, 1, [&](int64_t first, int64_t last) {
      // Tasks start in the order of their indices across all threads.
      for (int64_t i = first; i < last; ++i) {
        const int64_t task = taken.fetch_add(1, std::memory_order_relaxed);
        if (task == 0) {
          update(exchange, k, right, right, next);
          factorise_panel(right);
        } else {
          const int64_t begin = next + (task - 1) * kColumns;
          update(exchange, k, right, begin, std::min(begin + kColumns, n_));
        }
      }
    });
  }

  const int64_t n_;
  T* const a_;
  lapack::Int* const pivots_;
  const blas::Library& lib_;
  int64_t info_ = 0;
};

// Like lapack::getrf for an n x n matrix. `count`: the number of matrices in the stack, which
// threads share.
template <class T>
int64_t factorise_lu(int64_t n, T* a, lapack::Int* pivots, int64_t count) {
  constexpr int64_t kLarge = 256;
  if (n < kLarge || count > 1 || get_num_threads() == 1) return lapack::getrf(n, n, a, n, pivots);
  return LuByPanels<T>(n, a, pivots).factorise();
}

}  // namespace tnp::native
