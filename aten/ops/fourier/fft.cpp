// Fourier transforms with NumPy's parameters, on three one-dimensional kernels. Inputs are trimmed
// or zero-padded to the requested length. Several axes are transformed one after the other.
#include <algorithm>
#include <cmath>

#include "aten/core/numbers/promotion.h"
#include "aten/core/requires_grad.h"
#include "aten/functions/arithmetic.h"
#include "aten/functions/copies.h"
#include "aten/functions/fft.h"
#include "aten/functions/joining.h"
#include "aten/functions/shape.h"
#include "aten/iterator/copy.h"
#include "aten/kernels/cpu/fourier/fft.h"
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

// Whether CPU kernels can be called directly, without recording a gradient.
bool on_cpu_without_grad(const Tensor& x) { return x.device().is_cpu() && !compute_requires_grad(x); }

// Prepares an input. In torch's dialect, integers are cast to the default dtype and 16-bit floats
// are rejected. In NumPy's dialect, the kernels widen the input.
Tensor given(const Tensor& x) {
  if (dialect().errors_are_numpys()) return x;
  TNP_CHECK(!is_reduced_float(x.dtype()), ErrorKind::NotImplemented, "{input} must not be of ", x.dtype(),
            ": transforms of 16-bit floats are not implemented");
  return is_integral(x.dtype()) ? tnp::cast(x, floating_dtype_of_integers()) : x;
}

// `spare`: the caller is the only owner of `x`, so a complex `x` may be transformed in place. The
// result is a new tensor, or `x` if it is spare.
Tensor complex_transform(const Tensor& x, std::optional<int64_t> n, int64_t dim, Norm norm, bool forward,
                         bool spare = false) {
  dim = axis_of(x, dim);
  int64_t count = points(n, x.size(dim));
  const double scale = scale_of(norm, forward, count);
  if (!spare || count != x.size(dim) || !x.is_complex() || !on_cpu_without_grad(x)) {
    return tnp::fft_c2c(tnp::fft_resize(x, dim, count), dim, forward, scale);
  }
  fft_c2c_inplace_cpu(x, dim, forward, scale);
  return x;
}

Tensor real_forward(const Tensor& x, std::optional<int64_t> n, int64_t dim, Norm norm) {
  dim = axis_of(x, dim);
  int64_t count = points(n, x.size(dim));
  meta::check_real(x);
  return tnp::fft_r2c(tnp::fft_resize(x, dim, count), dim, scale_of(norm, true, count));
}

// `spare`: the caller is the only owner of `x`, so `x` may be overwritten.
Tensor real_inverse(const Tensor& x, std::optional<int64_t> n, int64_t dim, Norm norm, bool spare = false) {
  dim = axis_of(x, dim);
  int64_t count = points(n, 2 * (x.size(dim) - 1));
  Tensor half = tnp::fft_resize(x, dim, count / 2 + 1);
  const double scale = scale_of(norm, false, count);
  Tensor result = spare && on_cpu_without_grad(x) ? fft_c2r_destroying_cpu(half, count, dim, scale)
                                                  : tnp::fft_c2r(half, count, dim, scale);
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
    TNP_CHECK(count <= x.dim(), ErrorKind::Shape, "Shape requires more axes than are present.");
    for (int64_t d = x.dim() - count; d < x.dim(); ++d) a.dims.push_back(d);
  }
  TNP_CHECK(!s || s->size() == a.dims.size(), ErrorKind::Shape, "Shape and axes have different lengths.");
  if (dim && !dialect().errors_are_numpys()) wrap_dims(*dim, x.dim());  // raises an error if an axis occurs twice
  for (size_t i = 0; i < a.dims.size(); ++i) {
    a.lengths.push_back(s && (*s)[i] != -1 ? (*s)[i] : x.size(a.dims[i]));
  }
  return a;
}

