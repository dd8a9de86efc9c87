#include "aten/compiler/elementwise.h"

#include <algorithm>
#include <cstring>

#include "aten/compiler/steps.h"
#include "aten/core/errors/floating_point_errors.h"
#include "aten/dispatch/pointwise_choice.h"
#include "aten/iterator/cast.h"

namespace tnp::compiler {

namespace {

constexpr double kCostOfCopy = 0.1;  // nanoseconds per element

// Converts a constant. Returns false if the dtype cannot represent the number: then each call must
// raise the error again.
bool take_number(Elementwise::Number& to, ScalarType wanted, const void* number, ScalarType dtype) {
  const FloatingPointErrors before = take_floating_point_flags();
  cast_element(to.bytes, wanted, number, dtype);
  const FloatingPointErrors errors = take_floating_point_flags();
  if (before) raise_floating_point_flags(before);
  return !errors;
}

}  // namespace

std::optional<Elementwise> Elementwise::of(const PointwiseOp& op, TensorList in, const PointwiseOptions& options,
                                           const std::array<bool, 3>& constants, const Tensor& result) {
  const bool is_new = !options.out[0].defined();
  if (op.nout != 1 || op.check || options.where.defined() || result.numel() == 0) return {};
  if (is_new && !result.is_contiguous()) return {};
  if (!result.device().is_cpu() ||
      !std::all_of(in.begin(), in.end(), [](const Tensor& t) { return t.device().is_cpu(); }))
    return {};
  const PointwiseChoice choice = choose_loop(op, in, options.dtype, DeviceType::CPU);
  const PointwiseLoop& chosen = *choice.loop;
  if (is_reduced_float(choice.types.compute) || mixes_signs(op, choice, in)) return {};
  if (shown_dtype(chosen.types[0], choice.types.result) != chosen.types[0] || result.dtype() != chosen.types[0])
    return {};

  Elementwise e;
  e.loop = chosen.loop;
  e.name = op.name;
  e.watched = op.watched_as;
  e.cost = op.cost;
  e.num_inputs = op.nin;
  for (size_t k = 0; k <= op.nin; ++k) e.types[k] = chosen.types[k];
  for (size_t i = 0; i < in.size(); ++i) {
    const Tensor& t = in[i];
    if (t.is_unaligned() || t.dim() > result.dim()) return {};
    // A block would report a cast's warnings as the operator's.
    if (t.dtype() != e.types[1 + i] && !constants[i] && cast_has_errors(e.types[1 + i], t.dtype())) return {};
    if (is_complex(t.dtype()) && !is_complex(e.types[1 + i])) return {};
    if (!constants[i]) continue;
    e.is_number[i] = true;
    if (!take_number(e.numbers[i], e.types[1 + i], t.address(), t.dtype())) return {};
  }
  return e;
}

Elementwise Elementwise::copy(ScalarType to, ScalarType from) {
  Elementwise e;
  e.loop = cast_loop(to, from);
  e.name = to == from ? "copy" : "cast";
  e.cost = kCostOfCopy;
  e.num_inputs = 1;
  e.types = {to, from};
  return e;
}

std::optional<Elementwise> Elementwise::fill(ScalarType to, const Scalar& number) {
  if (is_complex(to) || is_reduced_float(to) || number.kind() == Scalar::Kind::Complex) return {};
  const auto value = number.to<double>();
  constexpr double kInAll = 127;  // representable in every dtype
  if (!(value >= 0 && value <= kInAll) || value != static_cast<double>(static_cast<int>(value))) return {};
  Elementwise e = copy(to, to);
  e.name = "fill";
  e.is_number[0] = true;
  if (!take_number(e.numbers[0], to, &value, ScalarType::Float64)) return {};
  return e;
}

std::optional<Elementwise> elementwise(const Trace& trace, const Step& step) {
  const auto view = [&](int v) -> const View& { return trace.views[static_cast<size_t>(v)]; };
  std::optional<Elementwise> e;
  if (const auto* pointwise = dynamic_cast<const PointwiseStep*>(&step)) {
    e = pointwise->elementwise();
    if (!e) return {};
    e->inputs = pointwise->inputs;
    e->result = pointwise->results[0];
    e->is_made = pointwise->is_new();
    e->dialect = step.call.dialect;
  } else if (const auto* copy = dynamic_cast<const CopyStep*>(&step)) {
    if (!trace.slot_of(copy->to).device.is_cpu() || !trace.slot_of(copy->from).device.is_cpu()) return {};
    const View &to = view(copy->to), &from = view(copy->from);
    const bool drops_part = is_complex(from.dtype) && !is_complex(to.dtype);
    if (to.numel == 0 || from.sizes.size() > to.sizes.size() || drops_part || cast_has_errors(to.dtype, from.dtype))
      return {};
    e = Elementwise::copy(to.dtype, from.dtype);
    e->result = copy->to;
    e->inputs[0] = copy->from;
    e->dialect = step.call.dialect;
  } else if (const auto* fill = dynamic_cast<const FillStep*>(&step)) {
    const View& to = view(fill->to);
    if (to.numel == 0 || !trace.slot_of(fill->to).device.is_cpu()) return {};
    e = Elementwise::fill(to.dtype, fill->number);
    if (!e) return {};
    e->result = fill->to;
    e->dialect = step.call.dialect;
  }
  if (e && e->dialect.error_watch() != ErrorWatch::Ready) e->watched = nullptr;
  return e;
}

}  // namespace tnp::compiler
