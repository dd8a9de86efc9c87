// Derivatives of matrix factorisations.
//
// Sources: Giles, "Collected matrix derivative results for forward and reverse mode algorithmic
// differentiation" (2008); Seeger et al., "Auto-differentiating linear algebra", arXiv:1710.08717;
// Boeddeker et al., arXiv:1701.00392 (complex). Conventions: A is the factorised matrix and L the
// loss. X^H is the adjoint of X. gX is the gradient of X: dL is the real inner product of gX and
// dX.
#include "aten/autograd/formulas_factor.h"
#include "aten/autograd/formulas_linalg.h"
#include "aten/autograd/formulas_pointwise.h"
#include "aten/functions/arithmetic.h"
#include "aten/functions/comparison.h"
#include "aten/functions/copies.h"
#include "aten/functions/creation.h"
#include "aten/functions/factorisations.h"
#include "aten/functions/indexing.h"
#include "aten/functions/joining.h"
#include "aten/functions/linalg.h"
#include "aten/functions/products.h"
#include "aten/functions/reductions.h"
#include "aten/functions/shape.h"
#include "aten/functions/sorting.h"

namespace tnp::formulas {

namespace {

Tensor number(double v) { return wrapped_number(Scalar(v)); }
Tensor plus(const Tensor& a, const Tensor& b) { return !a.defined() ? b : !b.defined() ? a : add(a, b); }
Tensor minus(const Tensor& a, const Tensor& b) { return !b.defined() ? a : !a.defined() ? neg(b) : sub(a, b); }
Tensor multiply(const Tensor& a, const Tensor& b) { return a.defined() && b.defined() ? matmul(a, b) : Tensor(); }

Tensor identity_like(const Tensor& t, int64_t n) { return eye(n, std::nullopt, to_real(t.dtype()), t.device()); }
Tensor main_diagonal(const Tensor& t) { return diagonal(t, 0, -2, -1); }
Tensor embed(const Tensor& d) { return mul(unsqueeze(d, -1), identity_like(d, d.size(-1))); }
Tensor halve_diagonal(const Tensor& t) {
  return mul(t, sub(number(1), mul(number(0.5), identity_like(t, t.size(-1)))));
}
Tensor skew(const Tensor& t) { return sub(t, adjoint(t)); }

// Solves Y B = Z for Y.
Tensor solve_right(const Tensor& b, const Tensor& z) { return adjoint(solve_stack(adjoint(b), adjoint(z))); }

// For a function that reads only one triangle of a symmetric matrix. Adds the gradient of each
// element outside of the triangle to the gradient of its mirror element.
Tensor into_triangle(const Tensor& g, bool upper) {
  Tensor both = add(g, adjoint(g));
  return add(upper ? triu(both, 1) : tril(both, -1), embed(real_part(main_diagonal(g))));
}

// 1 / (x_j - x_i) with 0 on the diagonal.
Tensor inverse_differences(const Tensor& x) {
  Tensor one = identity_like(x, x.size(-1));
  return mul(reciprocal(add(sub(unsqueeze(x, -2), unsqueeze(x, -1)), one)), sub(number(1), one));
}

}  // namespace

// A X = B: gB = A^-H gX, gA = -gB X^H.
Tensor solve_input_backward(const Tensor& grad, const Tensor& input, const Tensor& result) {
  return neg(matmul(solve_stack(adjoint(input), grad), adjoint(result)));
}

Tensor inv_backward(const Tensor& grad, const Tensor& result) {
  Tensor h = adjoint(result);
  return neg(matmul(h, matmul(grad, h)));
}

// dP = -P dA P + P P^H dA^H (I - A P) + (I - P A) dA^H P^H P for the pseudo-inverse P of A.
Tensor pinv_backward(const Tensor& grad, const Tensor& input, const Tensor& result) {
  const Tensor h = adjoint(result), g = adjoint(grad);
  const Tensor left = matmul(matmul(g, result), h), right = matmul(h, matmul(result, g));
  const Tensor columns = sub(left, matmul(input, matmul(result, left)));
  const Tensor rows = sub(right, matmul(matmul(right, result), input));
  return sub(add(columns, rows), matmul(h, matmul(grad, h)));
}

// d det = tr(adj(A) dA). Where A is invertible adj(A) = det(A) A^-1; where not, it follows from the
// SVD.
Tensor det_backward(const Tensor& grad, const Tensor& input, const Tensor& result) {
  auto as_matrix = [](const Tensor& t) { return unsqueeze(unsqueeze(t, -1), -1); };
  try {
    return mul(as_matrix(mul(grad, conjugated(result))), adjoint(inv(input)));
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::LinAlg) throw;
  }
  auto [u, s, vh] = svd_stack(input, true, true);
  int64_t n = s.size(-1);
  // row i: s with s_i replaced by 1
  Tensor others = where(eq(identity_like(s, n), number(1)), number(1), unsqueeze(s, -2));
  Tensor adjugate = matmul(mul(adjoint(vh), unsqueeze(prod(others, IntList{-1}, false, std::nullopt), -2)), adjoint(u));
  return mul(as_matrix(grad), adjoint(mul(as_matrix(mul(det(u), det(vh))), adjugate)));
}

