#include "aten/kernels/repetition.h"

#include "aten/core/promotion.h"
#include "aten/iterator/dense.h"

namespace tnp {

Repetition repetition_of(IntList size, const Tensor& repeats, std::optional<int64_t> dim) {
  Repetition plan;
  auto ndim = static_cast<int64_t>(size.size());
  int64_t axis = dim ? (ndim == 0 && (*dim == 0 || *dim == -1) ? 0 : wrap_dim(*dim, ndim)) : 0;
  if (!dim || ndim == 0)
    plan.n = numel_of(size);
  else {
    for (int64_t d = 0; d < ndim; ++d) {
      (d < axis ? plan.outer : d == axis ? plan.n : plan.inner) *= size[static_cast<size_t>(d)];
    }
  }
  TNP_CHECK(repeats.dim() <= 1, ErrorKind::Shape, "object too deep for desired array: {repeats} has shape ",
            repeats.sizes());
  TNP_CHECK(repeats.is_wrapped_number() || repeats.numel() == 0 ||
                can_cast(repeats.dtype(), ScalarType::Int64, Casting::Safe),
            ErrorKind::Type, "Cannot cast array data from dtype('", repeats.dtype(),
            "') to dtype('int64') according to the rule 'safe'");
  TNP_CHECK(repeats.numel() == 1 || repeats.numel() == plan.n, ErrorKind::Shape,
            "operands could not be broadcast together with shape (", plan.n, ",) ", repeats.sizes());
  plan.counts = native::dense_copy(repeats, ScalarType::Int64);
  return plan;
}

DimVector repeated_shape(IntList size, std::optional<int64_t> dim, int64_t total) {
  if (!dim || size.empty()) return {total};
  DimVector out(size);
  out[static_cast<size_t>(wrap_dim(*dim, static_cast<int64_t>(size.size())))] = total;
  return out;
}

int64_t repeated_total(int64_t entries, int64_t count) {
  int64_t total = 0;
  TNP_CHECK(count >= 0, ErrorKind::Shape, "repeats may not contain negative values.");
  TNP_CHECK(!__builtin_mul_overflow(count, entries, &total), ErrorKind::Value, "array is too big");
  return total;
}

}  // namespace tnp
