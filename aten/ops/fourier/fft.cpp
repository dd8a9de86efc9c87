// Fourier transforms with NumPy's parameters. Inputs are trimmed or zero-padded to the requested
// length. Several axes are transformed one after the other, by one operator if possible.
#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "aten/core/errors/dtype_names.h"
#include "aten/core/needs_derivatives.h"
#include "aten/core/numbers/promotion.h"
#include "aten/functions/arithmetic.h"
#include "aten/functions/copies.h"
#include "aten/functions/fft.h"
#include "aten/functions/joining.h"
#include "aten/functions/shape.h"
#include "aten/iterator/copy.h"
#include "aten/meta/fft_checks.h"
#include "aten/native_functions/fft.h"

namespace tnp::native {

namespace {

enum class Norm : uint8_t { Backward, Ortho, Forward };

Norm parse_norm(std::optional<std::string_view> norm) {
  if (!norm || *norm == "backward") return Norm::Backward;
  if (*norm == "ortho") return Norm::Ortho;
  TNP_CHECK(*norm == "forward", ErrorKind::Domain, "Invalid norm value ", *norm,
            "; should be \"backward\",\"ortho\" or \"forward\".");
  return Norm::Forward;
}

Norm opposite(Norm norm) {
  return norm == Norm::Backward ? Norm::Forward : norm == Norm::Forward ? Norm::Backward : Norm::Ortho;
}

double scale_of(Norm norm, bool forward, int64_t n) {
  if (norm == Norm::Ortho) return 1.0 / std::sqrt(static_cast<double>(n));
  return (norm == Norm::Forward) == forward ? 1.0 / static_cast<double>(n) : 1.0;
}

int64_t points(const std::optional<int64_t>& n, int64_t otherwise) {
  int64_t count = n.value_or(otherwise);
  meta::check_points(count);
  return count;
}

// Raises Axis for a 0-d tensor, because it has no axis to transform. (Other operators accept
// `dim=0` for 0-d tensors, as in PyTorch.)
int64_t axis_of(const Tensor& x, int64_t dim) {
  TNP_CHECK(x.dim() > 0, ErrorKind::Axis, "{dim} ", dim, " is out of bounds for array of dimension 0");
  return wrap_dim(dim, x.dim());
}

// Prepares an input. In torch's dialect, integers are cast to the default dtype and 16-bit floats
// are rejected. In NumPy's dialect, the kernels widen the input.
Tensor given(const Tensor& x) {
  if (dialect().errors_are_numpys()) return x;
  TNP_CHECK(!is_reduced_float(x.dtype()), ErrorKind::NotImplemented, "{input} must not be of ", x.dtype(),
            ": Unsupported dtype, transforms of 16-bit floats are not implemented");
  return is_integral(x.dtype()) ? tnp::cast(x, floating_dtype_of_integers()) : x;
}

Tensor complex_transform(const Tensor& x, std::optional<int64_t> n, int64_t dim, Norm norm, bool forward) {
  dim = axis_of(x, dim);
  int64_t count = points(n, x.size(dim));
  return tnp::fft_c2c(tnp::fft_resize(x, dim, count), dim, forward, scale_of(norm, forward, count));
}

// Raises the torch face's error unless `x` is real. `needs` is its beginning: "rfft expects a real".
void check_is_real(const Tensor& x, const char* needs) {
  TNP_CHECK(!x.is_complex() || dialect().errors_are_numpys(), ErrorKind::Type, needs, " {input} tensor, but got ",
            InTorch{x.dtype()});
}

Tensor real_forward(const Tensor& x, std::optional<int64_t> n, int64_t dim, Norm norm, const char* needs) {
  check_is_real(x, needs);
  dim = axis_of(x, dim);
  int64_t count = points(n, x.size(dim));
  meta::check_real(x);
  return tnp::fft_r2c(tnp::fft_resize(x, dim, count), dim, scale_of(norm, true, count));
}

Tensor real_inverse(const Tensor& x, std::optional<int64_t> n, int64_t dim, Norm norm) {
  dim = axis_of(x, dim);
  int64_t count = points(n, 2 * (x.size(dim) - 1));
  const Tensor result = tnp::fft_c2r(tnp::fft_resize(x, dim, count / 2 + 1), count, dim, scale_of(norm, false, count));
  return x.dtype() == ScalarType::Float16 ? tnp::cast(result, ScalarType::Float16)
                                          // as in NumPy, the result is real and has the precision
                                          // of the input
                                          : result;
}

struct Axes {
  DimVector dims, lengths;
};

// Resolves `s` and `dim` by NumPy's rules. Without `dim`, the lengths in `s` apply to the last
// axes. A length of -1 keeps the length of the axis.
Axes axes_of(const Tensor& x, const OptIntList& s, const OptIntList& dim) {
  Axes a;
  if (dim) {
    for (int64_t d : *dim) a.dims.push_back(axis_of(x, d));
  } else {
    int64_t count = s ? static_cast<int64_t>(s->size()) : x.dim();
    TNP_CHECK(count <= x.dim() || dialect().errors_are_numpys(), ErrorKind::Shape, "Got shape with ", count,
              " values but input tensor only has ", x.dim(), " dimensions.");
    TNP_CHECK(count <= x.dim(), ErrorKind::Shape, "Shape requires more axes than are present.");
    for (int64_t d = x.dim() - count; d < x.dim(); ++d) a.dims.push_back(d);
  }
  TNP_CHECK(!s || s->size() == a.dims.size(), ErrorKind::Shape,
            dialect().errors_are_numpys() ? "Shape and axes have different lengths."
                                          : "When given, dim and shape arguments must have the same length");
  if (dim && !dialect().errors_are_numpys()) {
    DimVector axes(a.dims);
    std::sort(axes.begin(), axes.end());
    TNP_CHECK(std::adjacent_find(axes.begin(), axes.end()) == axes.end(), ErrorKind::RepeatedAxis,
              "FFT dims must be unique, got ", *dim);
  }
  for (size_t i = 0; i < a.dims.size(); ++i) {
    a.lengths.push_back(s && (*s)[i] != -1 ? (*s)[i] : x.size(a.dims[i]));
  }
  return a;
}

// A transform along no axes: PyTorch returns complex numbers, NumPy the input.
bool is_conversion(const Axes& a) { return a.dims.empty() && !dialect().errors_are_numpys(); }
Tensor as_complex(const Tensor& x) { return x.is_complex() ? tnp::clone(x) : tnp::cast(x, to_complex(x.dtype())); }

// The arguments of a transform along several axes by one operator, in the order of its steps.
class Steps {
 public:
  void add(int64_t length, int64_t dim, Norm norm, bool forward) {
    scales_[dims.size()] = scale_of(norm, forward, points(length, 0));
    lengths.push_back(length);
    dims.push_back(dim);
  }
  // From the last of the first `count` axes to the first.
  void add(const Axes& a, size_t count, Norm norm, bool forward) {
    for (size_t i = count; i-- > 0;) add(a.lengths[i], a.dims[i], norm, forward);
  }
  std::span<const double> scales() const { return {scales_.data(), dims.size()}; }
  DimVector lengths, dims;

