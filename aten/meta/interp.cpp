// Shape function of linear interpolation.
#include "aten/iterator/dense.h"
#include "aten/meta_functions/sorting.h"

namespace tnp::meta {

void interp_linear(Outputs& outputs, Operand& x, Operand& xp, Operand& fp, const std::optional<Scalar>&,
                   const std::optional<Scalar>&, std::optional<double>&) {
  TNP_CHECK(xp->dim() == 1 && fp->dim() == 1, ErrorKind::Value, "Data points must be 1-D sequences");
  TNP_CHECK(xp->numel() > 0, ErrorKind::Value, "array of sample points is empty");
  TNP_CHECK(xp->numel() == fp->numel(), ErrorKind::Value, "fp and xp are not of the same length.");
  const ScalarType type = fp->is_complex() ? ScalarType::Complex128 : ScalarType::Float64;
  x = native::to_dense(x, ScalarType::Float64);
  xp = native::to_dense(xp, ScalarType::Float64);
  fp = native::to_dense(fp, type);
  outputs.add(x->sizes(), type);
}

}  // namespace tnp::meta