// d log det = tr(A^-1 dA). The real part of the trace is the change of log|det|; the imaginary part
// is the change of the phase of the sign.
Tensor slogdet_backward(const Tensor& grad_sign, const Tensor& grad_log, const Tensor& input, const Tensor& sign) {
  Tensor g = grad_log;
  if (sign.is_complex() && grad_sign.defined()) {
    Tensor i = wrapped_number(Scalar(Complex<double>(0, 1)));
    g = plus(g, mul(i, imag(mul(grad_sign, conj(sign)))));
  }
  if (!g.defined()) return zeros_like(input);  // the sign of a real determinant is constant
  return mul(unsqueeze(unsqueeze(g, -1), -1), adjoint(inv(input)));
}

// Let P be the lower triangle of L^H gL with the diagonal halved. Then gA is S = L^-H P L^-1,
// symmetrised.
Tensor cholesky_backward(const Tensor& grad, const Tensor& result, bool upper) {
  Tensor l = upper ? adjoint(result) : result, g = upper ? adjoint(grad) : grad;
  Tensor p = halve_diagonal(tril(matmul(adjoint(l), g)));
  Tensor s = solve_right(l, solve_stack(adjoint(l), p));
  return into_triangle(mul(number(0.5), add(s, adjoint(s))), upper);
}

// A = P L U with unit lower triangular L. For the square parts, let M = tril(L^H gL, -1) + triu(gU
// U^H); then gA = P L^-H M U^-H. Rows of L below its square part subtract from the term triu(...),
// and columns of U right of its square part subtract from the term tril(...).
Tensor lu_factor_backward(const Tensor& grad, const Tensor& lu, const Tensor& pivots) {
  const int64_t m = lu.size(-2), n = lu.size(-1), k = std::min(m, n);
  auto block = [&](const Tensor& t, int64_t row, int64_t rows, int64_t col, int64_t cols) {
    return narrow(narrow(t, -2, row, rows), -1, col, cols);
  };
  const Tensor square = block(lu, 0, k, 0, k), g = block(grad, 0, k, 0, k), h = adjoint(square);
  const Tensor l = add(tril(square, -1), identity_like(square, k)), u = triu(square);
  // Solve Y U^H = Z and L^H Y = Z for Y.
  auto by_u = [&](const Tensor& z) { return adjoint(solve_triangular_stack(square, adjoint(z), true, false)); };
  auto by_l = [&](const Tensor& z) { return solve_triangular_stack(h, z, true, true); };
  Tensor below = matmul(adjoint(l), tril(g, -1)), above = matmul(triu(g), adjoint(u));
  Tensor beside;
  if (m > k) {
    const Tensor gl = block(grad, k, m - k, 0, k);
    above = sub(above, matmul(adjoint(block(lu, k, m - k, 0, k)), gl));
    beside = by_u(gl);
  } else if (n > k) {
    const Tensor gu = block(grad, 0, k, k, n - k);
    below = sub(below, matmul(gu, adjoint(block(lu, 0, k, k, n - k))));
    beside = by_l(gu);
  }
  Tensor result = by_u(by_l(add(tril(below, -1), triu(above))));
  if (beside.defined()) {
    const Tensor parts[] = {result, beside};
    result = cat(parts, m > k ? -2 : -1);
  }
  const Tensor back = argsort(lu_permutation(pivots, m), -1);
  return gather(result, -2, expand(unsqueeze(back, -1), result.sizes()));
}

