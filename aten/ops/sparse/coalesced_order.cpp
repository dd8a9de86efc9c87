// The order of the elements of a coalesced sparse tensor, composed of other operators.
#include <array>

#include "aten/functions/comparison.h"
#include "aten/functions/creation.h"
#include "aten/functions/indexing.h"
#include "aten/functions/joining.h"
#include "aten/functions/shape.h"
#include "aten/functions/sorting.h"
#include "aten/native_functions/sparse.h"

namespace tnp::native {

std::tuple<Tensor, Tensor> coalesced_order_composite(const Tensor& keys) {
  const int64_t n = keys.numel();
  const Tensor order = tnp::argsort(keys, 0, false, true);
  if (n == 0) return {order, tnp::empty_like(order)};
  const Tensor sorted = tnp::index_select(keys, 0, order);
  const Tensor differs = tnp::ne(tnp::narrow(sorted, 0, 1, n - 1), tnp::narrow(sorted, 0, 0, n - 1));
  const Tensor first = tnp::ones(IntList{1}, ScalarType::Bool, keys.device());
  return {order, tnp::reshape(tnp::nonzero_rows(tnp::cat(std::array{first, differs}, 0)), IntList{-1})};
}

std::tuple<Tensor, Tensor> coalesced_sums_composite(const Tensor& keys, const Tensor& values) {
  const auto [order, starts] = coalesced_order_composite(keys);
  const Tensor distinct = tnp::index_select(keys, 0, tnp::index_select(order, 0, starts));
  const Tensor at = tnp::searchsorted(distinct, keys);
  return {distinct,
          tnp::index_add(tnp::zeros(distinct.sizes(), values.dtype(), values.device()), 0, at, values, Scalar(1))};
}

}  // namespace tnp::native
