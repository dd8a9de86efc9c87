// Linear algebra on the LAPACK kernels. Vectors are passed as matrices with one column. Results
// that are only needed for gradients are not computed if no gradient is recorded.
#include <cmath>

#include "aten/core/needs_derivatives.h"
#include "aten/functions/arithmetic.h"
#include "aten/functions/comparison.h"
#include "aten/functions/copies.h"
#include "aten/functions/linalg.h"
#include "aten/functions/reductions.h"
#include "aten/functions/shape.h"
#include "aten/fusion/last_use.h"
#include "aten/meta/linalg_checks.h"
#include "aten/native_functions/linalg.h"

namespace tnp::native {

Tensor solve(const Tensor& input, const Tensor& other) {
  bool vector = other.dim() == 1;
  if (dialect().solves_stacks_of_vectors() && other.dim() == input.dim() - 1 && input.dim() >= 2) {
    vector = vector || IntList(other.sizes()) == IntList(input.sizes().subspan(0, input.sizes().size() - 1));
  }
  meta::check_square(input);
  if (!vector) return tnp::solve_stack(input, other);
  TNP_CHECK(other.size(-1) == input.size(-1), ErrorKind::Shape,
            "Input operand 1 has a mismatch in its core dimension 0, "
            "with gufunc signature (m,m),(m)->(m) (size ",
            other.size(-1), " is different from ", input.size(-1), ")");
  return tnp::squeeze(tnp::solve_stack(input, tnp::unsqueeze(other, -1)), IntList{-1});
}

namespace {

// Raises Domain if `driver` is given. PyTorch's `driver` selects among algorithms of cuSOLVER, and
// PyTorch rejects it on the CPU.
void check_driver(const std::optional<std::string_view>& driver) {
  TNP_CHECK(!driver, ErrorKind::Domain, "{driver} must be None: the choice of a cuSOLVER driver is not implemented");
}

}  // namespace

std::tuple<Tensor, Tensor, Tensor> linalg_svd(const Tensor& A, bool full_matrices,
                                              std::optional<std::string_view> driver) {
  check_driver(driver);
  return tnp::svd_stack(A, full_matrices, true);
}

Tensor svdvals(const Tensor& input, std::optional<std::string_view> driver) {
  check_driver(driver);
  // The gradient needs the singular vectors.
  return std::get<1>(tnp::svd_stack(input, false, needs_derivatives(input)));
}

namespace {

bool parse_uplo(std::string_view uplo) {
  TNP_CHECK(uplo == "L" || uplo == "U" || uplo == "l" || uplo == "u", ErrorKind::Domain,
            "UPLO argument must be 'L' or 'U'");
  return uplo == "U" || uplo == "u";
}

}  // namespace

std::tuple<Tensor, Tensor> eigh(const Tensor& input, std::string_view UPLO) {
  return tnp::eigh_stack(input, parse_uplo(UPLO), true);
}

Tensor eigvalsh(const Tensor& input, std::string_view UPLO) {
  return std::get<0>(tnp::eigh_stack(input, parse_uplo(UPLO), needs_derivatives(input)));
}

std::tuple<Tensor, Tensor> eig(const Tensor& input) { return tnp::eig_stack(input, true); }
Tensor eigvals(const Tensor& input) { return std::get<0>(tnp::eig_stack(input, needs_derivatives(input))); }

std::tuple<Tensor, Tensor> qr(const Tensor& input, std::string_view mode) {
  TNP_CHECK(mode == "reduced" || mode == "complete" || mode == "r", ErrorKind::Domain, "Unrecognized mode '", mode,
            "'");
  auto [q, r] = tnp::qr_stack(input, mode == "complete");
  return {mode == "r" ? empty_tensor({0}, r.dtype(), r.device()) : q, r};
}

// (sum |x|^ord)^(1/ord). For ord = 0 the result is the number of nonzero elements. For ord = inf it
// is the largest absolute value, and for ord = -inf the smallest.
Tensor vector_norm(const Tensor& input, double ord, OptIntList dim, bool keepdim) {
  Tensor x = is_integral(input.dtype()) ? tnp::cast(input, floating_dtype_of_integers()) : input;
  const ScalarType real_dtype = to_real(x.dtype());
  DimVector all;
  for (int64_t d = 0; d < x.dim(); ++d) all.push_back(d);
  OptIntList dims = dim ? dim : OptIntList(IntList(all));
  auto total = [&](const Tensor& t) {
    const fusion::LastUse last;
    return tnp::sum(t, dims, keepdim, real_dtype);
  };
  if (ord == 2) {
    if (!x.is_complex()) return tnp::sqrt(total(tnp::mul(x, x)));
    Tensor re = tnp::real(x), im = tnp::imag(x);
    return tnp::sqrt(total(tnp::add(tnp::mul(re, re), tnp::mul(im, im))));
  }
  Tensor size = tnp::abs(x);
  if (ord == 1) return total(size);
  if (ord == 0) return total(tnp::cast(tnp::ne(x, wrapped_number(Scalar(0))), real_dtype));
  if (std::isinf(ord) && ord > 0) {
    ReduceOptions options;
    if (dialect().largest_norm_of_nothing_is_zero()) options.initial = Scalar(0.0);
    return tnp::amax(size, dims, keepdim, options);
  }
  if (std::isinf(ord)) return tnp::amin(size, dims, keepdim);
  return tnp::pow(total(tnp::pow(size, wrapped_number(Scalar(ord)))), wrapped_number(Scalar(1 / ord)));
}

}  // namespace tnp::native
