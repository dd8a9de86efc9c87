// One-dimensional Fourier transforms along any axis, by oneMKL's DFTI.
//
// A tensor (outer, n, inner) is transformed without being transposed: DFTI is told the stride between the elements of a
// line and the distance between lines. Results are row-major.
#include <list>
#include <memory>
#include <mutex>
#include <optional>

#include "aten/core/parallel.h"
#include "aten/kernels/cpu/dense.h"
#include "aten/native_functions.h"

#if !defined(TNP_USE_OPENBLAS)
#include <mkl_dfti.h>
#endif

namespace tnp::native {

namespace {

#if defined(TNP_USE_OPENBLAS)

enum class Kind : uint8_t { Complex, RealToComplex, ComplexToReal };
void transform(Kind, bool, double, int64_t, const Tensor&, const Tensor&, int64_t) {
  TNP_RAISE(ErrorKind::NotImplemented, "Fourier transforms need oneMKL, which this build lacks");
}

#else

enum class Kind : uint8_t { Complex, RealToComplex, ComplexToReal };

void check_dfti(MKL_LONG status) {
  TNP_CHECK(status == DFTI_NO_ERROR, status == DFTI_MEMORY_ERROR ? ErrorKind::Memory : ErrorKind::Internal,
            "Fourier transform: ", static_cast<const char*>(DftiErrorMessage(status)));
}

struct Plan {
  Kind kind;
  bool single_precision;
  int64_t n, lines, stride, distance_in, distance_out;
  double forward_scale, backward_scale;
  friend bool operator==(const Plan&, const Plan&) = default;
};

struct FreeDescriptor {
  void operator()(DFTI_DESCRIPTOR* d) const { DftiFreeDescriptor(&d); }
};
using Descriptor = std::shared_ptr<DFTI_DESCRIPTOR>;

Descriptor make_descriptor(const Plan& p) {
  DFTI_DESCRIPTOR* raw = nullptr;
  check_dfti(DftiCreateDescriptor(&raw, p.single_precision ? DFTI_SINGLE : DFTI_DOUBLE,
                                  p.kind == Kind::Complex ? DFTI_COMPLEX : DFTI_REAL, 1, static_cast<MKL_LONG>(p.n)));
  Descriptor d(raw, FreeDescriptor());
  MKL_LONG strides[2] = {0, static_cast<MKL_LONG>(p.stride)};
  check_dfti(DftiSetValue(raw, DFTI_PLACEMENT, DFTI_NOT_INPLACE));
  check_dfti(DftiSetValue(raw, DFTI_NUMBER_OF_TRANSFORMS, static_cast<MKL_LONG>(p.lines)));
  check_dfti(DftiSetValue(raw, DFTI_INPUT_STRIDES, strides));
  check_dfti(DftiSetValue(raw, DFTI_OUTPUT_STRIDES, strides));
  check_dfti(DftiSetValue(raw, DFTI_INPUT_DISTANCE, static_cast<MKL_LONG>(p.distance_in)));
  check_dfti(DftiSetValue(raw, DFTI_OUTPUT_DISTANCE, static_cast<MKL_LONG>(p.distance_out)));
  check_dfti(DftiSetValue(raw, DFTI_FORWARD_SCALE, p.forward_scale));
  check_dfti(DftiSetValue(raw, DFTI_BACKWARD_SCALE, p.backward_scale));
  if (p.kind != Kind::Complex) check_dfti(DftiSetValue(raw, DFTI_CONJUGATE_EVEN_STORAGE, DFTI_COMPLEX_COMPLEX));
  check_dfti(DftiCommitDescriptor(raw));
  return d;
}

// Making a plan costs more than a short transform: the last few are kept.
Descriptor descriptor_of(const Plan& plan) {
  constexpr size_t kKept = 16;
  static std::mutex mutex;
  static auto* plans = new std::list<std::pair<Plan, Descriptor>>;
  std::lock_guard lock(mutex);
  for (auto it = plans->begin(); it != plans->end(); ++it) {
    if (it->first == plan) {
      plans->splice(plans->begin(), *plans, it);
      return it->second;
    }
  }
  plans->emplace_front(plan, make_descriptor(plan));
  if (plans->size() > kKept) plans->pop_back();
  return plans->front().second;
}

// `n`: length of the transform; `in` and `out` are row-major and have n or n / 2 + 1 elements along `dim`.
void transform(Kind kind, bool forward, double scale, int64_t n, const Tensor& in, const Tensor& out, int64_t dim) {
  int64_t outer = 1, inner = 1;
  for (int64_t d = 0; d < dim; ++d) outer *= in.size(d);
  for (int64_t d = dim + 1; d < in.dim(); ++d) inner *= in.size(d);
  const bool last = inner == 1;
  Plan plan{kind, element_size(to_real(in.dtype())) == 4, n, last ? outer : inner, inner, last ? in.size(dim) : 1,
            last ? out.size(dim) : 1, forward ? scale : 1.0, forward ? 1.0 : scale};
  // DFTI shares out the lines of complex transforms over threads, but not those of real ones.
  if (last && kind != Kind::Complex && in.numel() > 2 * kParallelWork && outer > 1) {
    const int64_t pieces = std::min<int64_t>(outer, 4 * get_num_threads()), length = (outer + pieces - 1) / pieces;
    parallel_for(0, (outer + length - 1) / length, 1, [&](int64_t first, int64_t end) {
      for (int64_t i = first; i < end; ++i) {
        Plan piece = plan;
        piece.lines = std::min(length, outer - i * length);
        Descriptor d = descriptor_of(piece);
        char *from = in.data() + i * length * in.size(dim) * in.itemsize(), *to = out.data() + i * length * out.size(dim) * out.itemsize();
        check_dfti(forward ? DftiComputeForward(d.get(), from, to) : DftiComputeBackward(d.get(), from, to));
      }
    });
    return;
  }
  Descriptor d = descriptor_of(plan);
  std::optional<LongWork> long_work;
  if (in.numel() > 5 * kParallelWork) long_work.emplace();
  const int64_t step_in = in.size(dim) * inner * in.itemsize(), step_out = out.size(dim) * inner * out.itemsize();
  for (int64_t i = 0; i < (last ? 1 : outer); ++i) {
    char *from = in.data() + i * step_in, *to = out.data() + i * step_out;
    check_dfti(forward ? DftiComputeForward(d.get(), from, to) : DftiComputeBackward(d.get(), from, to));
  }
}

#endif

void check_points(int64_t n) {
  TNP_CHECK(n >= 1, ErrorKind::Shape, "Invalid number of FFT data points (", n, ") specified.");
}

Tensor with_length(const Tensor& like, int64_t dim, int64_t n, ScalarType dtype) {
  DimVector sizes(like.sizes());
  sizes[static_cast<size_t>(dim)] = n;
  return empty_tensor(sizes, dtype, like.device());
}

// What a transform of real numbers gives is known from its first half: y_(n-k) = conj(y_k). Fills in the other half along
// `dim`; the inverse transform's values (`conjugate`) are the conjugates of all.
template <class T>
void fill_second_half(const Tensor& out, int64_t dim, bool conjugate) {
  int64_t outer = 1, inner = 1;
  for (int64_t d = 0; d < dim; ++d) outer *= out.size(d);
  for (int64_t d = dim + 1; d < out.dim(); ++d) inner *= out.size(d);
  const int64_t n = out.size(dim), half = n / 2 + 1;
  auto conj = [](Complex<T> z) { return Complex<T>(z.re, -z.im); };
  parallel_for(0, outer, std::max<int64_t>(kParallelWork / (n * inner), 1), [&](int64_t begin, int64_t end) {
    for (int64_t o = begin; o < end; ++o) {
      Complex<T>* block = out.data_ptr<Complex<T>>() + o * n * inner;
      for (int64_t k = half; k < n; ++k) {
        const Complex<T>* from = block + (n - k) * inner;
        for (int64_t i = 0; i < inner; ++i) block[k * inner + i] = conjugate ? from[i] : conj(from[i]);
      }
      if (conjugate) for (int64_t i = 0; i < half * inner; ++i) block[i] = conj(block[i]);
    }
  });
}

Tensor transform_real(const Tensor& input, int64_t dim, bool forward, double scale) {
  const ScalarType complex = to_complex(input.dtype());
  Tensor in = to_dense(input, to_real(complex));
  Tensor out = empty_tensor(in.sizes(), complex, in.device());
  if (out.numel() == 0) return out;
  transform(Kind::RealToComplex, true, scale, in.size(dim), in, out, dim);
  if (complex == ScalarType::Complex64) fill_second_half<float>(out, dim, !forward);
  else fill_second_half<double>(out, dim, !forward);
  return out;
}

}  // namespace

// y_k = scale * sum_j x_j exp(-+ 2 pi i j k / n), - if `forward`.
Tensor fft_c2c_cpu(const Tensor& input, int64_t dim, bool forward, double scale) {
  dim = wrap_dim(dim, input.dim());
  check_points(input.size(dim));
  if (!input.is_complex()) return transform_real(input, dim, forward, scale);
  Tensor in = to_dense(input, to_complex(input.dtype()));
  Tensor out = empty_tensor(in.sizes(), in.dtype(), in.device());
  if (out.numel() > 0) transform(Kind::Complex, forward, scale, in.size(dim), in, out, dim);
  return out;
}

// The first n / 2 + 1 of the n values that a forward transform of real numbers gives.
Tensor fft_r2c_cpu(const Tensor& input, int64_t dim, double scale) {
  dim = wrap_dim(dim, input.dim());
  check_points(input.size(dim));
  TNP_CHECK(!input.is_complex(), ErrorKind::Dtype, "rfft: {input} must be real, got ", input.dtype());
  ScalarType complex = to_complex(input.dtype());
  Tensor in = to_dense(input, to_real(complex));
  Tensor out = with_length(in, dim, in.size(dim) / 2 + 1, complex);
  if (out.numel() > 0) transform(Kind::RealToComplex, true, scale, in.size(dim), in, out, dim);
  return out;
}

// The n real values of an inverse transform whose first n / 2 + 1 inputs are given, the others being their conjugates.
Tensor fft_c2r_cpu(const Tensor& input, int64_t n, int64_t dim, double scale) {
  dim = wrap_dim(dim, input.dim());
  check_points(n);
  TNP_CHECK(input.size(dim) == n / 2 + 1, ErrorKind::Shape, "irfft: ", n, " points need ", n / 2 + 1, " inputs, got ", input.size(dim));
  ScalarType complex = to_complex(input.dtype());
  Tensor in = dense_copy(input, complex);  // a copy: DFTI may use it as workspace
  Tensor out = with_length(in, dim, n, to_real(complex));
  if (out.numel() > 0) transform(Kind::ComplexToReal, false, scale, n, in, out, dim);
  return out;
}

namespace {

template <class T>
void unfold_half(const Tensor& half, const Tensor& out, const DimVector& dims) {
  const int64_t n = out.size(-1), h = half.size(-1), rows = n == 0 ? 0 : out.numel() / n;
  DimVector negated(static_cast<size_t>(out.dim()), 0);
  for (int64_t d : dims) negated[static_cast<size_t>(d)] = 1;
  parallel_for(0, rows, std::max<int64_t>(kParallelWork / std::max<int64_t>(n, 1), 1), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      // The row whose frequencies are the negative ones along the transformed axes.
      int64_t mirrored = 0, rest = row, step = 1;
      for (int64_t d = out.dim() - 1; d-- > 0;) {
        const int64_t size = out.size(d), i = rest % size;
        rest /= size;
        mirrored += (negated[static_cast<size_t>(d)] && i > 0 ? size - i : i) * step;
        step *= size;
      }
      Complex<T>* to = out.data_ptr<Complex<T>>() + row * n;
      std::copy_n(half.data_ptr<Complex<T>>() + row * h, h, to);
      const Complex<T>* from = half.data_ptr<Complex<T>>() + mirrored * h;
      for (int64_t k = h; k < n; ++k) to[k] = Complex<T>(from[n - k].re, -from[n - k].im);
    }
  });
}

}  // namespace

// All n frequencies along the last axis, of a transform of real numbers over that axis and `dims`, whose first n / 2 + 1
// are in `half`: the others are the conjugates of those of negative frequency.
Tensor fft_unfold_half_cpu(const Tensor& half, int64_t n, const DimVector& dims) {
  Tensor in = to_dense(half, half.dtype());
  Tensor out = with_length(in, in.dim() - 1, n, in.dtype());
  if (in.dtype() == ScalarType::Complex64) unfold_half<float>(in, out, dims);
  else unfold_half<double>(in, out, dims);
  return out;
}

}  // namespace tnp::native