// A X = B, where only one triangle of A is read: gB = A^-H gX, gA = -gB X^H in that triangle.
Tensor solve_triangular_backward(const Tensor& grad, const Tensor& a, const Tensor& result, bool upper,
                                 bool unitriangular) {
  const Tensor g = neg(matmul(solve_triangular_stack(adjoint(a), grad, !upper, unitriangular), adjoint(result)));
  return upper ? triu(g, unitriangular ? 1 : 0) : tril(g, unitriangular ? -1 : 0);
}

// gA = (gQ + Q symmetrised(upper(gR R^H - Q^H gQ))) R^-H.
Tensor qr_backward(const Tensor& grad_q, const Tensor& grad_r, int64_t rows, int64_t cols, bool complete,
                   const Tensor& q, const Tensor& r) {
  TNP_CHECK(
      !complete || rows <= cols, ErrorKind::NotImplemented,
      "the derivative of qr in mode 'complete' is only implemented for matrices with at least as many columns as rows");
  if (rows < cols) {  // the first columns determine Q; the other columns of R are Q^H A2
    const Tensor r1 = narrow(r, -1, 0, rows), r2 = narrow(r, -1, rows, cols - rows);
    const Tensor g1 = grad_r.defined() ? narrow(grad_r, -1, 0, rows) : Tensor();
    const Tensor g2 = grad_r.defined() ? narrow(grad_r, -1, rows, cols - rows) : Tensor();
    const Tensor a2 = matmul(q, r2);
    const Tensor gq = plus(grad_q, g2.defined() ? matmul(a2, adjoint(g2)) : Tensor());
    const Tensor left = qr_backward(gq, g1, rows, rows, false, q, r1);
    const Tensor right = g2.defined() ? matmul(q, g2) : zeros_like(r2);
    if (!left.defined()) return Tensor();
    const Tensor parts[] = {left, right};
    return cat(parts, -1);
  }
  Tensor m = minus(multiply(grad_r, adjoint(r)), multiply(adjoint(q), grad_q));
  if (!m.defined()) return Tensor();
  m = triu(m);
  Tensor symmetric = halve_diagonal(add(m, adjoint(m)));
  return solve_right(adjoint(r), plus(grad_q, matmul(q, symmetric)));
}

namespace {

// The gradient of the first k singular vectors. With full_matrices there are more, which are any basis of
// the rest of the space, so the loss must not depend on them.
Tensor determined_part(const Tensor& grad, int64_t dim, int64_t k) {
  if (!grad.defined() || grad.size(dim) == k) return grad;
  if (!grad.device().is_meta()) {
    const NoGradGuard no_grad;
    const Tensor count = count_nonzero(narrow(grad, dim, k, grad.size(dim) - k));
    TNP_CHECK(count.item<int64_t>() == 0, ErrorKind::Runtime,
              "the loss depends on singular vectors that full_matrices adds; they are not determined, so they have no "
              "derivative");
  }
  return narrow(grad, dim, 0, k);
}

}  // namespace

