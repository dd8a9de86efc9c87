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

}  // namespace

// y_k = scale * sum_j x_j exp(-+ 2 pi i j k / n), - if `forward`.
Tensor fft_c2c_cpu(const Tensor& input, int64_t dim, bool forward, double scale) {
  dim = wrap_dim(dim, input.dim());
  check_points(input.size(dim));
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

}  // namespace tnp::native
