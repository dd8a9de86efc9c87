#include "aten/compiler/steps.h"

#include <array>

#include "aten/dispatch/pointwise.h"
#include "aten/dispatch/reduce.h"

namespace tnp::compiler {

const OperatorSchema copy_op{"copy"}, fill_op{"fill"}, look_op{"look"};

namespace {

bool run_pointwise(void (*)(), const Call& call, const Results& results, Frame& frame) {
  const PointwiseOp& op = *call.pointwise;
  ArgumentReader reader(call, frame);
  std::array<Tensor, 3> in;
  for (size_t i = 0; i < op.nin; ++i) in[i] = reader.tensor();
  std::array<Tensor, 2> out;
  pointwise(op, TensorList(in.data(), op.nin), reader.pointwise_options(), out.data());
  return results.bind(frame, TensorList(out.data(), op.nout));
}

bool run_reduction(void (*)(), const Call& call, const Results& results, Frame& frame) {
  ArgumentReader reader(call, frame);
  const Tensor& input = reader.tensor();
  const auto dim = reader.read(std::type_identity<OptIntList>());
  const auto keepdim = reader.read(std::type_identity<bool>());
  const auto dtype = reader.read(std::type_identity<std::optional<ScalarType>>());
  const Tensor result = reduce(*call.reduction, input, dim, keepdim, dtype, reader.reduce_options());
  return results.bind(frame, TensorList(&result, 1));
}

bool run_look(void (*)(), const Call& call, const Results&, Frame& frame) {
  ArgumentReader reader(call, frame);
  const Tensor& t = reader.tensor();
  return is_same(t.item(), reader.read(std::type_identity<Scalar>()));
}

}  // namespace

TracedFunction pointwise_function() { return {nullptr, &run_pointwise}; }
TracedFunction reduction_function() { return {nullptr, &run_reduction}; }
TracedFunction look_function() { return {nullptr, &run_look}; }

bool EmptyStep::run(Frame& frame) const {
  if (!allocates.empty()) return frame.allocate(writes[0]), true;
  const View& v = frame.trace().views[static_cast<size_t>(writes[0])];
  const Device device = frame.trace().slots[static_cast<size_t>(v.slot)].device;
  return frame.bind(writes[0], empty_strided_tensor(v.sizes, v.strides, v.dtype, device));
}

}  // namespace tnp::compiler
