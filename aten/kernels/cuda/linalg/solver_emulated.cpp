// Factorisations of the emulated device: LAPACK, one matrix after the other.
#include "aten/cuda/emulation.h"
#include "aten/kernels/cuda/linalg/solver.h"
#include "aten/kernels/lapack.h"
#include "aten/kernels/linalg_common.h"

namespace tnp::gpu::solver {

namespace {

Tensor new_info(const Tensor& a) { return empty_tensor({a.size(0)}, ScalarType::Int32, a.device()); }

template <class T>
T* matrix(const Tensor& t, int64_t i) {
  return reinterpret_cast<T*>(t.address()) + i * (t.numel() / t.size(0));
}

// Calls body.template operator()<T>(i) for each matrix and stores its result as the matrix's info.
template <class F>
void each(const Tensor& a, const Tensor& info, F&& body) {
  emulation::Access access;
  visit<native::BlasTypes>(a.dtype(), [&]<class T>() {
    for (int64_t i = 0; i < a.size(0); ++i)
      *matrix<int32_t>(info, i) = static_cast<int32_t>(body.template operator()<T>(i));
  });
}

// Gaussian elimination without row exchanges, which LAPACK lacks. Returns LAPACK's info.
template <class T>
int64_t eliminate(int64_t m, int64_t n, T* a) {
  int64_t info = 0;
  for (int64_t k = 0; k < std::min(m, n); ++k) {
    const T pivot = a[k * m + k];
    if (pivot == T(0)) {
      if (info == 0) info = k + 1;
      continue;
    }
    for (int64_t i = k + 1; i < m; ++i) a[k * m + i] /= pivot;
    for (int64_t j = k + 1; j < n; ++j)
      for (int64_t i = k + 1; i < m; ++i) a[j * m + i] -= a[k * m + i] * a[j * m + k];
  }
  return info;
}

}  // namespace

Lu getrf(const Tensor& a, bool pivot) {
  const int64_t m = a.size(2), n = a.size(1), k = std::min(m, n);
  Lu lu{pivot ? empty_tensor({a.size(0), k}, ScalarType::Int64, a.device()) : Tensor(), new_info(a)};
  each(a, lu.info, [&]<class T>(int64_t i) {
    if (!pivot) return eliminate(m, n, matrix<T>(a, i));
    auto pivots = native::workspace<lapack::Int>(k);
    const int64_t info = lapack::getrf(m, n, matrix<T>(a, i), m, pivots.get());
    std::copy_n(pivots.get(), k, matrix<int64_t>(lu.pivots, i));
    return info;
  });
  return lu;
}

void getrs(char trans, const Tensor& factors, const Tensor& pivots, const Tensor& b) {
  const int64_t n = factors.size(1);
  each(b, new_info(b), [&]<class T>(int64_t i) {
    auto rows = native::workspace<lapack::Int>(n);
    std::copy_n(matrix<int64_t>(pivots, i), n, rows.get());
    return lapack::getrs(trans, n, b.size(1), matrix<T>(factors, i), n, rows.get(), matrix<T>(b, i), n);
  });
}

Tensor potrf(char uplo, const Tensor& a) {
  Tensor info = new_info(a);
  each(a, info, [&]<class T>(int64_t i) { return lapack::potrf(uplo, a.size(1), matrix<T>(a, i), a.size(1)); });
  return info;
}

Tensor sytrf(const Tensor& a, const Tensor& pivots) {
  const int64_t n = a.size(1);
  Tensor info = new_info(a);
  each(a, info, [&]<class T>(int64_t i) {
    auto rows = native::workspace<lapack::Int>(n);
    const int64_t found = lapack::sytrf(false, 'L', n, matrix<T>(a, i), n, rows.get());
    std::copy_n(rows.get(), n, matrix<int64_t>(pivots, i));
    return found;
  });
  return info;
}

void sytrs(const Tensor& factors, const Tensor& pivots, const Tensor& b) {
  const int64_t n = factors.size(1);
  each(b, new_info(b), [&]<class T>(int64_t i) {
    auto rows = native::workspace<lapack::Int>(n);
    std::copy_n(matrix<int64_t>(pivots, i), n, rows.get());
    return lapack::sytrs(false, 'L', n, b.size(1), matrix<T>(factors, i), n, rows.get(), matrix<T>(b, i), n);
  });
}

void geqrf(const Tensor& a, const Tensor& tau) {
  const int64_t m = a.size(2);
  each(a, new_info(a),
       [&]<class T>(int64_t i) { return lapack::geqrf(m, a.size(1), matrix<T>(a, i), m, matrix<T>(tau, i)); });
}

void orgqr(const Tensor& a, const Tensor& tau) {
  const int64_t m = a.size(2);
  each(a, new_info(a), [&]<class T>(int64_t i) {
    return lapack::orgqr(m, a.size(1), tau.size(1), matrix<T>(a, i), m, matrix<T>(tau, i));
  });
}

void ormqr(const Tensor& a, const Tensor& tau, const Tensor& b) {
  const int64_t m = a.size(2);
  each(a, new_info(a), [&]<class T>(int64_t i) {
    return lapack::ormqr(m, b.size(1), tau.size(1), matrix<T>(a, i), m, matrix<T>(tau, i), matrix<T>(b, i), m);
  });
}

Tensor gesvd(const Tensor& a, const Tensor& s, const Tensor& u, const Tensor& vh) {
  const int64_t m = a.size(2), n = a.size(1);
  const char job = !u.defined() ? 'N' : u.size(1) == n ? 'S' : 'A';
  Tensor info = new_info(a);
  each(a, info, [&]<class T>(int64_t i) {
    T *left = u.defined() ? matrix<T>(u, i) : nullptr, *right = u.defined() ? matrix<T>(vh, i) : nullptr;
    return lapack::gesdd(job, m, n, matrix<T>(a, i), matrix<real_t<T>>(s, i), left, m, right, n);
  });
  return info;
}

Tensor syevd(bool vectors, char uplo, const Tensor& a, const Tensor& w) {
  Tensor info = new_info(a);
  each(a, info, [&]<class T>(int64_t i) {
    return lapack::syevd(vectors ? 'V' : 'N', uplo, a.size(1), matrix<T>(a, i), matrix<real_t<T>>(w, i));
  });
  return info;
}

Tensor geev(const Tensor& a, const Tensor& w, const Tensor& v) {
  const int64_t n = a.size(1);
  const char job = v.defined() ? 'V' : 'N';
  Tensor info = new_info(a);
  each(a, info, [&]<class T>(int64_t i) {
    T *values = matrix<T>(w, i), *vectors = v.defined() ? matrix<T>(v, i) : nullptr;
    if constexpr (is_complex_v<T>)
      return lapack::geev(job, n, matrix<T>(a, i), values, vectors);
    else
      return lapack::geev(job, n, matrix<T>(a, i), values, values + n, vectors);
  });
  return info;
}

}  // namespace tnp::gpu::solver
