// Indices of nonzero elements, in the forms of both faces.
#include <vector>

#include "aten/functions/shape.h"
#include "aten/functions/sorting.h"
#include "aten/iterator/copy.h"
#include "aten/iterator/layout.h"
#include "aten/native_functions/shape.h"
#include "aten/native_functions/sorting.h"

namespace tnp::native {

Tensor nonzero(const Tensor& input) {
  Tensor rows = tnp::nonzero_rows(input);
  Tensor out = empty_tensor({rows.size(1), rows.size(0)}, ScalarType::Int64, input.device());
  copy_into(out, native::permute(rows, {1, 0}));
  return out;
}

Tensor argwhere(const Tensor& input) { return native::nonzero(input); }

std::vector<Tensor> nonzero_tuple(const Tensor& input) {
  TNP_CHECK(input.dim() > 0, ErrorKind::Value,
            "Calling nonzero on 0d arrays is not allowed. "
            "Use np.atleast_1d(scalar).nonzero() instead.");
  Tensor rows = tnp::nonzero_rows(input);
  std::vector<Tensor> out;
  out.reserve(static_cast<size_t>(input.dim()));
  for (int64_t d = 0; d < input.dim(); ++d) out.push_back(native::select(rows, 0, d));
  return out;
}

std::vector<Tensor> where_condition(const Tensor& condition) {
  return native::nonzero_tuple(condition.dim() == 0 ? native::view(condition, {1}) : condition);
}

Tensor flatnonzero(const Tensor& input) {
  NoGradGuard guard;
  return native::select(tnp::nonzero_rows(tnp::reshape(input, {-1})), 0, 0);
}

}  // namespace tnp::native
