#include "aten/kernels/cuda/linalg/hermitian_ldl.h"

#include <cmath>

#include "aten/cuda/launch.h"
#include "aten/iterator/copy.h"
#include "aten/kernels/cuda/grid_stride.h"

namespace tnp::gpu {

namespace {

template <class T>
TNP_HOST_DEVICE Complex<T> conjugate(const Complex<T>& z) {
  return {z.re, -z.im};
}
// |re| + |im|: LAPACK's size of a pivot.
template <class T>
TNP_HOST_DEVICE T size_of(const Complex<T>& z) {
  return fabs(z.re) + fabs(z.im);
}
template <class T>
TNP_HOST_DEVICE void exchange(T& a, T& b) {
  const T held = a;
  a = b;
  b = held;
}

// One block per matrix. Each pivot takes kSteps phases. A pivot of two rows handles two columns, so
// phases may be left over at the end; these do nothing.
template <class T>
struct FactoriseHermitian {
  using C = Complex<T>;
  static constexpr uint32_t kThreads = 256;
  static constexpr int kSteps = 8;
  struct Shared {
    T largest[kThreads];
    int64_t place[kThreads];
    // k: the column; other: the row of its largest element, later the row to exchange with; width:
    // 1 or 2 rows
    int64_t k, other, width;
    T own, column;  // sizes of the diagonal element, and of the largest element below it
    bool undecided, singular;
  };
  struct Private {};

  C* matrices;
  int64_t* pivots;
  int32_t* info;
  int64_t n, first;  // first: the first matrix of this launch

  TNP_HOST_DEVICE int phases() const { return 1 + kSteps * static_cast<int>(n); }

  // Stores the maximum of size(i) over this thread's share of the rows i >= begin.
  template <class F>
  TNP_HOST_DEVICE void find_largest(Shared& s, uint32_t thread, int64_t begin, F size) const {
    T best = T(-1);
    int64_t at = begin;
    for (int64_t i = begin + thread; i < n; i += kThreads) {
      const T own = size(i);
      if (own > best) best = own, at = i;
    }
    s.largest[thread] = best;
    s.place[thread] = at;
  }
  // Returns the first row with the maximum over all threads.
  TNP_HOST_DEVICE int64_t join_largest(const Shared& s, T& size) const {
    int64_t at = s.place[0];
    size = s.largest[0];
    for (uint32_t t = 1; t < kThreads; ++t)
      if (s.largest[t] > size || (s.largest[t] == size && s.place[t] < at)) size = s.largest[t], at = s.place[t];
    if (size < T(0)) size = T(0);
    return at;
  }

  TNP_HOST_DEVICE void run(int phase, Place place, Shared& s, Private&) const {
    const int64_t matrix = first + place.block;
    const uint32_t thread = place.thread;
    C* const a = matrices + matrix * n * n;
    const auto at = [a, this](int64_t i, int64_t j) -> C& { return a[j * n + i]; };
    if (phase == 0) {
      if (thread == 0) s.k = 0, s.width = 0, info[matrix] = 0;
      return;
    }
    const int step = (phase - 1) % kSteps;
    // Thread 0 writes s.k in this phase, and the remaining threads must not read it.
    if (step == kSteps - 1 && thread > 0) return;
    const int64_t k = s.k;
    if (k >= n) return;
    switch (step) {
      case 0:
        return find_largest(s, thread, k + 1, [&](int64_t i) { return size_of(at(i, k)); });
      case 1:
        if (thread == 0) choose_by_column(s, k, at, info + matrix);
        return;
      case 2:  // row `other` of the matrix: left of its diagonal, and below it in its column
        if (s.undecided)
          find_largest(s, thread, k, [&](int64_t i) {
            return i == s.other ? T(-1) : size_of(i < s.other ? at(s.other, i) : at(i, s.other));
          });
        return;
      case 3:
        if (thread == 0 && s.undecided) choose_by_row(s, k, at);
        return;
      case 4:
        return exchange_rows(s, k, thread, at);
      case 5:
        return update(s, k, thread, at);
      case 6:
        return scale_columns(s, k, thread, at);
      default:
        for (int64_t i = k; i < k + s.width; ++i) pivots[matrix * n + i] = s.width == 1 ? s.other + 1 : -(s.other + 1);
        s.k = k + s.width;
    }
  }

