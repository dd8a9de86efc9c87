// bincount: counts of small non-negative integers.
#include <algorithm>

#include "aten/core/devices/device_runtime.h"
#include "aten/core/numbers/promotion.h"
#include "aten/core/observer.h"
#include "aten/core/requires_grad.h"
#include "aten/functions/copies.h"
#include "aten/functions/indexing.h"
#include "aten/functions/reductions.h"
#include "aten/functions/sorting.h"
#include "aten/iterator/copy.h"
#include "aten/iterator/dense.h"
#include "aten/iterator/layout.h"
#include "aten/native_functions/copies.h"
#include "aten/native_functions/sorting.h"

namespace tnp::native {

namespace {

// Returns the largest value, or -1 if there are no values. The elements are compared as unsigned
// integers. Negative values then exceed all others, so one pass detects them too.
int64_t largest_of(const Tensor& values) {
  if (values.numel() == 0) return -1;
  constexpr int64_t kFew = 4096;  // up to which the reduction's own time exceeds the loop's
  if (values.device().is_cpu() && values.numel() <= kFew && !observer()) {
    const auto* value = reinterpret_cast<const uint64_t*>(values.data_ptr<int64_t>());
    const uint64_t largest = *std::max_element(value, value + values.numel());
    TNP_CHECK(largest <= uint64_t{INT64_MAX}, ErrorKind::Shape, "{input} must have no negative elements");
    return static_cast<int64_t>(largest);
  }
  const Tensor unsigned_values =
      view_of(values, values.sizes(), values.strides(), values.address(), ScalarType::UInt64);
  const auto largest = tnp::amax(unsigned_values).item<uint64_t>();
  TNP_CHECK(largest <= uint64_t{INT64_MAX}, ErrorKind::Shape, "{input} must have no negative elements");
  return static_cast<int64_t>(largest);
}

// Returns the values as a row-major int64 tensor, and the largest value plus 1.
std::pair<Tensor, int64_t> checked_values(const Tensor& input) {
  // an empty list becomes an empty array of float64
  bool nothing = input.numel() == 0 && is_floating(input.dtype());
  TNP_CHECK(nothing || is_integral(input.dtype()), ErrorKind::Type, "Cannot cast array data from dtype('",
            input.dtype(), "') to dtype('int64') according to the rule 'safe'");
  TNP_CHECK(input.dim() <= 1, ErrorKind::Shape, "object too deep for desired array: {input} has shape ", input.sizes());
  TNP_CHECK(input.dim() == 1, ErrorKind::Shape, "object of too small depth for desired array: {input} is 0-d");
  bool ready = input.dtype() == ScalarType::Int64 && input.is_contiguous();
  Tensor values = ready ? input : native::cast(input, ScalarType::Int64, Order::C);
  const int64_t highest = largest_of(values);
  TNP_CHECK(highest < INT64_MAX, ErrorKind::Memory, "no memory for the counts of numbers up to ", highest);
  return {values, highest + 1};
}

// out[values[i]] += weights[i], in the order of the values.
void add_weights(const Tensor& values, const Tensor& weights, const Tensor& out) {
  const Tensor dense = to_dense(weights, out.dtype());
  const int64_t *place = values.data_ptr<int64_t>(), n = values.numel();
  visit<FloatTypes>(out.dtype(), [&]<class T>() {
    const T* weight = dense.data_ptr<T>();
    T* sum = out.data_ptr<T>();
    for (int64_t i = 0; i < n; ++i) {
      // Another thread may have changed the value after the check (Note [Changing indices]).
      const int64_t at = __atomic_load_n(place + i, __ATOMIC_RELAXED);
      if (TNP_LIKELY(static_cast<uint64_t>(at) < static_cast<uint64_t>(out.numel()))) sum[at] += weight[i];
    }
  });
}

}  // namespace

Tensor bincount(const Tensor& input, const Tensor& weights, int64_t minlength) {
  TNP_CHECK(minlength >= 0, ErrorKind::Shape, "{minlength} must not be negative");
  if (weights.defined() && weights.device().is_meta()) raise_no_data("bincount");
  const auto [values, largest] = checked_values(input);
  const int64_t size = std::max(largest, minlength);
  if (!weights.defined()) return tnp::count_values(values, size);
  TNP_CHECK(weights.sizes() == input.sizes(), ErrorKind::Shape, "The weights and list don't have the same length.");
  // the result is int64 even with weights, as in NumPy and PyTorch
  if (input.numel() == 0) return tnp::count_values(values, size);
  bool narrow = dialect().counts_keep_float32_weights() && weights.dtype() == ScalarType::Float32;
  ScalarType dtype = narrow ? ScalarType::Float32 : ScalarType::Float64;
  TNP_CHECK(!weights.is_complex(), ErrorKind::Type, "Cannot cast array data from dtype('", weights.dtype(),
            "') to dtype('float64') according to the rule 'safe'");
  Tensor out = empty_tensor({size}, dtype, input.device());
  fill_with(out, 0);
  if (input.device().is_cpu() && weights.device().is_cpu() && !compute_requires_grad(weights) && !observer()) {
    add_weights(values, weights, out);
    return out;
  }
  return tnp::index_put_(out, TensorList(&values, 1), tnp::cast(weights, dtype), true);
}

}  // namespace tnp::native
