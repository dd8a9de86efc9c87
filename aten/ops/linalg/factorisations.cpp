// PyTorch's matrix factorisations and solvers, on kernels that work on stacks of matrices.
#include <algorithm>
#include <cmath>
#include <limits>

#include "aten/core/needs_derivatives.h"
#include "aten/core/numbers/promotion.h"
#include "aten/core/threads/thread_state.h"
#include "aten/core/wrapped.h"
#include "aten/functions/arithmetic.h"
#include "aten/functions/comparison.h"
#include "aten/functions/copies.h"
#include "aten/functions/creation.h"
#include "aten/functions/factorisations.h"
#include "aten/functions/floating_point.h"
#include "aten/functions/indexing.h"
#include "aten/functions/joining.h"
#include "aten/functions/linalg.h"
#include "aten/functions/products.h"
#include "aten/functions/reductions.h"
#include "aten/functions/shape.h"
#include "aten/functions/sorting.h"
#include "aten/functions/transcendental.h"
#include "aten/iterator/copy.h"
#include "aten/meta/linalg_checks.h"
#include "aten/native_functions/factorisations.h"
#include "aten/native_functions/linalg.h"
#include "aten/ops/operators.h"

namespace tnp::native {

namespace {

Tensor matrix_transposed(const Tensor& t) { return tnp::transpose(t, -2, -1); }

Tensor identity(int64_t n, const Tensor& like) { return tnp::eye(n, std::nullopt, like.dtype(), like.device()); }

void check_same_dtype(const Tensor& a, const Tensor& b, const char* first, const char* second) {
  TNP_CHECK(a.dtype() == b.dtype(), ErrorKind::Dtype, "{", first, "} and {", second, "} must have the same dtype, got ",
            a.dtype(), " and ", b.dtype());
}

// Raises an error if any element of `info` (LAPACK's status, one per matrix) is not 0. If `info` is
// on a GPU, waits for the GPU.
void check_info(const Tensor& info, const char* message, ErrorKind kind = ErrorKind::LinAlg) {
  if (info.device().is_meta()) return;
  if (is_wrapped(info)) return check_info(wrapped_parts(info).parts.at(0), message, kind);  // of a whole batch
  const Tensor dense = tnp::reshape(tnp::to(info, std::optional(Device())), {-1});
  for (int64_t i = 0; i < dense.numel(); ++i) TNP_CHECK(dense.data_ptr<int32_t>()[i] == 0, kind, message);
}
constexpr const char *kSingular = "the factor U is singular: a pivot is zero", *kSingularD = "the factor D is singular",
                     *kNotDefinite = "the matrix is not positive definite";

void check_pivoting(const Tensor& A, bool pivot) {
  TNP_CHECK(pivot || !A.device().is_cpu(), ErrorKind::Domain,
            "{pivot} must be True: LU factorisation without pivots is on GPUs only");
}

// Permutes the rows of `x` (..., m, k) by `order` (..., m). The leading axes of both broadcast.
Tensor rows_in_order(const Tensor& x, const Tensor& order) {
  const IntList own = IntList(x.sizes().first(static_cast<size_t>(x.dim() - 2)));
  const IntList others = IntList(order.sizes().first(static_cast<size_t>(order.dim() - 1)));
  DimVector sizes = broadcast_shapes(own, others);
  sizes.push_back(x.size(-2)), sizes.push_back(x.size(-1));
  return tnp::gather(tnp::expand(x, sizes), -2, tnp::expand(tnp::unsqueeze(order, -1), sizes));
}

// Returns the permutation matrix P with P Y = X, where Y contains the rows of X in the order
// `order`.
Tensor permutation_matrix(const Tensor& order, ScalarType dtype) {
  const Tensor places = tnp::unsqueeze(tnp::arange(Scalar(order.size(-1)), ScalarType::Int64, order.device()), -1);
  return tnp::cast(tnp::eq(places, tnp::unsqueeze(order, -2)), dtype);
}

std::tuple<Tensor, Tensor> unpacked(const Tensor& lu) {
  const int64_t k = std::min(lu.size(-2), lu.size(-1));
  const Tensor l = tnp::tril(tnp::narrow(lu, -1, 0, k), -1), u = tnp::triu(tnp::narrow(lu, -2, 0, k), 0);
  return {l + tnp::eye(lu.size(-2), k, lu.dtype(), lu.device()), u};
}

Tensor solve_triangle(const Tensor& A, const Tensor& B, bool upper, bool left, bool unit) {
  if (left) return tnp::solve_triangular_stack(A, B, upper, unit);
  return matrix_transposed(tnp::solve_triangular_stack(matrix_transposed(A), matrix_transposed(B), !upper, unit));
}

}  // namespace

// --------------------------------------------------------------------------------------------- LU

std::tuple<Tensor, Tensor, Tensor> linalg_lu_factor_ex(const Tensor& A, bool pivot, bool check_errors) {
  check_pivoting(A, pivot);
  auto factors = tnp::lu_factor_stack(A, pivot);
  if (check_errors) check_info(std::get<2>(factors), kSingular, ErrorKind::Runtime);
  return factors;
}

std::tuple<Tensor, Tensor> linalg_lu_factor(const Tensor& A, bool pivot) {
  auto [lu, pivots, info] = native::linalg_lu_factor_ex(A, pivot, true);
  return {lu, pivots};
}

std::tuple<Tensor, Tensor, Tensor> linalg_lu(const Tensor& A, bool pivot) {
  auto [lu, pivots, info] = native::linalg_lu_factor_ex(A, pivot, false);
  return native::lu_unpack(lu, pivots, true, pivot);
}

std::tuple<Tensor, Tensor, Tensor> lu_unpack(const Tensor& LU_data, const Tensor& LU_pivots, bool unpack_data,
                                             bool unpack_pivots) {
  meta::check_matrices(LU_data);
  TNP_CHECK(LU_pivots.dtype() == ScalarType::Int32, ErrorKind::Dtype, "{LU_pivots} must be of int32, got ",
            LU_pivots.dtype());
  if (unpack_pivots) {
    DimVector expected(IntList(LU_data.sizes().first(static_cast<size_t>(LU_data.dim() - 1))));
    expected.back() = std::min(LU_data.size(-2), LU_data.size(-1));
    TNP_CHECK(IntList(LU_pivots.sizes()) == IntList(expected), ErrorKind::Value, "{LU_pivots} must have the shape ",
              IntList(expected), ", got ", LU_pivots.sizes());
  }
  const Tensor none = empty_tensor({0}, LU_data.dtype(), LU_data.device());
  Tensor p = none, l = none, u = none;
  if (unpack_data) std::tie(l, u) = unpacked(LU_data);
  if (unpack_pivots) p = permutation_matrix(tnp::lu_permutation(LU_pivots, LU_data.size(-2)), LU_data.dtype());
  return {p, l, u};
}

std::vector<Tensor> lu(const Tensor& input, bool pivot, bool get_infos) {
  auto [factors, pivots, info] = native::linalg_lu_factor_ex(input, pivot, !get_infos);
  if (get_infos) return {factors, pivots, info};
  return {factors, pivots};
}

// Solves A X = B or X A = B for A = P L U, or for its adjoint.
Tensor linalg_lu_solve(const Tensor& LU, const Tensor& pivots, const Tensor& B, bool left, bool adjoint) {
  meta::check_square(LU);
  meta::check_matrices(B);
  check_same_dtype(LU, B, "LU", "B");
  TNP_CHECK(pivots.dtype() == ScalarType::Int32, ErrorKind::Dtype, "{pivots} must be of int32, got ", pivots.dtype());
  TNP_CHECK(IntList(pivots.sizes()) == IntList(LU.sizes().first(static_cast<size_t>(LU.dim() - 1))), ErrorKind::Shape,
            "{pivots} of shape ", pivots.sizes(), " do not fit {LU} of shape ", LU.sizes());
  TNP_CHECK(B.size(left ? -2 : -1) == LU.size(-1), ErrorKind::Shape, "{LU} of shape ", LU.sizes(), " and {B} of shape ",
            B.sizes(), " do not fit");
  // X A = B is equivalent to A^H X^H = B^H.
  if (!left) return tnp::adjoint(native::linalg_lu_solve(LU, pivots, tnp::adjoint(B), true, !adjoint));
  const Tensor order = tnp::lu_permutation(pivots, LU.size(-1));
  if (!adjoint) {
    const Tensor y = tnp::solve_triangular_stack(LU, rows_in_order(B, order), false, true);
    return tnp::solve_triangular_stack(LU, y, true, false);
  }
  const Tensor h = tnp::adjoint(LU);
  const Tensor y = tnp::solve_triangular_stack(h, B, false, false);
  return rows_in_order(tnp::solve_triangular_stack(h, y, true, true), tnp::argsort(order, -1));
}

Tensor lu_solve(const Tensor& input, const Tensor& LU_data, const Tensor& LU_pivots) {
  return native::linalg_lu_solve(LU_data, LU_pivots, input, true, false);
}

// ----------------------------------------------------------------------------- solving, inverting

namespace {

// Whether `B` is a vector or a stack of vectors (not a stack of matrices), for a stack `A` of
// matrices.
bool is_vector(const Tensor& A, const Tensor& B) {
  return B.dim() == 1 ||
         (B.dim() + 1 == A.dim() && IntList(B.sizes()) == IntList(A.sizes().first(static_cast<size_t>(A.dim() - 1))));
}

void check_system(const Tensor& A, const Tensor& B, bool left, bool vector) {
  meta::check_square(A);
  check_same_dtype(A, B, "A", "B");
  meta::linalg_dtype(A);
  TNP_CHECK(left || !vector, ErrorKind::Shape, "{B} must be of matrices unless {left}, got shape ", B.sizes());
  if (!vector) meta::check_matrices(B);
  TNP_CHECK(B.size(vector || !left ? -1 : -2) == A.size(-1), ErrorKind::Shape, "{A} of shape ", A.sizes(),
            " and {B} of shape ", B.sizes(), " do not fit");
}

}  // namespace

Tensor linalg_solve(const Tensor& A, const Tensor& B, bool left) {
  const bool vector = is_vector(A, B);
  check_system(A, B, left, vector);
  if (!left) return matrix_transposed(tnp::solve_stack(matrix_transposed(A), matrix_transposed(B)));
  if (!vector) return tnp::solve_stack(A, B);
  return tnp::squeeze(tnp::solve_stack(A, tnp::unsqueeze(B, -1)), IntList{-1});
}

std::tuple<Tensor, Tensor> linalg_solve_ex(const Tensor& A, const Tensor& B, bool left, bool check_errors) {
  const bool vector = is_vector(A, B);
  check_system(A, B, left, vector);
  auto [lu, pivots, info] = native::linalg_lu_factor_ex(A, true, false);
  if (check_errors) check_info(info, "the solver failed because the input matrix is singular");
  if (!vector) return {native::linalg_lu_solve(lu, pivots, B, left, false), info};
  return {tnp::squeeze(native::linalg_lu_solve(lu, pivots, tnp::unsqueeze(B, -1), true, false), IntList{-1}), info};
}

std::tuple<Tensor, Tensor> linalg_inv_ex(const Tensor& A, bool check_errors) {
  meta::check_square(A);
  return native::linalg_solve_ex(A, tnp::expand(identity(A.size(-1), A), A.sizes()), true, check_errors);
}

Tensor inverse(const Tensor& input) { return tnp::inv(input); }

Tensor linalg_solve_triangular(const Tensor& A, const Tensor& B, bool upper, bool left, bool unitriangular) {
  meta::check_square(A);
  meta::check_matrices(B);
  TNP_CHECK(B.size(left ? -2 : -1) == A.size(-1), ErrorKind::Shape, "{A} of shape ", A.sizes(), " and {B} of shape ",
            B.sizes(), " do not fit");
  return solve_triangle(A, B, upper, left, unitriangular);
}

std::tuple<Tensor, Tensor> triangular_solve(const Tensor& input, const Tensor& A, bool upper, bool transpose,
                                            bool unitriangular) {
  meta::check_square(A);
  meta::check_matrices(input);
  check_same_dtype(input, A, "input", "A");
  const Tensor a = transpose ? matrix_transposed(A) : A;
  const Tensor x = tnp::solve_triangular_stack(a, input, upper != transpose, unitriangular);
  DimVector sizes(x.sizes());
  sizes.back() = A.size(-1);
  return {x, tnp::clone(tnp::expand(A, sizes))};
}

std::tuple<Tensor, Tensor> linalg_cholesky_ex(const Tensor& A, bool upper, bool check_errors) {
  auto factors = tnp::cholesky_stack(A, upper);
  if (check_errors) check_info(std::get<1>(factors), kNotDefinite);
  return factors;
}

Tensor cholesky_inverse(const Tensor& input, bool upper) {
  meta::check_square(input);
  const Tensor w =
      tnp::solve_triangular_stack(input, tnp::expand(identity(input.size(-1), input), input.sizes()), upper, false);
  return upper ? tnp::matmul(w, tnp::adjoint(w)) : tnp::matmul(tnp::adjoint(w), w);
}

Tensor cholesky_solve(const Tensor& input, const Tensor& L, bool upper) {
  meta::check_square(L);
  meta::check_matrices(input);
  check_same_dtype(input, L, "input", "L");
  const Tensor h = tnp::adjoint(L);
  return upper ? tnp::solve_triangular_stack(L, tnp::solve_triangular_stack(h, input, false, false), true, false)
               : tnp::solve_triangular_stack(h, tnp::solve_triangular_stack(L, input, false, false), true, false);
}

std::tuple<Tensor, Tensor, Tensor> linalg_ldl_factor_ex(const Tensor& A, bool hermitian, bool check_errors) {
  auto factors = tnp::ldl_factor_stack(A, hermitian);
  if (check_errors) check_info(std::get<2>(factors), kSingularD, ErrorKind::Runtime);
  return factors;
}

std::tuple<Tensor, Tensor> linalg_ldl_factor(const Tensor& A, bool hermitian) {
  auto [factors, pivots, info] = native::linalg_ldl_factor_ex(A, hermitian, true);
  return {factors, pivots};
}

Tensor linalg_ldl_solve(const Tensor& LD, const Tensor& pivots, const Tensor& B, bool hermitian) {
  meta::check_square(LD);
  meta::check_matrices(B);
  check_same_dtype(LD, B, "LD", "B");
  TNP_CHECK(is_integral(pivots.dtype()) && pivots.dtype() != ScalarType::Bool, ErrorKind::Dtype,
            "{pivots} must be of integers, got ", pivots.dtype());
  return tnp::ldl_solve_stack(LD, pivots, B, hermitian);
}

namespace {

// The results that a driver of lstsq returns.
struct Driver {
  bool finds_rank = true, has_singular_values = false, has_residuals = true;
};
Driver parse_driver(std::optional<std::string_view> name, bool cpu) {
  if (!name) return {cpu, false, !cpu};
  TNP_CHECK(*name == "gels" || (cpu && (*name == "gelsy" || *name == "gelsd" || *name == "gelss")), ErrorKind::Domain,
            "{driver} must be one of 'gels', 'gelsy', 'gelsd' and 'gelss', on a GPU 'gels', got '", *name, "'");
  return {*name != "gels", *name == "gelsd" || *name == "gelss", *name != "gelsy"};
}

double epsilon(ScalarType dtype) {
  return to_real(dtype) == ScalarType::Float32 ? static_cast<double>(std::numeric_limits<float>::epsilon())
                                               : std::numeric_limits<double>::epsilon();
}

}  // namespace

std::tuple<Tensor, Tensor, Tensor, Tensor> linalg_lstsq(const Tensor& A, const Tensor& B, std::optional<double> rcond,
                                                        std::optional<std::string_view> driver) {
  meta::check_matrices(A);
  check_same_dtype(A, B, "A", "B");
  TNP_CHECK(!is_integral(A.dtype()) && !is_reduced_float(A.dtype()), ErrorKind::Dtype,
            "{A} must be of float32, float64 or complex numbers, got ", A.dtype());
  const ScalarType dtype = A.dtype();
  TNP_CHECK(B.dim() >= 1, ErrorKind::Shape, "{B} must have at least 1 dimension");
  const Driver kind = parse_driver(driver, !A.device().is_cuda());
  const bool vector =
      B.dim() + 1 == A.dim() && IntList(B.sizes()) == IntList(A.sizes().first(static_cast<size_t>(A.dim() - 1)));
  TNP_CHECK(vector || B.dim() >= 2, ErrorKind::Shape, "{A} of shape ", A.sizes(), " and {B} of shape ", B.sizes(),
            " do not fit");
  const Tensor b = vector ? tnp::unsqueeze(B, -1) : B;
  const int64_t m = A.size(-2), n = A.size(-1), k = b.size(-1);
  TNP_CHECK(b.size(-2) == m, ErrorKind::Shape, "{A} of shape ", A.sizes(), " and {B} of shape ", B.sizes(),
            " do not fit");
  const DimVector stack = broadcast_shapes(meta::stack_of(A), meta::stack_of(b));
  const int64_t count = numel_of(stack);
  const Tensor as = tnp::reshape(tnp::expand(A, meta::stacked(stack, {m, n})), {count, m, n});
  const Tensor bs = tnp::reshape(tnp::expand(b, meta::stacked(stack, {m, k})), {count, m, k});
  const double threshold = rcond.value_or(epsilon(dtype) * static_cast<double>(std::max(m, n)));
  std::vector<Tensor> solutions, rests, ranks, values;
  for (int64_t i = 0; i < count; ++i) {
    const NoGradGuard no_grad;
    auto [x, rest, rank, s] =
        tnp::lstsq_stack(tnp::select(as, 0, i), tnp::select(bs, 0, i), kind.finds_rank ? threshold : 0.0);
    solutions.push_back(x), ranks.push_back(rank), values.push_back(s);
    rests.push_back(tnp::sum(tnp::square(tnp::abs(rest)), IntList{0}, false, std::nullopt));
  }
  const Tensor none_real = empty_tensor({0}, to_real(dtype), A.device());
  auto together = [&](const std::vector<Tensor>& parts, IntList tail, ScalarType type) {
    const DimVector sizes = meta::stacked(stack, tail);
    if (parts.empty()) return tnp::zeros(sizes, type, A.device());
    return tnp::reshape(tnp::stack(parts, 0), sizes);
  };
  Tensor solution = together(solutions, {n, k}, dtype);
  const bool differentiable = grad_enabled() && (A.requires_grad() || B.requires_grad());
  if (differentiable) solution = tnp::matmul(native::pinverse(A, threshold), b);
  const Tensor columns = solution;
  if (vector) solution = tnp::squeeze(solution, IntList{-1});
  // The rank and the singular values have A's own stack, before it is broadcast.
  auto of_each_a = [&](const std::vector<Tensor>& parts, IntList tail, ScalarType type) {
    const DimVector own = meta::stack_of(A), sizes = meta::stacked(own, tail);
    if (parts.empty()) return tnp::zeros(sizes, type, A.device());
    Tensor each = together(parts, tail, type);
    const int64_t lead = static_cast<int64_t>(stack.size()) - static_cast<int64_t>(own.size());
    for (int64_t d = 0; d < static_cast<int64_t>(stack.size()); ++d)
      if (d < lead || own[static_cast<size_t>(d - lead)] == 1) each = tnp::narrow(each, d, 0, 1);
    return tnp::reshape(each, sizes);
  };
  const Tensor rank = tnp::cast(of_each_a(ranks, {}, ScalarType::Int32), ScalarType::Int64);
  bool full = m > n && kind.has_residuals;
  if (full && kind.finds_rank && !A.device().is_meta()) {
    for (const Tensor& r : ranks) full = full && r.item<int64_t>() == n;
  }
  Tensor residuals = full ? together(rests, {k}, to_real(dtype)) : none_real;
  if (full && differentiable)
    residuals = tnp::sum(tnp::square(tnp::abs(tnp::matmul(A, columns) - b)), IntList{-2}, false, std::nullopt);
  return {solution, residuals, kind.finds_rank ? rank : empty_tensor({0}, ScalarType::Int64, A.device()),
          kind.has_singular_values ? of_each_a(values, {std::min(m, n)}, to_real(dtype)) : none_real};
}

// ------------------------------------------------------------------------ Householder reflections

std::tuple<Tensor, Tensor> geqrf(const Tensor& input) {
  auto [h, tau] = tnp::qr_raw_stack(input);
  return {matrix_transposed(h), tau};
}

namespace {

// A product Q of Householder reflections in compact form: Q = I - V T V^H with T = (I + D S)^-1 D.
// D is diag(tau), and S is the part of V^H V above the diagonal.
struct Reflections {
  Tensor v, t;
};
Reflections reflections_of(const Tensor& input, const Tensor& tau) {
  const int64_t k = tau.size(-1);
  const Tensor v =
      tnp::tril(tnp::narrow(input, -1, 0, k), -1) + tnp::eye(input.size(-2), k, input.dtype(), input.device());
  const Tensor one = identity(k, input), d = tnp::unsqueeze(tau, -1);
  const Tensor s = tnp::triu(tnp::matmul(tnp::adjoint(v), v), 1);
  return {v, tnp::solve_triangular_stack(d * s, d * one, true, true)};
}

void check_reflections(const Tensor& input, const Tensor& tau) {
  meta::check_matrices(input);
  check_same_dtype(input, tau, "input", "tau");
  meta::linalg_dtype(input);
  TNP_CHECK(tau.dim() == input.dim() - 1 &&
                IntList(tau.sizes().first(static_cast<size_t>(tau.dim() - 1))) == meta::stack_of(input),
            ErrorKind::Shape, "{tau} of shape ", tau.sizes(), " does not fit matrices of shape ", input.sizes());
  TNP_CHECK(tau.size(-1) <= input.size(-1), ErrorKind::Shape, "{tau} of shape ", tau.sizes(),
            " has more elements than the matrices of shape ", input.sizes(), " columns");
}

}  // namespace

Tensor linalg_householder_product(const Tensor& A, const Tensor& tau) {
  check_reflections(A, tau);
  const int64_t m = A.size(-2), n = A.size(-1);
  TNP_CHECK(m >= n, ErrorKind::Shape, "matrices must have at least as many rows as columns, got shape ", A.sizes());
  const Tensor one = tnp::eye(m, n, A.dtype(), A.device());
  const Reflections q = reflections_of(A, tau);
  return one - tnp::matmul(q.v, tnp::matmul(q.t, tnp::adjoint(tnp::narrow(q.v, -2, 0, n))));
}

Tensor orgqr(const Tensor& input, const Tensor& tau) { return native::linalg_householder_product(input, tau); }

Tensor ormqr(const Tensor& input, const Tensor& tau, const Tensor& other, bool left, bool transpose) {
  check_reflections(input, tau);
  meta::check_matrices(other);
  check_same_dtype(input, other, "input", "other");
  TNP_CHECK(other.dim() == input.dim() && other.size(left ? -2 : -1) == input.size(-2), ErrorKind::Shape,
            "{other} of shape ", other.sizes(), " does not fit {input} of shape ", input.sizes());
  TNP_CHECK(tau.size(-1) <= input.size(-2), ErrorKind::Shape, "{tau} of shape ", tau.sizes(),
            " has more elements than {input} of shape ", input.sizes(), " rows");
  const Reflections q = reflections_of(input, tau);
  const Tensor t = transpose ? tnp::adjoint(q.t) : q.t, h = tnp::adjoint(q.v);
  return left ? other - tnp::matmul(q.v, tnp::matmul(t, tnp::matmul(h, other)))
              : other - tnp::matmul(tnp::matmul(tnp::matmul(other, q.v), t), h);
}

// -------------------------------------------------------------------------- functions of matrices

namespace {

Tensor largest_column_sum(const Tensor& a) {
  return tnp::amax(tnp::sum(tnp::abs(a), IntList{-2}, false, std::nullopt), IntList{-1}, false);
}

// The coefficients of the numerators of Pade approximants of e^x, of degrees 3, 5, 7, 9 and 13.
constexpr double kPade3[] = {120, 60, 12, 1};
constexpr double kPade5[] = {30240, 15120, 3360, 420, 30, 1};
constexpr double kPade7[] = {17297280, 8648640, 1995840, 277200, 25200, 1512, 56, 1};
constexpr double kPade9[] = {17643225600, 8821612800, 2075673600, 302702400, 30270240, 2162160, 110880, 3960, 90, 1};
constexpr double kPade13[] = {64764752532480000,
                              32382376266240000,
                              7771770303897600,
                              1187353796428800,
                              129060195264000,
                              10559470521600,
                              670442572800,
                              33522128640,
                              1323241920,
                              40840800,
                              960960,
                              16380,
                              182,
                              1};

// Each approximant is exact to the dtype's precision for matrices whose norm is at most `reach`
// (Higham's table 2.3).
struct Approximant {
  const double* coefficients;
  int degree;
  double reach;
};
constexpr Approximant kDouble[] = {{kPade3, 3, 1.495585217958292e-2},
                                   {kPade5, 5, 2.539398330063230e-1},
                                   {kPade7, 7, 9.504178996162932e-1},
                                   {kPade9, 9, 2.097847961257068},
                                   {kPade13, 13, 5.371920351148152}};
constexpr Approximant kSingle[] = {
    {kPade3, 3, 4.258730016922831e-1}, {kPade5, 5, 1.880152677804762}, {kPade7, 7, 3.925724783138660}};

// The Pade approximant of e^A is (V - U)^-1 (V + U), where U contains the odd powers of A and V the
// even powers.
Tensor approximant(const Tensor& a, const Approximant& pade) {
  const double* b = pade.coefficients;
  const Tensor one = identity(a.size(-1), a), a2 = tnp::matmul(a, a);
  auto times = [](const Tensor& t, double factor) { return t * Scalar(factor); };
  Tensor even = times(one, b[0]), odd = times(one, b[1]);
  if (pade.degree < 13) {
    Tensor power = a2;
    for (int i = 2; i <= pade.degree; i += 2) {
      if (i > 2) power = tnp::matmul(power, a2);
      even = even + times(power, b[i]);
      odd = odd + times(power, b[i + 1]);
    }
  } else {
    const Tensor a4 = tnp::matmul(a2, a2), a6 = tnp::matmul(a4, a2);
    even = even + times(a2, b[2]) + times(a4, b[4]) + times(a6, b[6]) +
           tnp::matmul(a6, times(a2, b[8]) + times(a4, b[10]) + times(a6, b[12]));
    odd = odd + times(a2, b[3]) + times(a4, b[5]) + times(a6, b[7]) +
          tnp::matmul(a6, times(a2, b[9]) + times(a4, b[11]) + times(a6, b[13]));
  }
  const Tensor u = tnp::matmul(a, odd);
  return tnp::solve_stack(even - u, even + u);
}

}  // namespace

// Scaling and squaring. The norm of each matrix determines how often the matrix is halved. All
// matrices of the stack use the same approximant, chosen for the largest norm.
Tensor matrix_exp_stack(const Tensor& input) {
  if (input.numel() == 0 || input.device().is_meta()) return tnp::clone(input);
  const bool single = to_real(input.dtype()) == ScalarType::Float32;
  const std::span<const Approximant> table = single ? std::span<const Approximant>(kSingle) : kDouble;
  const Tensor norms = largest_column_sum(input);
  const double largest = tnp::max(norms).item<double>();
  if (!std::isfinite(largest)) {
    // `bad` is NaN for each matrix that contains infinities or NaNs, and 0 for all other matrices
    const Tensor bad = tnp::unsqueeze(tnp::unsqueeze(norms - norms, -1), -1);
    if (norms.numel() == 1) return input * Scalar(0.0) + bad;
    return tnp::where(tnp::isnan(bad), tnp::cast(bad, input.dtype()),
                      native::matrix_exp_stack(tnp::where(tnp::isnan(bad), tnp::zeros_like(input), input)));
  }
  for (const Approximant& pade : table)
    if (largest <= pade.reach) return approximant(input, pade);
  const Approximant& last = table.back();
  const int most = std::max(0, static_cast<int>(std::ceil(std::log2(largest / last.reach))));
  // The number of halvings per matrix. Counted by comparing the norm with multiples of powers of
  // two, since a logarithm would be rounded.
  Tensor halvings = tnp::zeros_like(norms);
  for (int i = 0; i < most; ++i)
    halvings = halvings + tnp::cast(tnp::gt(norms, wrapped_number(Scalar(std::ldexp(last.reach, i)))), norms.dtype());
  auto as_matrix = [](const Tensor& t) { return tnp::unsqueeze(tnp::unsqueeze(t, -1), -1); };
  const Tensor scale = tnp::exp2(-halvings);
  Tensor result = approximant(input * as_matrix(scale), last);
  for (int i = 0; i < most; ++i) {
    const Tensor wanted = as_matrix(tnp::gt(halvings, wrapped_number(Scalar(static_cast<double>(i)))));
    const Tensor squared = tnp::matmul(result, result);
    result = norms.numel() == 1 ? squared : tnp::where(wanted, squared, result);
  }
  return result;
}

// The derivative of exp at A in the direction E is the upper right block of exp of [[A, E], [0,
// A]]. The adjoint of this derivative, which the gradient needs, is the derivative at A^H.
Tensor matrix_exp_backward(const Tensor& grad, const Tensor& input) {
  const Tensor h = tnp::adjoint(input), zero = tnp::zeros_like(h);
  const Tensor upper[] = {h, grad}, lower[] = {zero, h};
  const Tensor rows[] = {tnp::cat(upper, -1), tnp::cat(lower, -1)};
  const int64_t n = input.size(-1);
  return tnp::narrow(tnp::narrow(tnp::matrix_exp_stack(tnp::cat(rows, -2)), -2, 0, n), -1, n, n);
}

Tensor matrix_exp(const Tensor& input) {
  meta::check_square(input);
  meta::linalg_dtype(input);
  return tnp::matrix_exp_stack(input);
}

Tensor linalg_matrix_exp(const Tensor& A) { return native::matrix_exp(A); }

Tensor linalg_matrix_sqrth(const Tensor& A) {
  auto [values, vectors] = tnp::eigh_stack(A, false, true);
  const Tensor roots = tnp::sqrt(tnp::clamp_min(values, Scalar(0.0)));
  return tnp::matmul(vectors * tnp::unsqueeze(roots, -2), tnp::adjoint(vectors));
}

std::tuple<Tensor, Tensor> linalg_polar(const Tensor& A) {
  auto [u, s, vh] = tnp::svd_stack(A, false, true);
  return {tnp::matmul(u, vh), tnp::matmul(tnp::adjoint(vh), tnp::unsqueeze(s, -1) * vh)};
}

Tensor logdet(const Tensor& input) {
  meta::check_square(input);
  auto [sign, logabsdet] = tnp::slogdet(input);
  return tnp::log(sign) + logabsdet;
}

Tensor _pinv_of(const Tensor&, const Tensor& inverse) { return tnp::clone(inverse); }

Tensor pinverse(const Tensor& input, double rcond) {
  meta::check_matrices(input);
  const int64_t m = input.size(-2), n = input.size(-1);
  if (std::min(m, n) == 0) return tnp::clone(matrix_transposed(input));
  if (compute_requires_grad(input)) {
    Tensor inverse;
    {
      const NoGradGuard no_grad;
      inverse = native::pinverse(input, rcond);
    }
    return tnp::_pinv_of(input, inverse);
  }
  auto [u, s, vh] = tnp::svd_stack(input, false, true);
  const Tensor threshold = tnp::narrow(s, -1, 0, 1) * Scalar(rcond);
  const Tensor kept = tnp::gt(s, threshold);
  const Tensor inverted = tnp::where(kept, tnp::reciprocal(tnp::where(kept, s, tnp::ones_like(s))), tnp::zeros_like(s));
  return tnp::matmul(tnp::adjoint(vh) * tnp::unsqueeze(inverted, -2), tnp::adjoint(u));
}

// By repeated squaring: one product per bit of |n|, and one more for each set bit.
Tensor matrix_power(const Tensor& input, int64_t n) {
  meta::check_square(input);
  if (n == 0) {
    const Tensor one = tnp::expand(identity(input.size(-1), input), input.sizes());
    // The result has the history of the input, whose gradient is zero.
    return needs_derivatives(input) ? tnp::copy_(tnp::clone(input), one) : tnp::clone(one);
  }
  if (n == 1) return tnp::clone(input);
  Tensor result, power = n < 0 ? tnp::inv(input) : input;
  uint64_t left = n < 0 ? uint64_t{0} - static_cast<uint64_t>(n) : static_cast<uint64_t>(n);
  for (;;) {
    if (left % 2 == 1) result = result.defined() ? tnp::matmul(result, power) : power;
    left /= 2;
    if (left == 0) return result;
    power = tnp::matmul(power, power);
  }
}

std::tuple<Tensor, Tensor, Tensor> svd(const Tensor& input, bool some, bool compute_uv) {
  meta::check_matrices(input);
  if (!compute_uv) {
    const Tensor s = tnp::svdvals(input, std::nullopt);
    auto zeros = [&](int64_t n) { return tnp::zeros(meta::stacked(input, {n, n}), input.dtype(), input.device()); };
    return {zeros(input.size(-2)), s, zeros(input.size(-1))};
  }
  auto [u, s, vh] = tnp::svd_stack(input, !some, true);
  return {u, s, tnp::adjoint(vh)};
}

Tensor linalg_tensorinv(const Tensor& A, int64_t ind) {
  TNP_CHECK(ind > 0, ErrorKind::Shape, "{ind} must be above 0, got ", ind);
  const int64_t first = std::min(ind, A.dim());
  DimVector rows(A.sizes().first(static_cast<size_t>(first))), sizes(A.sizes().subspan(static_cast<size_t>(first)));
  const int64_t n = numel_of(rows);
  TNP_CHECK(n == numel_of(sizes), ErrorKind::Shape, "the product of the first ", ind, " sizes of {A} ", A.sizes(),
            " must be that of the others");
  sizes.append(rows);
  return tnp::reshape(tnp::inv(tnp::reshape(A, {n, n})), sizes);
}

Tensor linalg_tensorsolve(const Tensor& A, const Tensor& B, OptIntList dims) {
  Tensor a = A;
  if (dims) {
    DimVector to;
    const auto count = static_cast<int64_t>(dims->size());
    for (int64_t i = 0; i < count; ++i) to.push_back(A.dim() - count + i);
    a = tnp::movedim(A, *dims, to);
  }
  TNP_CHECK(B.dim() <= a.dim(), ErrorKind::Shape, "{A} of shape ", A.sizes(), " has fewer axes than {B} of shape ",
            B.sizes());
  const DimVector sizes(a.sizes().subspan(static_cast<size_t>(B.dim())));
  const int64_t n = numel_of(sizes);
  TNP_CHECK(B.numel() == n && a.numel() == n * n, ErrorKind::Shape, "{A} of shape ", A.sizes(),
            " is not square for {B} of shape ", B.sizes());
  return tnp::reshape(native::linalg_solve(tnp::reshape(a, {n, n}), tnp::reshape(B, {n}), true), sizes);
}

}  // namespace tnp::native