// Singular vectors are determined up to a phase. If the loss depends on the phase, the gradient is
// meaningless.
Tensor svd_backward(const Tensor& grad_u0, const Tensor& grad_s, const Tensor& grad_vh0, const Tensor& u0,
                    const Tensor& s, const Tensor& vh0) {
  if (!grad_u0.defined() && !grad_s.defined() && !grad_vh0.defined()) return Tensor();
  TNP_CHECK(u0.dim() >= 2, ErrorKind::Internal, "svd without singular vectors was recorded");
  const int64_t k = s.size(-1), m = u0.size(-2), n = vh0.size(-1);
  const bool full = u0.size(-1) != k || vh0.size(-2) != k;
  Tensor u = full ? narrow(u0, -1, 0, k) : u0, vh = full ? narrow(vh0, -2, 0, k) : vh0;
  Tensor grad_u = determined_part(grad_u0, -1, k), grad_vh = determined_part(grad_vh0, -2, k);
  Tensor inner;
  if (grad_s.defined()) inner = embed(grad_s);
  if (grad_u.defined() || grad_vh.defined()) {
    Tensor squares = mul(s, s), gaps = inverse_differences(squares);  // 1 / (s_j^2 - s_i^2)
    if (grad_u.defined()) {
      Tensor turn = skew(matmul(adjoint(u), grad_u));
      inner = plus(inner, mul(mul(turn, gaps), unsqueeze(s, -2)));
      if (u.is_complex()) inner = plus(inner, embed(div(main_diagonal(turn), mul(number(2), s))));
    }
    if (grad_vh.defined()) {
      Tensor turn = skew(matmul(vh, adjoint(grad_vh)));
      inner = plus(inner, mul(unsqueeze(s, -1), mul(turn, gaps)));
    }
  }
  Tensor result = matmul(u, matmul(inner, vh));
  if (m > k && grad_u.defined()) {  // the part of gU that is orthogonal to U
    Tensor outside = sub(grad_u, matmul(u, matmul(adjoint(u), grad_u)));
    result = add(result, matmul(div(outside, unsqueeze(s, -2)), vh));
  }
  if (n > k && grad_vh.defined()) {
    Tensor outside = sub(grad_vh, matmul(matmul(grad_vh, adjoint(vh)), vh));
    result = add(result, matmul(u, div(outside, unsqueeze(s, -1))));
  }
  return result;
}

// gA = V (diag(gw) + (V^H gV) / (w_j - w_i)) V^H.
Tensor eigh_backward(const Tensor& grad_w, const Tensor& grad_v, const Tensor& w, const Tensor& v, bool upper) {
  if (!grad_w.defined() && !grad_v.defined()) return Tensor();
  Tensor inner;
  if (grad_w.defined()) inner = embed(grad_w);
  if (grad_v.defined()) inner = plus(inner, mul(matmul(adjoint(v), grad_v), inverse_differences(w)));
  Tensor g = matmul(v, matmul(inner, adjoint(v)));
  return into_triangle(mul(number(0.5), add(g, adjoint(g))), upper);
}

// gA = V^-H (diag(gw) + (V^H gV - V^H V diag(Re(V^H gV))) / conj(w_j - w_i)) V^H, where V's columns
// have length 1.
Tensor eig_backward(const Tensor& grad_w, const Tensor& grad_v, const Tensor& w, const Tensor& v) {
  if (!grad_w.defined() && !grad_v.defined()) return Tensor();
  Tensor inner, vh = adjoint(v);
  if (grad_w.defined()) inner = embed(grad_w);
  if (grad_v.defined()) {
    Tensor turn = matmul(vh, grad_v);
    Tensor lengths = mul(matmul(vh, v), unsqueeze(real(main_diagonal(turn)), -2));
    inner = plus(inner, mul(sub(turn, lengths), inverse_differences(conj(w))));
  }
  return solve_stack(vh, matmul(inner, vh));
}

}  // namespace tnp::formulas