// Transforms a real array over several axes, including its last one: computes half of the
// frequencies and fills in the others as conjugates. Returns an undefined tensor if the method is
// not applicable: for complex or recorded inputs, on a GPU, for fewer than 2 axes, or if the last
// transformed axis is not the last axis of `x`.
Tensor real_over_axes(const Tensor& x, const Axes& a, size_t count, Norm norm) {
  if (count < 2 || x.is_complex() || a.dims[count - 1] != x.dim() - 1 || !on_cpu_without_grad(x)) return {};
  DimVector others(IntList(a.dims).subspan(0, count - 1));
  for (size_t i = 0; i < others.size(); ++i) {
    if (others[i] == x.dim() - 1 || std::count(others.begin(), others.end(), others[i]) > 1)
      return {};  // an axis is transformed twice
  }
  const int64_t n = points(a.lengths[count - 1], 0);
  auto [half, all] = fft_r2c_to_unfold_cpu(tnp::fft_resize(x, -1, n), scale_of(norm, true, n));
  for (size_t i = count - 1; i-- > 0;) {
    Tensor next = complex_transform(half, a.lengths[i], a.dims[i], norm, true, true);
    if (!next.is_same(half)) all = Tensor();
    half = std::move(next);
  }
  return fft_unfold_half_cpu(half, all, n, others);
}

// `spare`: the caller is the only owner of `x`, so `x` may be overwritten.
Tensor over_axes(Tensor x, const Axes& a, size_t count, Norm norm, bool forward, bool spare = false) {
  if (forward) {
    if (Tensor done = real_over_axes(x, a, count, norm); done.defined()) return done;
  }
  for (size_t i = count; i-- > 0; spare = true) x = complex_transform(x, a.lengths[i], a.dims[i], norm, forward, spare);
  return x;
}

}  // namespace

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
  return real_forward(given(input), n, dim, parse_norm(norm));
}
Tensor irfft(const Tensor& input, std::optional<int64_t> n, int64_t dim, std::optional<std::string_view> norm) {
  return real_inverse(given(input), n, dim, parse_norm(norm));
}
Tensor hfft(const Tensor& input, std::optional<int64_t> n, int64_t dim, std::optional<std::string_view> norm) {
  return real_inverse(input.is_complex() ? tnp::conj(input) : given(input), n, dim, opposite(parse_norm(norm)));
}
Tensor ihfft(const Tensor& input, std::optional<int64_t> n, int64_t dim, std::optional<std::string_view> norm) {
  return tnp::conj(real_forward(given(input), n, dim, opposite(parse_norm(norm))));
}

Tensor fftn(const Tensor& input, OptIntList s, OptIntList dim, std::optional<std::string_view> norm) {
  Axes a = axes_of(input, s, dim);
  return over_axes(given(input), a, a.dims.size(), parse_norm(norm), true);
}
Tensor ifftn(const Tensor& input, OptIntList s, OptIntList dim, std::optional<std::string_view> norm) {
  Axes a = axes_of(input, s, dim);
  return over_axes(given(input), a, a.dims.size(), parse_norm(norm), false);
}
Tensor rfftn(const Tensor& input, OptIntList s, OptIntList dim, std::optional<std::string_view> norm) {
  Axes a = axes_of(input, s, dim);
  TNP_CHECK(!a.dims.empty(), ErrorKind::Index, "at least 1 axis must be transformed");
  Norm scaling = parse_norm(norm);
  Tensor x = real_forward(given(input), a.lengths.back(), a.dims.back(), scaling);
  return over_axes(x, a, a.dims.size() - 1, scaling, true, true);
}
Tensor irfftn(const Tensor& input, OptIntList s, OptIntList dim, std::optional<std::string_view> norm) {
  Axes a = axes_of(input, s, dim);
  TNP_CHECK(!a.dims.empty(), ErrorKind::Index, "at least 1 axis must be transformed");
  if (!s) a.lengths.back() = 2 * (input.size(a.dims.back()) - 1);
  Norm scaling = parse_norm(norm);
  Tensor x = over_axes(given(input), a, a.dims.size() - 1, scaling, false);
  return real_inverse(x, a.lengths.back(), a.dims.back(), scaling, a.dims.size() > 1);
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
  const Tensor x = tnp::conj(real_forward(given(input), a.lengths.back(), a.dims.back(), opposite(scaling)));
  return over_axes(x, a, a.dims.size() - 1, scaling, false, true);
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
