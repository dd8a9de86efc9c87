#include "aten/compiler/elementwise.h"

#include <algorithm>
#include <cstring>

#include "aten/compiler/steps.h"
#include "aten/compiler/views.h"
#include "aten/core/errors/floating_point_errors.h"
#include "aten/dispatch/checks.h"
#include "aten/iterator/cast.h"

namespace tnp::compiler {

namespace {

// Converts a constant. Returns false if the dtype cannot represent the number: then each call must
// raise the error again.
bool take_number(Number16& to, ScalarType wanted, const void* number, ScalarType dtype) {
  const FloatingPointErrors before = take_floating_point_flags();
  cast_element(to.bytes, wanted, number, dtype);
  const FloatingPointErrors errors = take_floating_point_flags();
  if (before) raise_floating_point_flags(before);
  return !errors;
}

bool is_on_cpu(const Trace& trace, const std::vector<int>& views) {
  return std::all_of(views.begin(), views.end(), [&](int v) { return trace.slot_of(v).device.is_cpu(); });
}

std::optional<ElementwiseCall> of_pointwise(const Trace& trace, const Step& step) {
  const std::optional<PointwiseChoice> found = loop_of(trace, step);
  if (!found || is_reduced_float(found->types.compute)) return {};
  const PointwiseOp& op = *step.call.pointwise;
  ElementwiseCall e;
  e.result = result_of(step);
  e.is_made = !step.call.gives("out");
  const View& result = view_of(trace, e.result);
  if ((e.is_made && !result.is_contiguous) || result.dtype != found->loop->types[0]) return {};
  e.operation = {found->loop->loop, op.name, op.watched_as, op.cost};
  e.num_inputs = op.nin;
  for (size_t k = 0; k <= op.nin; ++k) e.types[k] = found->loop->types[k];
  for (size_t i = 0; i < op.nin; ++i) {
    e.inputs[i] = step.call.view(i);
    const View& v = view_of(trace, e.inputs[i]);
    e.is_number[i] = v.sizes.empty() && trace.slot_of(e.inputs[i]).is_constant;
    if (v.sizes.size() > result.sizes.size()) return {};
    // A block would report a cast's warnings as the operator's.
    if (v.dtype != e.types[1 + i] && !e.is_number[i] && cast_has_errors(e.types[1 + i], v.dtype)) return {};
    if (is_complex(v.dtype) && !is_complex(e.types[1 + i])) return {};
    if (e.is_number[i] && !take_number(e.numbers[i], e.types[1 + i], operand(trace, e.inputs[i]).address(), v.dtype))
      return {};
  }
  return e;
}

std::optional<ElementwiseCall> of_copy(const Trace& trace, const Call& call) {
  const int to = call.view(0), from = call.view(1);
  const View &target = view_of(trace, to), &source = view_of(trace, from);
  const bool drops_part = is_complex(source.dtype) && !is_complex(target.dtype);
  if (target.numel == 0 || source.sizes.size() > target.sizes.size() || drops_part ||
      cast_has_errors(target.dtype, source.dtype))
    return {};
  ElementwiseCall e;
  e.operation = fusion::copy_operation(target.dtype, source.dtype);
  e.num_inputs = 1;
  e.types = {target.dtype, source.dtype};
  e.result = to;
  e.inputs[0] = from;
  return e;
}

// nullopt if the dtype may not represent the number.
std::optional<ElementwiseCall> of_fill(const Trace& trace, const Call& call) {
  const View& to = view_of(trace, call.view(0));
  const auto& number = std::get<Scalar>(call.arguments[1].value);
  if (to.numel == 0 || is_complex(to.dtype) || is_reduced_float(to.dtype) || number.is_complex()) return {};
  const auto value = number.to<double>();
  constexpr double kInAll = 127;  // representable in every dtype
  if (!(value >= 0 && value <= kInAll) || value != static_cast<double>(static_cast<int>(value))) return {};
  ElementwiseCall e;
  e.operation = fusion::copy_operation(to.dtype, to.dtype);
  e.operation.name = "fill";
  e.num_inputs = 1;
  e.types = {to.dtype, to.dtype};
  e.is_number[0] = true;
  e.result = call.view(0);
  if (!take_number(e.numbers[0], to.dtype, &value, ScalarType::Float64)) return {};
  return e;
}

}  // namespace

int result_of(const Step& step) {
  const ArgumentValue* const out = step.call.keyword("out");
  return out ? std::get<ViewNumber>(*out).view : step.results.views()[0];
}

std::optional<PointwiseChoice> loop_of(const Trace& trace, const Step& step) {
  const PointwiseOp* const op = step.call.pointwise;
  if (!op || op->nout != 1 || step.call.gives("where")) return {};
  const int made = result_of(step);
  const View& result = view_of(trace, made);
  if (result.numel == 0) return {};
  std::array<Tensor, 3> in;
  for (size_t i = 0; i < op->nin; ++i) {
    const int v = step.call.view(i);
    if (view_of(trace, v).is_wrapped_number && !trace.slot_of(v).is_constant) return {};
    in[i] = operand(trace, v);
  }
  const DialectGuard guard(step.call.dialect);
  const ArgumentValue* const dtype = step.call.keyword("dtype");
  const TensorList operands(in.data(), op->nin);
  const PointwiseChoice choice =
      choose_loop(*op, operands, dtype ? std::optional(std::get<ScalarType>(*dtype)) : std::nullopt,
                  trace.slot_of(made).device.type);
  if (op->check) {
    const Tensor& last = operands[op->nin - 1];
    const std::optional<Scalar> number = last.is_wrapped_number() ? std::optional(last.item()) : std::nullopt;
    if (!checks::accepts_any_elements(op->check, choice.types.compute, number ? &*number : nullptr)) return {};
  }
  if (mixes_signs(*op, choice, operands)) return {};
  if (shown_dtype(choice.loop->types[0], choice.types.result) != result.dtype) return {};
  return choice;
}

std::optional<ElementwiseCall> elementwise(const Trace& trace, const Step& step) {
  std::optional<ElementwiseCall> e;
  if (!step.call.op || !is_on_cpu(trace, step.reads) || !is_on_cpu(trace, step.writes)) return {};
  if (step.call.pointwise) e = of_pointwise(trace, step);
  if (step.call.op == &copy_op) e = of_copy(trace, step.call);
  if (step.call.op == &fill_op) e = of_fill(trace, step.call);
  if (!e) return {};
  e->dialect = step.call.dialect;
  if (e->dialect.error_watch() != ErrorWatch::Ready) e->operation.watched = nullptr;
  return e;
}

}  // namespace tnp::compiler
