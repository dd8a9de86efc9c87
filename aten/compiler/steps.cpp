#include "aten/compiler/steps.h"

#include <bit>

#include "aten/dispatch/pointwise.h"
#include "aten/dispatch/pointwise_choice.h"
#include "aten/iterator/copy.h"

namespace tnp::compiler {

PointwiseStep::PointwiseStep(Tracer& r, const PointwiseOp& o, TensorList in, const PointwiseOptions& options)
    : op(o), dialect_(r.dialect_of_step()), options_(r, *this, options) {
  for (size_t i = 0; i < in.size(); ++i) inputs[i] = r.read(in[i], *this);
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
  const DialectGuard guard(dialect_);
  if (plan_) {
    std::array<char*, 4> data = {frame.allocate(results[0])};
    for (size_t i = 0; i < op.nin; ++i) data[1 + i] = frame.data(inputs[i]);
    plan_->run(data);
    return true;
  }
  std::array<Tensor, 3> in;
  for (size_t i = 0; i < op.nin; ++i) in[i] = frame.tensor(inputs[i]);
  const TensorList operands(in.data(), op.nin);
  std::array<Tensor, 2> out;
  pointwise(op, operands, options_.in(frame), out.data());
  for (size_t k = 0; k < op.nout; ++k)
    if (!frame.bind(results[k], out[k])) return false;
  return true;
}

std::string PointwiseStep::text() const {
  std::string s = op.name;
  s += '(';
  for (size_t i = 0; i < op.nin; ++i) {
    if (i > 0) s += ", ";
    print_view(s, inputs[i]);
  }
  options_.print(s);
  return s += ')';
}

bool EmptyStep::run(Frame& frame) const {
  if (!allocates.empty()) return frame.allocate(view), true;
  const View& v = frame.trace().views[static_cast<size_t>(view)];
  const Device device = frame.trace().slots[static_cast<size_t>(v.slot)].device;
  return frame.bind(view, empty_strided_tensor(v.sizes, v.strides, v.dtype, device));
}

bool CopyStep::run(Frame& frame) const {
  const DialectGuard guard(dialect);
  copy_into(frame.tensor(to), frame.tensor(from), casting_);
  return true;
}

std::string CopyStep::text() const {
  std::string s = "copy(";
  print_view(s, to);
  s += ", ";
  print_view(s, from);
  s += ", ";
  print_value(s, casting_);
  return s += ')';
}

bool FillStep::run(Frame& frame) const {
  const DialectGuard guard(dialect);
  fill_with(frame.tensor(to), number);
  return true;
}

std::string FillStep::text() const {
  std::string s = "fill(";
  print_view(s, to);
  s += ", ";
  print_value(s, number);
  return s += ')';
}

namespace {

bool is_same(const Scalar& a, const Scalar& b) {
  if (a.kind() != b.kind()) return false;
  if (a.is_integral()) return a.to<uint64_t>() == b.to<uint64_t>();
  const auto bits = [](double v) { return std::bit_cast<uint64_t>(v); };
  const auto x = a.to<Complex<double>>(), y = b.to<Complex<double>>();
  return bits(x.re) == bits(y.re) && bits(x.im) == bits(y.im);
}

}  // namespace

bool LookStep::run(Frame& frame) const { return is_same(frame.tensor(view_).item(), value_); }

std::string LookStep::text() const {
  std::string s = "look(";
  print_view(s, view_);
  s += ", ";
  print_value(s, value_);
  return s += ')';
}

}  // namespace tnp::compiler
