// PyTorch's other number sequences, and creation of tensors with a given layout.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "aten/core/devices/device_runtime.h"
#include "aten/core/errors/pending_warnings.h"
#include "aten/core/needs_derivatives.h"
#include "aten/core/shapes.h"
#include "aten/dispatch/out.h"
#include "aten/functions/arithmetic.h"
#include "aten/functions/copies.h"
#include "aten/functions/creation.h"
#include "aten/functions/transcendental.h"
#include "aten/iterator/layout.h"
#include "aten/native_functions/arithmetic.h"
#include "aten/native_functions/copies.h"
#include "aten/native_functions/creation.h"
#include "aten/ops/operators.h"
#include "aten/ops/with_grad.h"

namespace tnp::native {

Tensor logspace(const Scalar& start, const Scalar& end, int64_t steps, double base, std::optional<ScalarType> dtype,
                std::optional<Device> device, bool requires_grad) {
  TNP_CHECK(steps >= 0, ErrorKind::Shape, "number of {steps} must be non-negative, got ", steps);
  const bool complex = start.is_complex() || end.is_complex();
  const ScalarType type = dtype.value_or(complex ? to_complex(default_dtype()) : default_dtype());
  const ScalarType wide = is_complex(type) ? ScalarType::Complex128 : ScalarType::Float64;
  // PyTorch truncates the exponents at the ends for integers.
  auto bound = [&](const Scalar& value) {
    check_fits(value, type);
    return is_integer(type) ? Scalar(value.to<int64_t>()) : value;
  };
  const Tensor exponents = tnp::linspace(bound(start), bound(end), steps, wide, device);
  return with_grad(tnp::cast(tnp::pow(scalar_tensor(Scalar(base), wide, exponents.device()), exponents), type),
                   requires_grad);
}

Tensor range(const Scalar& start, const Scalar& end, const Scalar& step, std::optional<ScalarType> dtype,
             std::optional<Device> device, bool requires_grad) {
  warn_caller(
      "torch.range is deprecated and will be removed in a future release because its behavior is inconsistent with "
      "Python's range builtin. Instead, use torch.arange, which produces values in [start, end).");
  const double first = start.to<double>(), last = end.to<double>(), by = step.to<double>();
  TNP_CHECK(by != 0, ErrorKind::Runtime, "{step} must be nonzero");
  TNP_CHECK(std::isfinite(first) && std::isfinite(last), ErrorKind::Runtime, "unsupported range: ", start, " -> ", end);
  TNP_CHECK((by > 0 && last >= first) || (by < 0 && last <= first), ErrorKind::Runtime,
            "upper bound and lower bound inconsistent with step sign");
  const double count = std::floor((last - first) / by) + 1;
  TNP_CHECK(count < 0x1p62, ErrorKind::Runtime, "the range from ", start, " to ", end, " has too many numbers");
  const ScalarType type = dtype.value_or(default_dtype());
  const bool whole = is_integral(type);
  const ScalarType wide = whole ? ScalarType::Int64 : ScalarType::Float64;
  auto number = [&](const Scalar& value) { return whole ? Scalar(value.to<int64_t>()) : Scalar(value.to<double>()); };
  const Tensor places = tnp::arange(Scalar(static_cast<int64_t>(count)), wide, device);
  return with_grad(tnp::cast(places * number(step) + number(start), type), requires_grad);
}

Tensor empty_strided(IntList size, IntList stride, std::optional<ScalarType> dtype, std::optional<Device> device,
                     bool requires_grad) {
  TNP_CHECK(size.size() == stride.size(), ErrorKind::Runtime, "dimensionality of sizes (",
            static_cast<int64_t>(size.size()), ") must match dimensionality of strides (",
            static_cast<int64_t>(stride.size()), ")");
  numel_of(size);
  check_ndim(size.size());
  for (const int64_t s : stride) TNP_CHECK(s >= 0, ErrorKind::Runtime, "{stride} must not be negative, but has ", s);
  const Tensor made = empty_strided_tensor(size, stride, dtype.value_or(default_dtype()), required_device(device));
  return with_grad(filled_if_asked(made), requires_grad);
}

Tensor empty_permuted(IntList size, IntList physical_layout, std::optional<ScalarType> dtype,
                      std::optional<Device> device, bool requires_grad) {
  DimVector order(physical_layout), all(size.size());
  std::iota(all.begin(), all.end(), 0);
  TNP_CHECK(order.size() == all.size() && std::is_permutation(order.begin(), order.end(), all.begin()),
            ErrorKind::Runtime, "{physical_layout} must have each dimension of {size} once, but is ", physical_layout);
  numel_of(size);
  DimVector strides(size.size());
  int64_t next = 1;
  for (size_t i = order.size(); i-- > 0;) {
    const auto d = static_cast<size_t>(order[i]);
    strides[d] = next;
    next *= std::max<int64_t>(size[d], 1);
  }
  return native::empty_strided(size, strides, dtype, device, requires_grad);
}

Tensor conj_physical(const Tensor& input) { return tnp::conj(input); }

// The result has the history of the input, whose gradient is zero.
Tensor fill(const Tensor& input, const Scalar& value) {
  return tnp::fill_(needs_derivatives(input) ? tnp::clone(input) : tnp::empty_like(input), value);
}
Tensor fill_Tensor(const Tensor& input, const Tensor& value) { return tnp::fill_(tnp::empty_like(input), value); }

}  // namespace tnp::native
