// LU, Cholesky, L D L^T and QR factorisations by cuSOLVER, and by cuBLAS for stacks of small
// matrices.
#include <algorithm>

#include "aten/iterator/copy.h"
#include "aten/kernels/cuda/linalg/cusolver.h"
#include "aten/kernels/cuda/linalg/solver.h"

namespace tnp::gpu::solver {

namespace {

using Types = Join<FloatTypes, ComplexTypes>;

// The routines whose names depend on the element type.
template <class T>
struct Routines;
#define TNP_ROUTINES(T, p, orgqr_, ormqr_, adjoint_)                                       \
  template <>                                                                              \
  struct Routines<T> {                                                                     \
    static constexpr cublasOperation_t adjoint = adjoint_;                                 \
    static auto getrf_batched() {                                                          \
      return cublas().get<decltype(&cublas##p##getrfBatched)>("cublas" #p "getrfBatched"); \
    }                                                                                      \
    static auto getrs_batched() {                                                          \
      return cublas().get<decltype(&cublas##p##getrsBatched)>("cublas" #p "getrsBatched"); \
    }                                                                                      \
    static auto geqrf_batched() {                                                          \
      return cublas().get<decltype(&cublas##p##geqrfBatched)>("cublas" #p "geqrfBatched"); \
    }                                                                                      \
    static auto potrf_batched() { return TNP_CUSOLVER(cusolverDn##p##potrfBatched); }      \
    static auto sytrf_size() { return TNP_CUSOLVER(cusolverDn##p##sytrf_bufferSize); }     \
    static auto sytrf() { return TNP_CUSOLVER(cusolverDn##p##sytrf); }                     \
    static auto orgqr_size() { return TNP_CUSOLVER(cusolverDn##p##orgqr_##_bufferSize); }  \
    static auto orgqr() { return TNP_CUSOLVER(cusolverDn##p##orgqr_); }                    \
    static auto ormqr_size() { return TNP_CUSOLVER(cusolverDn##p##ormqr_##_bufferSize); }  \
    static auto ormqr() { return TNP_CUSOLVER(cusolverDn##p##ormqr_); }                    \
  };
TNP_ROUTINES(float, S, orgqr, ormqr, CUBLAS_OP_T)
TNP_ROUTINES(double, D, orgqr, ormqr, CUBLAS_OP_T)
TNP_ROUTINES(Complex<float>, C, ungqr, unmqr, CUBLAS_OP_C)
TNP_ROUTINES(Complex<double>, Z, ungqr, unmqr, CUBLAS_OP_C)
#undef TNP_ROUTINES

int32_t* int_data(const Tensor& t, int64_t i = 0) { return reinterpret_cast<int32_t*>(t.address()) + i; }
template <class T>
number_t<T>* numbers(const Tensor& t, int64_t i = 0) {
  return matrix<number_t<T>>(t, i);
}
template <class T>
number_t<T>** arrays(const Tensor& addresses) {
  return reinterpret_cast<number_t<T>**>(addresses.address());
}

}  // namespace

Lu getrf(const Tensor& a, bool pivot) {
  const int64_t count = a.size(0), m = a.size(2), n = a.size(1);
  Lu lu{{}, new_info(a)};
  // Both libraries skip row exchanges if the pivots are null. The batched routine needs square
  // matrices.
  if (m == n && in_batches(count, n)) {
    if (pivot) lu.pivots = empty_tensor({count, n}, ScalarType::Int32, a.device());
    const Tensor addresses = addresses_of(a);
    CublasScope blas(a.device());
    const int size = to_int(n, "getrf");
    visit<Types>(a.dtype(), [&]<class T>() {
      const auto factorise = Routines<T>::getrf_batched();
      in_pieces(count, [&](int64_t i, int64_t matrices) {
        gpu::check(
            factorise(blas.handle(), size, arrays<T>(addresses) + i, size, pivot ? int_data(lu.pivots, i * n) : nullptr,
                      int_data(lu.info, i), static_cast<int>(matrices)),
            "getrf");
      });
    });
    return lu;
  }
  if (pivot) lu.pivots = empty_tensor({count, std::min(m, n)}, ScalarType::Int64, a.device());
  CusolverScope scope(a.device());
  const cudaDataType type = cuda_type(a.dtype());
  size_t on_device = 0, on_host = 0;
  check(TNP_CUSOLVER(cusolverDnXgetrf_bufferSize)(scope.handle(), scope.params(), m, n, type, a.address(), m, type,
                                                  &on_device, &on_host),
        "getrf");
  Workspace work(a.device(), on_device, on_host);
  const auto factorise = TNP_CUSOLVER(cusolverDnXgetrf);
  for (int64_t i = 0; i < count; ++i) {
    check(factorise(scope.handle(), scope.params(), m, n, type, matrix(a, i), m,
                    pivot ? matrix<int64_t>(lu.pivots, i) : nullptr, type, work.device_data(), work.device_bytes,
                    work.host_data(), work.host_bytes, int_data(lu.info, i)),
          "getrf");
  }
  return lu;
}

void getrs(char trans, const Tensor& factors, const Tensor& pivots, const Tensor& b) {
  const int64_t count = factors.size(0), n = factors.size(1), columns = b.size(1);
  const cublasOperation_t op = trans == 'T' ? CUBLAS_OP_T : CUBLAS_OP_N;
  if (pivots.dtype() == ScalarType::Int32) {  // int32 pivots come from a batched factorisation
    const Tensor from = addresses_of(factors), to = addresses_of(b);
    CublasScope blas(b.device());
    const int size = to_int(n, "getrs"), right_sides = to_int(columns, "getrs");
    int bad_argument = 0;  // the library writes it on the host
    visit<Types>(b.dtype(), [&]<class T>() {
      const auto solve = Routines<T>::getrs_batched();
      in_pieces(count, [&](int64_t i, int64_t matrices) {
        gpu::check(solve(blas.handle(), op, size, right_sides, arrays<T>(from) + i, size, int_data(pivots, i * n),
                         arrays<T>(to) + i, size, &bad_argument, static_cast<int>(matrices)),
                   "getrs");
        TNP_INTERNAL_ASSERT(bad_argument == 0);
      });
    });
    return;
  }
  CusolverScope scope(b.device());
  const cudaDataType type = cuda_type(b.dtype());
  const Tensor info = new_info(b);
  const auto solve = TNP_CUSOLVER(cusolverDnXgetrs);
  for (int64_t i = 0; i < count; ++i) {
    check(solve(scope.handle(), scope.params(), op, n, columns, type, matrix(factors, i), n, matrix<int64_t>(pivots, i),
                type, matrix(b, i), n, int_data(info, i)),
          "getrs");
  }
}

Tensor potrf(char uplo, const Tensor& a) {
  const int64_t count = a.size(0), n = a.size(1);
  const cublasFillMode_t fill = uplo == 'U' ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER;
  Tensor info = new_info(a);
  if (in_batches(count, n)) {
    const Tensor addresses = addresses_of(a);
    CusolverScope scope(a.device());
    const int size = to_int(n, "potrf");
    visit<Types>(a.dtype(), [&]<class T>() {
      const auto factorise = Routines<T>::potrf_batched();
      in_pieces(count, [&](int64_t i, int64_t matrices) {
        check(factorise(scope.handle(), fill, size, arrays<T>(addresses) + i, size, int_data(info, i),
                        static_cast<int>(matrices)),
              "potrf");
      });
    });
    return info;
  }
  CusolverScope scope(a.device());
  const cudaDataType type = cuda_type(a.dtype());
  size_t on_device = 0, on_host = 0;
  check(TNP_CUSOLVER(cusolverDnXpotrf_bufferSize)(scope.handle(), scope.params(), fill, n, type, a.address(), n, type,
                                                  &on_device, &on_host),
        "potrf");
  Workspace work(a.device(), on_device, on_host);
  const auto factorise = TNP_CUSOLVER(cusolverDnXpotrf);
  for (int64_t i = 0; i < count; ++i) {
    check(factorise(scope.handle(), scope.params(), fill, n, type, matrix(a, i), n, type, work.device_data(),
                    work.device_bytes, work.host_data(), work.host_bytes, int_data(info, i)),
          "potrf");
  }
  return info;
}

Tensor sytrf(const Tensor& a, const Tensor& pivots) {
  const int64_t count = a.size(0);
  const int n = to_int(a.size(1), "sytrf");
  const Tensor rows = empty_tensor({count, n}, ScalarType::Int32, a.device());
  Tensor info = new_info(a);
  CusolverScope scope(a.device());
  visit<Types>(a.dtype(), [&]<class T>() {
    int size = 0;
    check(Routines<T>::sytrf_size()(scope.handle(), n, numbers<T>(a), n, &size), "sytrf");
    const Tensor work = empty_tensor({std::max(size, 1)}, a.dtype(), a.device());
    const auto factorise = Routines<T>::sytrf();
    for (int64_t i = 0; i < count; ++i) {
      check(factorise(scope.handle(), CUBLAS_FILL_MODE_LOWER, n, numbers<T>(a, i), n, int_data(rows, i * n),
                      numbers<T>(work), size, int_data(info, i)),
            "sytrf");
    }
  });
  copy_into(pivots, rows);
  return info;
}

void sytrs(const Tensor& factors, const Tensor& pivots, const Tensor& b) {
  const int64_t n = factors.size(1), columns = b.size(1);
  const Tensor info = new_info(b);
  CusolverScope scope(b.device());
  const cudaDataType type = cuda_type(b.dtype());
  size_t on_device = 0, on_host = 0;
  check(TNP_CUSOLVER(cusolverDnXsytrs_bufferSize)(scope.handle(), CUBLAS_FILL_MODE_LOWER, n, columns, type,
                                                  factors.address(), n, matrix<int64_t>(pivots, 0), type, b.address(),
                                                  n, &on_device, &on_host),
        "sytrs");
  Workspace work(b.device(), on_device, on_host);
  const auto solve = TNP_CUSOLVER(cusolverDnXsytrs);
  for (int64_t i = 0; i < b.size(0); ++i) {
    check(solve(scope.handle(), CUBLAS_FILL_MODE_LOWER, n, columns, type, matrix(factors, i), n,
                matrix<int64_t>(pivots, i), type, matrix(b, i), n, work.device_data(), work.device_bytes,
                work.host_data(), work.host_bytes, int_data(info, i)),
          "sytrs");
  }
}

void geqrf(const Tensor& a, const Tensor& tau) {
  const int64_t count = a.size(0), m = a.size(2), n = a.size(1);
  if (m <= 256 && count > std::max<int64_t>(8, m / 16)) {
    const Tensor from = addresses_of(a), factors = addresses_of(tau);
    CublasScope blas(a.device());
    const int rows = to_int(m, "geqrf"), columns = to_int(n, "geqrf");
    int bad_argument = 0;  // the library writes it on the host
    visit<Types>(a.dtype(), [&]<class T>() {
      const auto factorise = Routines<T>::geqrf_batched();
      in_pieces(count, [&](int64_t i, int64_t matrices) {
        gpu::check(factorise(blas.handle(), rows, columns, arrays<T>(from) + i, rows, arrays<T>(factors) + i,
                             &bad_argument, static_cast<int>(matrices)),
                   "geqrf");
        TNP_INTERNAL_ASSERT(bad_argument == 0);
      });
    });
    return;
  }
  CusolverScope scope(a.device());
  const cudaDataType type = cuda_type(a.dtype());
  const Tensor info = new_info(a);
  size_t on_device = 0, on_host = 0;
  check(TNP_CUSOLVER(cusolverDnXgeqrf_bufferSize)(scope.handle(), scope.params(), m, n, type, a.address(), m, type,
                                                  tau.address(), type, &on_device, &on_host),
        "geqrf");
  Workspace work(a.device(), on_device, on_host);
  const auto factorise = TNP_CUSOLVER(cusolverDnXgeqrf);
  for (int64_t i = 0; i < count; ++i) {
    check(factorise(scope.handle(), scope.params(), m, n, type, matrix(a, i), m, type, matrix(tau, i), type,
                    work.device_data(), work.device_bytes, work.host_data(), work.host_bytes, int_data(info, i)),
          "geqrf");
  }
}

void orgqr(const Tensor& a, const Tensor& tau) {
  const int m = to_int(a.size(2), "orgqr"), n = to_int(a.size(1), "orgqr"), k = to_int(tau.size(1), "orgqr");
  const Tensor info = new_info(a);
  CusolverScope scope(a.device());
  visit<Types>(a.dtype(), [&]<class T>() {
    int size = 0;
    check(Routines<T>::orgqr_size()(scope.handle(), m, n, k, numbers<T>(a), m, numbers<T>(tau), &size), "orgqr");
    const Tensor work = empty_tensor({std::max(size, 1)}, a.dtype(), a.device());
    const auto form = Routines<T>::orgqr();
    for (int64_t i = 0; i < a.size(0); ++i) {
      check(form(scope.handle(), m, n, k, numbers<T>(a, i), m, numbers<T>(tau, i), numbers<T>(work), size,
                 int_data(info, i)),
            "orgqr");
    }
  });
}

void ormqr(const Tensor& a, const Tensor& tau, const Tensor& b) {
  const int m = to_int(a.size(2), "ormqr"), n = to_int(b.size(1), "ormqr"), k = to_int(tau.size(1), "ormqr");
  const Tensor info = new_info(a);
  CusolverScope scope(a.device());
  visit<Types>(a.dtype(), [&]<class T>() {
    int size = 0;
    check(Routines<T>::ormqr_size()(scope.handle(), CUBLAS_SIDE_LEFT, Routines<T>::adjoint, m, n, k, numbers<T>(a), m,
                                    numbers<T>(tau), numbers<T>(b), m, &size),
          "ormqr");
    const Tensor work = empty_tensor({std::max(size, 1)}, a.dtype(), a.device());
    const auto apply = Routines<T>::ormqr();
    for (int64_t i = 0; i < a.size(0); ++i) {
      check(apply(scope.handle(), CUBLAS_SIDE_LEFT, Routines<T>::adjoint, m, n, k, numbers<T>(a, i), m,
                  numbers<T>(tau, i), numbers<T>(b, i), m, numbers<T>(work), size, int_data(info, i)),
            "ormqr");
    }
  });
}

}  // namespace tnp::gpu::solver
