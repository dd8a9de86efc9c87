#include "aten/ops/reduction/fold_runs.h"

#include <algorithm>

#include "aten/functions/arithmetic.h"
#include "aten/functions/bitwise.h"
#include "aten/functions/comparison.h"
#include "aten/functions/copies.h"
#include "aten/functions/creation.h"
#include "aten/functions/indexing.h"
#include "aten/functions/shape.h"

namespace tnp::folding {

void launch_step(const PointwiseLoop& loop, const Tensor& out, const Tensor& left, const Tensor& right,
                 const Tensor& mask) {
  if (out.device().is_meta()) return;
  Iterator iterator;
  Tensor result = out;
  iterator.output(result, loop.types[0], loop.types[0]).input(left, loop.types[1]).input(right, loop.types[2]);
  if (mask.defined()) iterator.mask(mask);
  iterator.casting(Casting::Unsafe).build();
  if (iterator.numel() > 0 && !out.device().is_meta()) loop.launch(iterator.plan());
}

Tensor integers_on(Device device, std::span<const int64_t> values) {
  Tensor t = empty_tensor({static_cast<int64_t>(values.size())}, ScalarType::Int64);
  std::copy(values.begin(), values.end(), t.data_ptr<int64_t>());
  return tnp::to(t, std::optional(device));
}

Tensor count_on(Device device, int64_t n) { return tnp::arange(Scalar(n), ScalarType::Int64, device); }

Tensor pick(const Tensor& t, const Tensor& index) { return tnp::index(t, std::span(&index, 1), 0); }

Tensor rows_from(const Tensor& t, int64_t start, int64_t count) {
  DimVector sizes(t.sizes());
  sizes[0] = count;
  return view_of(t, sizes, t.strides(), t.address() + (count > 0 ? start * t.byte_stride(0) : 0));
}

void fold_longest_first(const Tensor& totals, const Tensor& rows, const Tensor& starts,
                        std::span<const int64_t> lengths, int64_t done,
                        function_ref<void(const Tensor& totals, const Tensor& rows)> step) {
  auto active = static_cast<int64_t>(lengths.size());
  for (int64_t k = done;; ++k) {
    while (active > 0 && lengths[static_cast<size_t>(active - 1)] <= k) --active;
    if (active == 0) return;
    step(rows_from(totals, 0, active), pick(rows, tnp::add(rows_from(starts, 0, active), wrapped_number(Scalar(k)))));
  }
}

void fold_by_doubling(const PointwiseLoop& loop, const Tensor& rows, const Tensor& place, const Tensor& left,
                      int64_t longest) {
  const int64_t n = rows.size(0);
  for (int64_t reach = 1; reach < longest; reach *= 2) {
    // A row whose index in its run is a multiple of 2 * reach contains the total of `reach` rows.
    // This step adds the total of the following `reach` rows.
    const int64_t pairs = n - reach;
    const Tensor first = tnp::eq(tnp::bitwise_and(rows_from(place, 0, pairs), wrapped_number(Scalar(2 * reach - 1))),
                                 wrapped_number(Scalar(0)));
    const Tensor mask = tnp::logical_and(first, tnp::gt(rows_from(left, 0, pairs), wrapped_number(Scalar(reach))));
    DimVector sizes(rows.sizes().size(), 1);
    sizes[0] = pairs;
    const Tensor into = rows_from(rows, 0, pairs);
    launch_step(loop, into, into, rows_from(rows, reach, pairs), tnp::reshape(mask, sizes));
  }
}

}  // namespace tnp::folding
