// Fourier transforms along one axis. Results are row-major.
#include <algorithm>

#include "aten/core/threads/parallel.h"
#include "aten/iterator/dense.h"
#include "aten/kernel_functions/fft.h"
#include "aten/kernels/fourier_lines.h"

namespace tnp::native {

namespace {

template <class F>
void visit_complex(ScalarType t, F&& f) {
  if (t == ScalarType::Complex64)
    f.template operator()<float>();
  else
    f.template operator()<double>();
}

// to_k = conj(from_(n-1-k)).
template <class T>
void reverse_conjugate(const Complex<T>* from, Complex<T>* to, int64_t n) {
  for (int64_t k = 0; k < n; ++k) to[k] = Complex<T>(from[n - 1 - k].re, -from[n - 1 - k].im);
}

template <class T>
void conjugate(Complex<T>* z, int64_t n) {
  for (int64_t k = 0; k < n; ++k) z[k].im = -z[k].im;
}

// All n values of a transform of real numbers. The library computes the first n / 2 + 1 values. The
// remaining ones follow from y_(n-k) = conj(y_k). The values of an inverse transform are the
// conjugates of those of the forward transform.
template <class T>
void transform_real(const Tensor& in, const Tensor& out, int64_t dim, bool forward, double scale) {
  const int64_t n = out.size(dim), half = n / 2 + 1;
  if (dim == out.dim() - 1) {
    return transform_lines(Fourier::RealToComplex, true, scale, n, in, out, dim, [&](char* lines, int64_t count) {
      for (auto* line = reinterpret_cast<Complex<T>*>(lines); count > 0; --count, line += n) {
        if (!forward) conjugate(line, half);
        reverse_conjugate(line + 1, line + half, n - half);
      }
    });
  }
  transform_lines(Fourier::RealToComplex, true, scale, n, in, out, dim);
  int64_t inner = 1;
  for (int64_t d = dim + 1; d < out.dim(); ++d) inner *= out.size(d);
  const int64_t outer = out.numel() / (n * inner);
  parallel_for(0, outer * half, std::max<int64_t>(kParallelWork / inner, 1), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t k = i % half;
      Complex<T>* block = out.data_ptr<Complex<T>>() + i / half * n * inner;
      Complex<T>* from = block + k * inner;
      if (!forward) conjugate(from, inner);
      if (k == 0 || k == n - k) continue;
      Complex<T>* to = block + (n - k) * inner;
      for (int64_t j = 0; j < inner; ++j) to[j] = Complex<T>(from[j].re, -from[j].im);
    }
  });
}

}  // namespace

// y_k = scale * sum_j x_j exp(-+ 2 pi i j k / n), with - if `forward`.
void fft_c2c_cpu(const Tensor& input, int64_t dim, bool forward, double scale, const Tensor& out) {
  if (out.numel() == 0) return;
  const Tensor in = to_dense(input, input.dtype());
  if (in.is_complex())
    transform_lines(Fourier::Complex, forward, scale, in.size(dim), in, out, dim);
  else
    visit_complex(out.dtype(), [&]<class T>() { transform_real<T>(in, out, dim, forward, scale); });
}

// The first n / 2 + 1 of the n values of a forward transform of real numbers.
void fft_r2c_cpu(const Tensor& input, int64_t dim, double scale, const Tensor& out) {
  if (out.numel() == 0) return;
  const Tensor in = to_dense(input, input.dtype());
  transform_lines(Fourier::RealToComplex, true, scale, in.size(dim), in, out, dim);
}

// The n real values of an inverse transform, from the first n / 2 + 1 inputs. The remaining inputs
// would be conjugates of these.
void fft_c2r_cpu(const Tensor& input, int64_t n, int64_t dim, double scale, const Tensor& out) {
  if (out.numel() == 0) return;
  // Copies the input, because the transform may use it as workspace.
  const Tensor in = dense_copy(input, to_complex(out.dtype()));
  transform_lines(Fourier::ComplexToReal, false, scale, n, in, out, dim);
}

}  // namespace tnp::native
