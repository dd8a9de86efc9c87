// NumPy's unravel_index, ravel_multi_index, choose, putmask and place. Other devices than the CPU,
// transformations and gradients have compositions of other operators.
#include <algorithm>
#include <string>
#include <vector>

#include "aten/core/numbers/promotion.h"
#include "aten/core/requires_grad.h"
#include "aten/core/wrapped.h"
#include "aten/functions/arithmetic.h"
#include "aten/functions/bitwise.h"
#include "aten/functions/comparison.h"
#include "aten/functions/copies.h"
#include "aten/functions/creation.h"
#include "aten/functions/indexing.h"
#include "aten/functions/positions.h"
#include "aten/functions/reductions.h"
#include "aten/functions/shape.h"
#include "aten/functions/sorting.h"
#include "aten/iterator/layout.h"
#include "aten/kernels/index_mode.h"
#include "aten/kernels/pointwise.h"
#include "aten/native_functions/indexing.h"
#include "aten/native_functions/positions.h"
#include "aten/native_functions/shape.h"
#include "aten/ops/copying/beside.h"
#include "aten/ops/indexing/indexing.h"

namespace tnp::native {

namespace {

bool has_kernel(const Tensor& t) { return t.device().is_cpu(); }
bool has_kernel(TensorList list) {
  return std::all_of(list.begin(), list.end(), [](const Tensor& t) { return has_kernel(t); });
}

Tensor number(int64_t value) { return wrapped_number(Scalar(value)); }

// Whether any element of `condition` is true. Without elements to read, checks of values pass.
bool is_found(const Tensor& condition) {
  return !condition.device().is_meta() && !is_wrapped(condition) && tnp::any(condition).item<bool>();
}

Tensor as_integers(const Tensor& t) {
  TNP_CHECK(is_integral(t.dtype()) && !is_bool(t.dtype()), ErrorKind::Type, "only int indices permitted");
  return t.dtype() == ScalarType::Int64 ? t : tnp::cast(t, ScalarType::Int64);
}

Tensor is_outside(const Tensor& index, int64_t size) {
  return tnp::logical_or(tnp::lt(index, number(0)), tnp::ge(index, number(size)));
}

// The number of elements of an array. Raises Value with `message` if it exceeds int64.
int64_t number_of_elements(IntList shape, bool count_empty_as_one, const char* message) {
  int64_t total = 1;
  bool empty = false;
  for (const int64_t size : shape) {
    empty = empty || size == 0;
    TNP_CHECK(!__builtin_mul_overflow(total, size == 0 ? 1 : size, &total), ErrorKind::Value, message);
  }
  return empty && !count_empty_as_one ? 0 : total;
}

bool is_column_major(Order order) {
  TNP_CHECK(order == Order::C || order == Order::F, ErrorKind::Value, "only 'C' or 'F' order is permitted");
  return order == Order::F;
}

Tensor in_range(const Tensor& index, int64_t size, IndexMode mode, const char* message) {
  if (mode == IndexMode::Wrap) return tnp::remainder(index, number(size));
  if (mode == IndexMode::Clip) return tnp::clamp(index, Scalar(0), Scalar(size - 1));
  TNP_CHECK(!is_found(is_outside(index, size)), ErrorKind::Value, message);
  return index;
}

}  // namespace

std::vector<Tensor> unravel_index_np(const Tensor& indices, IntList shape, Order order) {
  const bool column_major = is_column_major(order);
  const Tensor positions = as_integers(indices);
  const int64_t total = number_of_elements(
      shape, false,
      "dimensions are too large; arrays and shapes with a total size greater than 'intp' are not supported.");
  const auto check_one = [&] {  // after the bounds, as in NumPy
    TNP_CHECK(!shape.empty() || indices.dim() == 0, ErrorKind::Value,
              "multiple indices are not supported for 0d array");
  };
  if (has_kernel(positions)) {
    const Tensor together = tnp::coordinates(positions, shape, column_major);
    check_one();
    std::vector<Tensor> out;
    out.reserve(shape.size());
    for (int64_t d = 0; d < together.size(0); ++d) out.push_back(native::select(together, 0, d));
    return out;
  }
  const Tensor outside = is_outside(positions, total);
  if (is_found(outside)) {
    const Tensor bad = tnp::extract(outside, positions);
    TNP_RAISE(ErrorKind::Value, "index ", tnp::select(bad, 0, 0).item<int64_t>(),
              " is out of bounds for array with size ", total);
  }
  check_one();
  std::vector<Tensor> out(shape.size());
  Tensor rest = positions;
  for (size_t k = 0; k < shape.size(); ++k) {
    const size_t d = column_major ? k : shape.size() - 1 - k;
    const Tensor size = number(std::max<int64_t>(shape[d], 1));
    out[d] = tnp::remainder(rest, size);
    rest = tnp::floor_divide(rest, size);
  }
  return out;
}

Tensor ravel_multi_index_np(TensorList index, IntList shape, IntList modes, Order order) {
  const bool column_major = is_column_major(order);
  const size_t ndim = shape.size();
  TNP_CHECK(index.size() == ndim, ErrorKind::Value, "parameter multi_index must be a sequence of length ", ndim);
  TNP_CHECK(modes.size() == ndim || modes.size() == 1, ErrorKind::Value, "there must be one mode for each axis");
  number_of_elements(shape, true, "invalid dims: array size defined by dims is larger than the maximum possible size.");
  std::vector<Tensor> places;
  places.reserve(ndim);
  for (const Tensor& t : index) places.push_back(as_integers(t));
  const DimVector each = modes.size() == ndim ? DimVector(modes) : DimVector(ndim, modes[0]);
  if (has_kernel(places)) return tnp::flat_positions(places, shape, each, column_major);
  Tensor flat;
  for (size_t k = 0; k < ndim; ++k) {
    const size_t d = column_major ? ndim - 1 - k : k;
    TNP_CHECK(shape[d] > 0 || places[d].numel() == 0, ErrorKind::Value,
              "cannot unravel if shape has zero entries and there are indices");
    const auto mode = static_cast<IndexMode>(each[d]);
    const Tensor place = in_range(places[d], shape[d], mode, "invalid entry in coordinates array");
    flat = flat.defined() ? tnp::add(tnp::mul(flat, number(shape[d])), place) : place;
  }
  return flat;
}

Tensor choose_np(const Tensor& input, TensorList choices, std::optional<std::string_view> mode) {
  TNP_CHECK(!choices.empty(), ErrorKind::Value, "at least one array or dtype is required");
  TNP_CHECK(is_integral(input.dtype()), ErrorKind::Type, "Cannot cast array data from dtype('", input.dtype(),
            "') to dtype('int64') according to the rule 'safe'");
  const IndexMode how = parse_mode(mode);
  const ScalarType dtype = result_type(choices);
  std::vector<Tensor> options;
  options.reserve(choices.size());
  for (const Tensor& t : choices) options.push_back(t.dtype() == dtype ? t : tnp::cast(t, dtype));
  if (has_kernel(input) && has_kernel(options) && !compute_requires_grad(options))
    return tnp::chosen(input, options, static_cast<int64_t>(how));
  const auto n = static_cast<int64_t>(options.size());
  const Tensor index = in_range(input.dtype() == ScalarType::Int64 ? input : tnp::cast(input, ScalarType::Int64), n,
                                how, "invalid entry in choice array");
  Tensor out = options.back();
  for (int64_t i = n - 1; i-- > 0;) out = tnp::where(tnp::eq(index, number(i)), options[static_cast<size_t>(i)], out);
  return n > 1 ? out : tnp::where(tnp::eq(index, number(0)), out, out);
}

namespace {

// Values 0 to n - 1 of the flattened `values`, which are repeated.
Tensor repeated(const Tensor& values, int64_t n) {
  const Tensor flat = tnp::reshape(values, {-1});
  if (flat.numel() == n) return flat;
  return tnp::take(flat, tnp::arange(Scalar(n), ScalarType::Int64, values.device()), 0, "wrap");
}

}  // namespace

void put_where_(const Tensor& self, const Tensor& mask, const Tensor& values, bool by_position) {
  check_writeable(self, by_position ? "output array" : "assignment destination");
  TNP_CHECK(mask.numel() == self.numel(), ErrorKind::Value, by_position ? "putmask" : "place",
            ": mask and data must be the same size");
  const Tensor truth = beside(self.device(), is_bool(mask.dtype()) ? mask : tnp::cast(mask, ScalarType::Bool));
  if (!by_position) {
    if (self.device().is_meta()) return self.bump_version();
    const Tensor places = mask_indices(tnp::reshape(truth, {-1}))[0];
    if (places.numel() == 0) return;
    TNP_CHECK(values.numel() > 0, ErrorKind::Value, "Cannot insert from an empty array!");
    native::put_repeated_(self, places, values, "raise");
    return;
  }
  TNP_CHECK(can_cast(values.dtype(), self.dtype(), Casting::SameKind, PromotionRules::NumPy), ErrorKind::Type,
            "Cannot cast array data from dtype('", values.dtype(), "') to dtype('", self.dtype(),
            "') according to the rule 'safe'");
  if (values.numel() == 0 || self.numel() == 0) return;
  Tensor from = beside(self.device(), values);
  if (from.numel() == 1)
    from = tnp::reshape(from, {});
  else if (from.sizes() != self.sizes())
    from = tnp::reshape(repeated(from, self.numel()), self.sizes());
  tnp::copyto(self, from, Casting::Unsafe, truth.sizes() == self.sizes() ? truth : tnp::reshape(truth, self.sizes()));
}

}  // namespace tnp::native