 private:
  // (1 + sqrt(17)) / 8: this bound minimises growth
  static constexpr T kAlpha = T(0.6403882032022076);

  template <class At>
  TNP_HOST_DEVICE void choose_by_column(Shared& s, int64_t k, const At& at, int32_t* found) const {
    const int64_t largest = join_largest(s, s.column);
    s.own = fabs(at(k, k).re);
    s.other = k;
    s.width = 1;
    s.singular = s.own != s.own || (s.own == T(0) && s.column == T(0));
    s.undecided = !s.singular && s.own < kAlpha * s.column;
    if (s.undecided) s.other = largest;
    if (s.singular && *found == 0) *found = static_cast<int32_t>(k + 1);
  }

  template <class At>
  TNP_HOST_DEVICE void choose_by_row(Shared& s, int64_t k, const At& at) const {
    T row = T(0);
    join_largest(s, row);
    if (s.own >= kAlpha * s.column * (s.column / row))
      s.other = k;
    else if (!(fabs(at(s.other, s.other).re) >= kAlpha * row))
      s.width = 2;
  }

  // Exchanges rows and columns of the remaining matrix, which begins at row k. Like LAPACK, leaves
  // the rows of L that are already computed in place.
  template <class At>
  TNP_HOST_DEVICE void exchange_rows(const Shared& s, int64_t k, uint32_t thread, const At& at) const {
    const int64_t from = k + s.width - 1, to = s.other;
    if (from == to) {
      if (thread == 0) at(k, k).im = at(from, from).im = T(0);
      return;
    }
    for (int64_t i = to + 1 + thread; i < n; i += kThreads) exchange(at(i, from), at(i, to));
    for (int64_t j = from + 1 + thread; j < to; j += kThreads) {
      const C held = conjugate(at(j, from));
      at(j, from) = conjugate(at(to, j));
      at(to, j) = held;
    }
    if (thread > 0) return;
    at(to, from) = conjugate(at(to, from));
    const T held = at(from, from).re;
    at(from, from) = C(at(to, to).re);
    at(to, to) = C(held);
    if (s.width == 2) {
      at(k, k).im = T(0);
      exchange(at(k + 1, k), at(to, k));
    }
  }

  // The inverse of a 2 x 2 block D. first() and second() multiply the elements (x, y) of one row
  // below it by the inverse.
  struct Block {
    T lower, upper, scale;
    C off;
    template <class At>
    TNP_HOST_DEVICE Block(int64_t k, const At& at) {
      const C below = at(k + 1, k);
      const T size = static_cast<T>(hypot(below.re, below.im));
      lower = at(k + 1, k + 1).re / size;
      upper = at(k, k).re / size;
      off = C(below.re / size, below.im / size);
      scale = T(1) / (lower * upper - T(1)) / size;
    }
    TNP_HOST_DEVICE C first(const C& x, const C& y) const { return C(scale) * (C(lower) * x - off * y); }
    TNP_HOST_DEVICE C second(const C& x, const C& y) const { return C(scale) * (C(upper) * y - conjugate(off) * x); }
  };

  // Updates the remaining matrix; each thread has some of its rows.
  template <class At>
  TNP_HOST_DEVICE void update(const Shared& s, int64_t k, uint32_t thread, const At& at) const {
    if (s.singular) return;
    const int64_t begin = k + s.width;
    if (s.width == 1) {
      const T inverse = T(1) / at(k, k).re;
      for (int64_t i = begin + thread; i < n; i += kThreads) {
        const C x = C(inverse) * at(i, k);
        for (int64_t j = begin; j <= i; ++j) at(i, j) -= x * conjugate(at(j, k));
        at(i, i).im = T(0);
      }
      return;
    }
    if (begin >= n) return;
    const Block block(k, at);
    for (int64_t i = begin + thread; i < n; i += kThreads) {
      const C x = at(i, k), y = at(i, k + 1);
      for (int64_t j = begin; j <= i; ++j) {
        const C u = at(j, k), v = at(j, k + 1);
        at(i, j) -= x * conjugate(block.first(u, v)) + y * conjugate(block.second(u, v));
      }
      at(i, i).im = T(0);
    }
  }

