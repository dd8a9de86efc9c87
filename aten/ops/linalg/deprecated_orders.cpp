// Products with an addend, called with PyTorch's deprecated orders of arguments.
#include <string>

#include "aten/core/errors/pending_warnings.h"
#include "aten/functions/matrix_products.h"
#include "aten/native_functions/matrix_products.h"

namespace tnp::native {

namespace {
// PyTorch's text, to its end. `factors`: the numbers given; `a` and `b`: names of the operands.
void warn_of_order(const std::string& name, const char* factors, const std::string& a, const std::string& b) {
  warn_caller("This overload of " + name + " is deprecated:\n\t" + name + factors + ", Tensor " + a + ", Tensor " + b +
              ")\nConsider using one of the following signatures instead:\n\t" + name + "(Tensor input, Tensor " + a +
              ", Tensor " + b + ", *, Number beta = 1, Number alpha = 1)");
}

constexpr const char* kBoth = "(Number beta, Tensor input, Number alpha";
constexpr const char* kBeta = "(Number beta, Tensor input";
}  // namespace

Tensor addmm_beta_alpha(const Scalar& beta, const Tensor& input, const Scalar& alpha, const Tensor& mat1,
                        const Tensor& mat2) {
  warn_of_order("addmm", kBoth, "mat1", "mat2");
  return tnp::addmm(input, mat1, mat2, beta, alpha);
}
Tensor addmm_beta(const Scalar& beta, const Tensor& input, const Tensor& mat1, const Tensor& mat2) {
  warn_of_order("addmm", kBeta, "mat1", "mat2");
  return tnp::addmm(input, mat1, mat2, beta, Scalar(1));
}
Tensor addmm_self_beta_alpha(const Tensor& input, const Scalar& beta, const Scalar& alpha, const Tensor& mat1,
                             const Tensor& mat2) {
  warn_of_order("addmm", kBoth, "mat1", "mat2");
  return tnp::addmm(input, mat1, mat2, beta, alpha);
}
Tensor addmm_self_beta(const Tensor& input, const Scalar& beta, const Tensor& mat1, const Tensor& mat2) {
  warn_of_order("addmm", kBeta, "mat1", "mat2");
  return tnp::addmm(input, mat1, mat2, beta, Scalar(1));
}
Tensor addmv_beta_alpha(const Scalar& beta, const Tensor& input, const Scalar& alpha, const Tensor& mat,
                        const Tensor& vec) {
  warn_of_order("addmv", kBoth, "mat", "vec");
  return tnp::addmv(input, mat, vec, beta, alpha);
}
Tensor addmv_beta(const Scalar& beta, const Tensor& input, const Tensor& mat, const Tensor& vec) {
  warn_of_order("addmv", kBeta, "mat", "vec");
  return tnp::addmv(input, mat, vec, beta, Scalar(1));
}
Tensor addmv_self_beta_alpha(const Tensor& input, const Scalar& beta, const Scalar& alpha, const Tensor& mat,
                             const Tensor& vec) {
  warn_of_order("addmv", kBoth, "mat", "vec");
  return tnp::addmv(input, mat, vec, beta, alpha);
}
Tensor addmv_self_beta(const Tensor& input, const Scalar& beta, const Tensor& mat, const Tensor& vec) {
  warn_of_order("addmv", kBeta, "mat", "vec");
  return tnp::addmv(input, mat, vec, beta, Scalar(1));
}
Tensor addr_beta_alpha(const Scalar& beta, const Tensor& input, const Scalar& alpha, const Tensor& vec1,
                       const Tensor& vec2) {
  warn_of_order("addr", kBoth, "vec1", "vec2");
  return tnp::addr(input, vec1, vec2, beta, alpha);
}
Tensor addr_beta(const Scalar& beta, const Tensor& input, const Tensor& vec1, const Tensor& vec2) {
  warn_of_order("addr", kBeta, "vec1", "vec2");
  return tnp::addr(input, vec1, vec2, beta, Scalar(1));
}
Tensor addr_self_beta_alpha(const Tensor& input, const Scalar& beta, const Scalar& alpha, const Tensor& vec1,
                            const Tensor& vec2) {
  warn_of_order("addr", kBoth, "vec1", "vec2");
  return tnp::addr(input, vec1, vec2, beta, alpha);
}
Tensor addr_self_beta(const Tensor& input, const Scalar& beta, const Tensor& vec1, const Tensor& vec2) {
  warn_of_order("addr", kBeta, "vec1", "vec2");
  return tnp::addr(input, vec1, vec2, beta, Scalar(1));
}
Tensor addbmm_beta_alpha(const Scalar& beta, const Tensor& input, const Scalar& alpha, const Tensor& batch1,
                         const Tensor& batch2) {
  warn_of_order("addbmm", kBoth, "batch1", "batch2");
  return tnp::addbmm(input, batch1, batch2, beta, alpha);
}
Tensor addbmm_beta(const Scalar& beta, const Tensor& input, const Tensor& batch1, const Tensor& batch2) {
  warn_of_order("addbmm", kBeta, "batch1", "batch2");
  return tnp::addbmm(input, batch1, batch2, beta, Scalar(1));
}
Tensor addbmm_self_beta_alpha(const Tensor& input, const Scalar& beta, const Scalar& alpha, const Tensor& batch1,
                              const Tensor& batch2) {
  warn_of_order("addbmm", kBoth, "batch1", "batch2");
  return tnp::addbmm(input, batch1, batch2, beta, alpha);
}
Tensor addbmm_self_beta(const Tensor& input, const Scalar& beta, const Tensor& batch1, const Tensor& batch2) {
  warn_of_order("addbmm", kBeta, "batch1", "batch2");
  return tnp::addbmm(input, batch1, batch2, beta, Scalar(1));
}
Tensor baddbmm_beta_alpha(const Scalar& beta, const Tensor& input, const Scalar& alpha, const Tensor& batch1,
                          const Tensor& batch2) {
  warn_of_order("baddbmm", kBoth, "batch1", "batch2");
  return tnp::baddbmm(input, batch1, batch2, beta, alpha);
}
Tensor baddbmm_beta(const Scalar& beta, const Tensor& input, const Tensor& batch1, const Tensor& batch2) {
  warn_of_order("baddbmm", kBeta, "batch1", "batch2");
  return tnp::baddbmm(input, batch1, batch2, beta, Scalar(1));
}
Tensor baddbmm_self_beta_alpha(const Tensor& input, const Scalar& beta, const Scalar& alpha, const Tensor& batch1,
                               const Tensor& batch2) {
  warn_of_order("baddbmm", kBoth, "batch1", "batch2");
  return tnp::baddbmm(input, batch1, batch2, beta, alpha);
}
Tensor baddbmm_self_beta(const Tensor& input, const Scalar& beta, const Tensor& batch1, const Tensor& batch2) {
  warn_of_order("baddbmm", kBeta, "batch1", "batch2");
  return tnp::baddbmm(input, batch1, batch2, beta, Scalar(1));
}

}  // namespace tnp::native