 private:
  std::array<double, kMaxDims> scales_;
};

// Whether the first `count` axes are several different ones, and no gradient is recorded.
bool are_apart(const Tensor& x, const Axes& a, size_t count) {
  if (count < 2 || needs_derivatives(x)) return false;
  for (size_t i = 0; i < count; ++i)
    for (size_t j = 0; j < i; ++j)
      if (a.dims[i] == a.dims[j]) return false;
  return true;
}

// Whether one operator transforms the first `count` axes. Of these, only the last, which is
// transformed first, may become shorter.
bool are_joint(const Tensor& x, const Axes& a, size_t count) {
  if (!are_apart(x, a, count)) return false;
  for (size_t i = 0; i + 1 < count; ++i)
    if (a.lengths[i] < x.size(a.dims[i])) return false;
  return true;
}

Tensor over_axes(Tensor x, const Axes& a, size_t count, Norm norm, bool forward) {
  // Real numbers are trimmed first, since one operator computes half of their frequencies only.
  if (forward && !x.is_complex() && are_apart(x, a, count)) {
    for (size_t i = 0; i + 1 < count; ++i)
      if (a.lengths[i] < x.size(a.dims[i])) x = tnp::fft_resize(x, a.dims[i], points(a.lengths[i], 0));
  }
  if (are_joint(x, a, count)) {
    Steps steps;
    steps.add(a, count, norm, forward);
    return tnp::fft_c2c_axes(tnp::fft_resize(x, steps.dims[0], steps.lengths[0]), steps.lengths, steps.dims, forward,
                             steps.scales());
  }
  for (size_t i = count; i-- > 0;) x = complex_transform(x, a.lengths[i], a.dims[i], norm, forward);
  return x;
}

}  // namespace

void fft_c2c_axes_composite(const Tensor& input, IntList lengths, IntList dims, bool forward,
                            std::span<const double> scales, const Tensor& out) {
  Tensor x = input;
  const size_t last = dims.size() - 1;
  for (size_t i = 0; i < last; ++i)
    x = tnp::fft_c2c(tnp::fft_resize(x, dims[i], lengths[i]), dims[i], forward, scales[i]);
  tnp::fft_c2c(tnp::fft_resize(x, dims[last], lengths[last]), dims[last], forward, scales[last], {out});
}

void fft_r2c_axes_composite(const Tensor& input, IntList lengths, IntList dims, std::span<const double> scales,
                            const Tensor& out) {
  fft_c2c_axes_composite(tnp::fft_r2c(input, dims[0], scales[0]), lengths.subspan(1), dims.subspan(1), true,
                         scales.subspan(1), out);
}

void fft_c2r_axes_composite(const Tensor& input, IntList lengths, IntList dims, std::span<const double> scales,
                            const Tensor& out) {
  Tensor x = input;
  const size_t last = dims.size() - 1;
  for (size_t i = 0; i < last; ++i)
    x = tnp::fft_c2c(tnp::fft_resize(x, dims[i], lengths[i]), dims[i], false, scales[i]);
  tnp::fft_c2r(tnp::fft_resize(x, dims[last], lengths[last] / 2 + 1), lengths[last], dims[last], scales[last], {out});
}

// `input` with `n` elements along `dim`: trimmed, or padded with zeros at the end.
Tensor fft_resize(const Tensor& input, int64_t dim, int64_t n) {
  int64_t have = input.size(dim);
  if (have == n) return input;
  if (have > n) return tnp::narrow(input, dim, 0, n);
  DimVector sizes(input.sizes());
  sizes[static_cast<size_t>(wrap_dim(dim, input.dim()))] = n - have;
  Tensor zeros = empty_tensor(sizes, input.dtype(), input.device());
  fill_with(zeros, Scalar(0));
  const Tensor parts[] = {input, zeros};
  return tnp::cat(parts, dim);
}

Tensor fft(const Tensor& input, std::optional<int64_t> n, int64_t dim, std::optional<std::string_view> norm) {
  return complex_transform(given(input), n, dim, parse_norm(norm), true);
}
Tensor ifft(const Tensor& input, std::optional<int64_t> n, int64_t dim, std::optional<std::string_view> norm) {
  return complex_transform(given(input), n, dim, parse_norm(norm), false);
}
Tensor rfft(const Tensor& input, std::optional<int64_t> n, int64_t dim, std::optional<std::string_view> norm) {
  return real_forward(given(input), n, dim, parse_norm(norm), "rfft expects a real");
}
Tensor irfft(const Tensor& input, std::optional<int64_t> n, int64_t dim, std::optional<std::string_view> norm) {
  return real_inverse(given(input), n, dim, parse_norm(norm));
}
Tensor hfft(const Tensor& input, std::optional<int64_t> n, int64_t dim, std::optional<std::string_view> norm) {
  return real_inverse(input.is_complex() ? tnp::conj(input) : given(input), n, dim, opposite(parse_norm(norm)));
}
Tensor ihfft(const Tensor& input, std::optional<int64_t> n, int64_t dim, std::optional<std::string_view> norm) {
  return tnp::conj(real_forward(given(input), n, dim, opposite(parse_norm(norm)), "ihfft expects a real"));
}

Tensor fftn(const Tensor& input, OptIntList s, OptIntList dim, std::optional<std::string_view> norm) {
  Axes a = axes_of(input, s, dim);
  if (is_conversion(a)) return as_complex(given(input));
  return over_axes(given(input), a, a.dims.size(), parse_norm(norm), true);
}
Tensor ifftn(const Tensor& input, OptIntList s, OptIntList dim, std::optional<std::string_view> norm) {
  Axes a = axes_of(input, s, dim);
  if (is_conversion(a)) return as_complex(given(input));
  return over_axes(given(input), a, a.dims.size(), parse_norm(norm), false);
}
Tensor rfftn(const Tensor& input, OptIntList s, OptIntList dim, std::optional<std::string_view> norm) {
  Axes a = axes_of(input, s, dim);
  TNP_CHECK(!a.dims.empty(), ErrorKind::Index, "at least 1 axis must be transformed");
  Norm scaling = parse_norm(norm);
  const Tensor x = given(input);
  if (are_joint(x, a, a.dims.size())) {
    check_is_real(x, "rfftn expects a real-valued");
    meta::check_real(x);
    Steps steps;
    steps.add(a, a.dims.size(), scaling, true);
    return tnp::fft_r2c_axes(tnp::fft_resize(x, steps.dims[0], steps.lengths[0]), steps.lengths, steps.dims,
                             steps.scales());
  }
  const Tensor last = real_forward(x, a.lengths.back(), a.dims.back(), scaling, "rfftn expects a real-valued");
  return over_axes(last, a, a.dims.size() - 1, scaling, true);
}
Tensor irfftn(const Tensor& input, OptIntList s, OptIntList dim, std::optional<std::string_view> norm) {
  Axes a = axes_of(input, s, dim);
  TNP_CHECK(!a.dims.empty(), ErrorKind::Index, "at least 1 axis must be transformed");
  if (!s) a.lengths.back() = 2 * (input.size(a.dims.back()) - 1);
  Norm scaling = parse_norm(norm);
  const Tensor x = given(input);
  const size_t others = a.dims.size() - 1;
  const int64_t n = a.lengths.back();
  // The last axis is transformed at the end, from n / 2 + 1 values.
  Axes first = a;
  first.dims.pop_back(), first.lengths.pop_back();
  std::rotate(a.dims.begin(), a.dims.end() - 1, a.dims.end());
  std::rotate(a.lengths.begin(), a.lengths.end() - 1, a.lengths.end());
  a.lengths[0] = n / 2 + 1;
  if (n > 0 && are_joint(x, a, others + 1)) {
    Steps steps;
    steps.add(first, others, scaling, false);
    steps.add(n, a.dims[0], scaling, false);
    return tnp::fft_c2r_axes(tnp::fft_resize(x, steps.dims[0], steps.lengths[0]), steps.lengths, steps.dims,
                             steps.scales());
  }
  return real_inverse(over_axes(x, first, others, scaling, false), n, a.dims[0], scaling);
}

// Transforms the last axis by hfft, and all other axes by complex transforms.
Tensor hfftn(const Tensor& input, OptIntList s, OptIntList dim, std::optional<std::string_view> norm) {
  Axes a = axes_of(input, s, dim);
  TNP_CHECK(!a.dims.empty(), ErrorKind::Shape, "at least 1 axis must be transformed");
  if (!s || s->back() == -1) a.lengths.back() = 2 * (input.size(a.dims.back()) - 1);
  const Norm scaling = parse_norm(norm);
  const Tensor x = over_axes(given(input), a, a.dims.size() - 1, scaling, true);
  return real_inverse(x.is_complex() ? tnp::conj(x) : x, a.lengths.back(), a.dims.back(), opposite(scaling));
}
Tensor ihfftn(const Tensor& input, OptIntList s, OptIntList dim, std::optional<std::string_view> norm) {
  Axes a = axes_of(input, s, dim);
  TNP_CHECK(!a.dims.empty(), ErrorKind::Shape, "at least 1 axis must be transformed");
  const Norm scaling = parse_norm(norm);
  const Tensor x = tnp::conj(
      real_forward(given(input), a.lengths.back(), a.dims.back(), opposite(scaling), "ihfftn expects a real-valued"));
  return over_axes(x, a, a.dims.size() - 1, scaling, false);
}
Tensor hfft2(const Tensor& input, OptIntList s, OptIntList dim, std::optional<std::string_view> norm) {
  return native::hfftn(input, s, dim, norm);
}
Tensor ihfft2(const Tensor& input, OptIntList s, OptIntList dim, std::optional<std::string_view> norm) {
  return native::ihfftn(input, s, dim, norm);
}

Tensor fft2(const Tensor& input, OptIntList s, OptIntList dim, std::optional<std::string_view> norm) {
  return native::fftn(input, s, dim, norm);
}
Tensor ifft2(const Tensor& input, OptIntList s, OptIntList dim, std::optional<std::string_view> norm) {
  return native::ifftn(input, s, dim, norm);
}
Tensor rfft2(const Tensor& input, OptIntList s, OptIntList dim, std::optional<std::string_view> norm) {
  return native::rfftn(input, s, dim, norm);
}
Tensor irfft2(const Tensor& input, OptIntList s, OptIntList dim, std::optional<std::string_view> norm) {
  return native::irfftn(input, s, dim, norm);
}

}  // namespace tnp::native