  template <class At>
  TNP_HOST_DEVICE void scale_columns(const Shared& s, int64_t k, uint32_t thread, const At& at) const {
    if (s.singular) return;
    if (s.width == 1) {
      const T inverse = T(1) / at(k, k).re;
      for (int64_t i = k + 1 + thread; i < n; i += kThreads) at(i, k) = C(inverse) * at(i, k);
      return;
    }
    if (k + 2 >= n) return;
    const Block block(k, at);
    for (int64_t i = k + 2 + thread; i < n; i += kThreads) {
      const C x = at(i, k), y = at(i, k + 1);
      at(i, k) = block.first(x, y);
      at(i, k + 1) = block.second(x, y);
    }
  }
};

// One thread per right side.
template <class T>
struct SolveHermitian {
  using C = Complex<T>;
  static constexpr uint32_t kThreads = kGridStrideThreads;
  const C* factors;
  const int64_t* pivots;
  C* b;
  int64_t n, columns, count;  // columns: number per matrix; count: number of columns of all matrices

  TNP_HOST_DEVICE void run(Place place) const {
    grid_stride_loop(place, count, [this](int64_t i) {
      const int64_t matrix = i / columns;
      const C* a = factors + matrix * n * n;
      solve([a, this](int64_t row, int64_t column) -> const C& { return a[column * n + row]; }, pivots + matrix * n,
            b + i * n);
    });
  }

 private:
  template <class At>
  TNP_HOST_DEVICE void solve(const At& at, const int64_t* pivot, C* x) const {
    for (int64_t k = 0; k < n;) {  // solves with L D
      if (pivot[k] > 0) {
        exchange(x[k], x[pivot[k] - 1]);
        for (int64_t i = k + 1; i < n; ++i) x[i] -= at(i, k) * x[k];
        x[k] = C(T(1) / at(k, k).re) * x[k];
        ++k;
        continue;
      }
      exchange(x[k + 1], x[-pivot[k] - 1]);
      for (int64_t i = k + 2; i < n; ++i) x[i] -= at(i, k) * x[k] + at(i, k + 1) * x[k + 1];
      const C below = at(k + 1, k), upper = at(k, k) / conjugate(below), lower = at(k + 1, k + 1) / below;
      const C scale = upper * lower - C(T(1)), first = x[k] / conjugate(below), second = x[k + 1] / below;
      x[k] = (lower * first - second) / scale;
      x[k + 1] = (upper * second - first) / scale;
      k += 2;
    }
    for (int64_t k = n - 1; k >= 0;) {  // solves with L^H
      const int64_t width = pivot[k] > 0 ? 1 : 2;
      for (int64_t column = k; column > k - width; --column) {
        C sum = x[column];
        for (int64_t i = k + 1; i < n; ++i) sum -= conjugate(at(i, column)) * x[i];
        x[column] = sum;
      }
      exchange(x[k], x[(width == 1 ? pivot[k] : -pivot[k]) - 1]);
      k -= width;
    }
  }
};

using HermitianTypes = TypeList<float, double>;  // types of the real and imaginary parts

template <class F>
void visit_parts(const Tensor& t, F&& body) {
  visit<HermitianTypes>(to_real(t.dtype()), body);
}

}  // namespace

Tensor hetrf(const Tensor& a, const Tensor& pivots) {
  const int64_t count = a.size(0), n = a.size(1);
  Tensor info = empty_tensor({count}, ScalarType::Int32, a.device());
  visit_parts(a, [&]<class T>() {
    for (int64_t first = 0; first < count; first += kMaxBlocks) {
      FactoriseHermitian<T> kernel{reinterpret_cast<Complex<T>*>(a.address()),
                                   reinterpret_cast<int64_t*>(pivots.address()),
                                   reinterpret_cast<int32_t*>(info.address()), n, first};
      launch(kernel, static_cast<uint32_t>(std::min<int64_t>(count - first, kMaxBlocks)), a.device());
    }
  });
  return info;
}

void hetrs(const Tensor& factors, const Tensor& pivots, const Tensor& b) {
  const int64_t count = b.size(0) * b.size(1);
  visit_parts(b, [&]<class T>() {
    launch(SolveHermitian<T>{reinterpret_cast<const Complex<T>*>(factors.address()),
                             reinterpret_cast<const int64_t*>(pivots.address()),
                             reinterpret_cast<Complex<T>*>(b.address()), b.size(2), b.size(1), count},
           grid_stride_blocks(count), b.device());
  });
}

}  // namespace tnp::gpu
