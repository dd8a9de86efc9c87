// Singular values and eigenvalues by cuSOLVER.
#include <algorithm>

#include "aten/iterator/copy.h"
#include "aten/kernels/cuda/linalg/conjugates.h"
#include "aten/kernels/cuda/linalg/cusolver.h"
#include "aten/kernels/cuda/linalg/linalg.h"

namespace tnp::gpu::solver {

namespace {

int32_t* info_of(const Tensor& info, int64_t i = 0) { return reinterpret_cast<int32_t*>(info.address()) + i; }

struct JacobiParameters {
  gesvdjInfo_t info = nullptr;
  JacobiParameters() { check(TNP_CUSOLVER(cusolverDnCreateGesvdjInfo)(&info), "gesvdj"); }
  ~JacobiParameters() { TNP_CUSOLVER(cusolverDnDestroyGesvdjInfo)(info); }
};

// Singular values by Jacobi rotations, for stacks of matrices of up to 32 rows and columns. The
// routine computes all columns of U, and V instead of its adjoint.
constexpr int64_t kJacobiSize = 32;

template <class T, class Size, class Run>
void gesvdj(Size size_of_work, Run run, const Tensor& a, const Tensor& s, const Tensor& u, const Tensor& v,
            const Tensor& info, bool vectors) {
  using N = number_t<T>;
  CusolverScope scope(a.device());
  JacobiParameters parameters;
  const cusolverEigMode_t mode = vectors ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
  const int m = to_int(a.size(2), "gesvdj"), n = to_int(a.size(1), "gesvdj"), count = to_int(a.size(0), "gesvdj");
  int size = 0;
  check(size_of_work(scope.handle(), mode, m, n, matrix<N>(a, 0), m, matrix<real_t<T>>(s, 0), matrix<N>(u, 0), m,
                     matrix<N>(v, 0), n, &size, parameters.info, count),
        "gesvdj");
  const Tensor work = empty_tensor({std::max(size, 1)}, a.dtype(), a.device());
  check(run(scope.handle(), mode, m, n, matrix<N>(a, 0), m, matrix<real_t<T>>(s, 0), matrix<N>(u, 0), m,
            matrix<N>(v, 0), n, reinterpret_cast<N*>(work.address()), size, info_of(info), parameters.info, count),
        "gesvdj");
}

void gesvdj_batched(const Tensor& a, const Tensor& s, const Tensor& u, const Tensor& vh, const Tensor& info) {
  const int64_t count = a.size(0), m = a.size(2), n = a.size(1);
  const bool vectors = u.defined(), all = vectors && u.size(1) == m;
  // The routine needs memory for U and V in any case.
  const Tensor left = all ? u : empty_tensor({count, m, m}, a.dtype(), a.device()),
               right = empty_tensor({count, n, n}, a.dtype(), a.device());
#define TNP_GESVDJ(T, p)                                                                                               \
  if (a.dtype() == scalar_type_of<T>) {                                                                                \
    gesvdj<T>(TNP_CUSOLVER(cusolverDn##p##gesvdjBatched_bufferSize), TNP_CUSOLVER(cusolverDn##p##gesvdjBatched), a, s, \
              left, right, info, vectors);                                                                             \
  }
  TNP_GESVDJ(float, S)
  TNP_GESVDJ(double, D)
  TNP_GESVDJ(Complex<float>, C)
  TNP_GESVDJ(Complex<double>, Z)
#undef TNP_GESVDJ
  if (!vectors) return;
  if (!all) copy_into(u, some_rows(left, 0, n));
  copy_into(vh, transposed(right));
  conjugate(vh);
}

}  // namespace

Tensor gesvd(const Tensor& a, const Tensor& s, const Tensor& u, const Tensor& vh) {
  const int64_t count = a.size(0), m = a.size(2), n = a.size(1);
  Tensor info = new_info(a);
  if (count > 1 && m <= kJacobiSize && n <= kJacobiSize) {
    in_pieces(count, [&](int64_t i, int64_t matrices) {
      auto piece = [&](const Tensor& t) {
        if (!t.defined()) return t;
        DimVector sizes(t.sizes());
        sizes[0] = matrices;
        return view_of(t, sizes, t.strides(), t.address() + i * t.stride(0) * t.itemsize());
      };
      gesvdj_batched(piece(a), piece(s), piece(u), piece(vh), piece(info));
    });
    return info;
  }
  CusolverScope scope(a.device());
  const cudaDataType type = cuda_type(a.dtype()), real = cuda_type(s.dtype());
  const signed char job = !u.defined() ? 'N' : u.size(1) == n ? 'S' : 'A', job_vh = u.defined() ? 'S' : 'N';
  auto part = [](const Tensor& t, int64_t i) { return t.defined() ? matrix(t, i) : nullptr; };
  size_t on_device = 0, on_host = 0;
  check(TNP_CUSOLVER(cusolverDnXgesvd_bufferSize)(scope.handle(), scope.params(), job, job_vh, m, n, type, a.address(),
                                                  m, real, s.address(), type, part(u, 0), m, type, part(vh, 0), n, type,
                                                  &on_device, &on_host),
        "gesvd");
  Workspace work(a.device(), on_device, on_host);
  const auto factorise = TNP_CUSOLVER(cusolverDnXgesvd);
  for (int64_t i = 0; i < count; ++i) {
    check(factorise(scope.handle(), scope.params(), job, job_vh, m, n, type, matrix(a, i), m, real, matrix(s, i), type,
                    part(u, i), m, type, part(vh, i), n, type, work.device_data(), work.device_bytes, work.host_data(),
                    work.host_bytes, info_of(info, i)),
          "gesvd");
  }
  return info;
}

Tensor syevd(bool vectors, char uplo, const Tensor& a, const Tensor& w) {
  const int64_t count = a.size(0), n = a.size(1);
  CusolverScope scope(a.device());
  const cudaDataType type = cuda_type(a.dtype()), real = cuda_type(w.dtype());
  const cusolverEigMode_t mode = vectors ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
  const cublasFillMode_t fill = uplo == 'U' ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER;
  Tensor info = new_info(a);
  size_t on_device = 0, on_host = 0;
  const auto batched = count > 1 ? cusolver().find<decltype(&cusolverDnXsyevBatched)>("cusolverDnXsyevBatched")
                                 : nullptr;  // available since CUDA 12.6
  if (batched) {
    const int64_t together = std::min({count, kMatricesTogether, std::max<int64_t>((1 << 30) / (n * n), 1)});
    check(TNP_CUSOLVER(cusolverDnXsyevBatched_bufferSize)(scope.handle(), scope.params(), mode, fill, n, type,
                                                          a.address(), n, real, w.address(), type, &on_device, &on_host,
                                                          together),
          "syevBatched");
    Workspace work(a.device(), on_device, on_host);
    in_pieces(
        count,
        [&](int64_t i, int64_t matrices) {
          check(batched(scope.handle(), scope.params(), mode, fill, n, type, matrix(a, i), n, real, matrix(w, i), type,
                        work.device_data(), work.device_bytes, work.host_data(), work.host_bytes, info_of(info, i),
                        matrices),
                "syevBatched");
        },
        together);
    return info;
  }
  check(TNP_CUSOLVER(cusolverDnXsyevd_bufferSize)(scope.handle(), scope.params(), mode, fill, n, type, a.address(), n,
                                                  real, w.address(), type, &on_device, &on_host),
        "syevd");
  Workspace work(a.device(), on_device, on_host);
  const auto factorise = TNP_CUSOLVER(cusolverDnXsyevd);
  for (int64_t i = 0; i < count; ++i) {
    check(factorise(scope.handle(), scope.params(), mode, fill, n, type, matrix(a, i), n, real, matrix(w, i), type,
                    work.device_data(), work.device_bytes, work.host_data(), work.host_bytes, info_of(info, i)),
          "syevd");
  }
  return info;
}

Tensor geev(const Tensor& a, const Tensor& w, const Tensor& v) {
  const auto factorise = cusolver().find<decltype(&cusolverDnXgeev)>("cusolverDnXgeev");
  TNP_CHECK(factorise, ErrorKind::NotImplemented,
            "eigenvalues of non-Hermitian matrices need cusolverDnXgeev, of CUDA 12.8 or later. Copy them to the CPU "
            "first, by x._cpu() or t.cpu().");
  const int64_t count = a.size(0), n = a.size(1);
  CusolverScope scope(a.device());
  const cudaDataType type = cuda_type(a.dtype());
  const cusolverEigMode_t mode = v.defined() ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR,
                          none = CUSOLVER_EIG_MODE_NOVECTOR;
  auto vectors = [&](int64_t i) { return v.defined() ? matrix(v, i) : nullptr; };
  Tensor info = new_info(a);
  size_t on_device = 0, on_host = 0;
  check(TNP_CUSOLVER(cusolverDnXgeev_bufferSize)(scope.handle(), scope.params(), none, mode, n, type, a.address(), n,
                                                 type, w.address(), type, nullptr, n, type, vectors(0), n, type,
                                                 &on_device, &on_host),
        "geev");
  Workspace work(a.device(), on_device, on_host);
  for (int64_t i = 0; i < count; ++i) {
    check(factorise(scope.handle(), scope.params(), none, mode, n, type, matrix(a, i), n, type, matrix(w, i), type,
                    nullptr, n, type, vectors(i), n, type, work.device_data(), work.device_bytes, work.host_data(),
                    work.host_bytes, info_of(info, i)),
          "geev");
  }
  return info;
}

}  // namespace tnp::gpu::solver
