#include "aten/compiler/steps.h"

#include "aten/dispatch/pointwise.h"
#include "aten/dispatch/pointwise_choice.h"
#include "aten/dispatch/reduce.h"
#include "aten/iterator/copy.h"

namespace tnp::compiler {

namespace {

// Sets the call of an operator without a descriptor: the name identifies it.
template <class... A>
void set_call(Step& step, Tracer& r, const char* name, const A&... arguments) {
  step.call.op = step.call.name = name;
  step.call.dialect = r.dialect_of_step();
  ArgumentWriter writer(r, step);
  (writer.add(arguments), ...);
}

constexpr char kCopy[] = "copy", kFill[] = "fill", kLook[] = "look";

}  // namespace

PointwiseStep::PointwiseStep(Tracer& r, const PointwiseOp& o, TensorList in, const PointwiseOptions& options) : op(o) {
  call.op = &op;
  call.name = op.name;
  call.dialect = r.dialect_of_step();
  ArgumentWriter writer(r, *this);
  for (const Tensor& t : in) writer.add(t);
  for (size_t i = 0; i < in.size(); ++i) inputs[i] = reads[i];
  writer.add(options);
}

void PointwiseStep::find_loop(const Tracer& r, TensorList in, const PointwiseOptions& options, const Tensor& result) {
  if (!result.device().is_cpu()) return find_device_loop(in, options, result);
  std::array<bool, 3> constants = {};
  for (size_t i = 0; i < in.size(); ++i) constants[i] = in[i].dim() == 0 && r.is_constant(inputs[i]);
  elementwise_ = Elementwise::of(op, in, options, constants, result);
  if (elementwise_ && is_new()) plan_ = LoopPlan::of(*elementwise_, in, result);
  if (plan_) allocates = {results[0]};
}

void PointwiseStep::find_device_loop(TensorList in, const PointwiseOptions& options, const Tensor& result) {
  constexpr int64_t kMostElements = int64_t{1} << 31;  // kernel indices have 32 bits
  if (op.nout != 1 || op.check || options.where.defined() || options.out[0].defined() || options.order == Order::F ||
      !result.is_contiguous() || result.numel() == 0 || result.numel() >= kMostElements)
    return;
  const PointwiseChoice choice = choose_loop(op, in, options.dtype, result.device().type);
  if (mixes_signs(op, choice, in) || shown_dtype(choice.loop->types[0], choice.types.result) != result.dtype()) return;
  DeviceLoop found{result.device(), choice.loop, choice.types.compute, {}};
  for (size_t i = 0; i < in.size(); ++i) {
    found.is_number[i] = in[i].device().is_cpu();
    if (in[i].is_unaligned()) return;
  }
  device_loop_ = found;
}

bool PointwiseStep::run(Frame& frame) const {
  const DialectGuard guard(call.dialect);
  if (plan_) {
    std::array<char*, 4> data = {frame.allocate(results[0])};
    for (size_t i = 0; i < op.nin; ++i) data[1 + i] = frame.data(inputs[i]);
    plan_->run(data);
    return true;
  }
  ArgumentReader reader(call, frame);
  std::array<Tensor, 3> in;
  for (size_t i = 0; i < op.nin; ++i) in[i] = reader.tensor();
  const TensorList operands(in.data(), op.nin);
  std::array<Tensor, 2> out;
  pointwise(op, operands, reader.pointwise_options(), out.data());
  for (size_t k = 0; k < op.nout; ++k)
    if (!frame.bind(results[k], out[k])) return false;
  return true;
}

ReduceStep::ReduceStep(Tracer& r, const ReductionOp& op, const Tensor& input, OptIntList dim, bool keepdim,
                       std::optional<ScalarType> dtype, const ReduceOptions& options)
    : op(op),
      dim(dim ? std::optional<DimVector>(*dim) : std::nullopt),
      keepdim(keepdim),
      dtype(dtype),
      parameter(options.parameter) {
  call.op = &op;
  call.name = op.name;
  call.dialect = r.dialect_of_step();
  ArgumentWriter writer(r, *this);
  writer.add(input), writer.add(dim), writer.add(keepdim), writer.add(dtype), writer.add(options);
}

bool ReduceStep::run(Frame& frame) const {
  const DialectGuard guard(call.dialect);
  ArgumentReader reader(call, frame);
  const Tensor& input = reader.tensor();
  for (int i = 0; i < 3; ++i) reader.next();  // the members below
  const Tensor result =
      reduce(op, input, dim ? OptIntList(IntList(*dim)) : std::nullopt, keepdim, dtype, reader.reduce_options());
  return results.bind(frame, TensorList(&result, 1));
}

bool EmptyStep::run(Frame& frame) const {
  if (!allocates.empty()) return frame.allocate(view), true;
  const View& v = frame.trace().views[static_cast<size_t>(view)];
  const Device device = frame.trace().slots[static_cast<size_t>(v.slot)].device;
  return frame.bind(view, empty_strided_tensor(v.sizes, v.strides, v.dtype, device));
}

CopyStep::CopyStep(Tracer& r, const Tensor& t, const Tensor& source, Casting casting) : casting_(casting) {
  set_call(*this, r, kCopy, t, source, casting);
  to = reads[0], from = reads[1];
}

bool CopyStep::run(Frame& frame) const {
  const DialectGuard guard(call.dialect);
  copy_into(frame.tensor(to), frame.tensor(from), casting_);
  return true;
}

FillStep::FillStep(Tracer& r, const Tensor& t, const Scalar& value) : number(value) {
  set_call(*this, r, kFill, t, value);
  to = reads[0];
}

bool FillStep::run(Frame& frame) const {
  const DialectGuard guard(call.dialect);
  fill_with(frame.tensor(to), number);
  return true;
}

LookStep::LookStep(Tracer& r, const Tensor& t, const Scalar& value) : value_(value) {
  looks = true;
  set_call(*this, r, kLook, t, value);
  view_ = reads[0];
}

bool LookStep::run(Frame& frame) const { return is_same(frame.tensor(view_).item(), value_); }

}  // namespace tnp::compiler
