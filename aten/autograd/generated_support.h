// What generated operators and nodes are made of (tools/codegen/emit_functions.py, emit_nodes.py).
#pragma once

#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "aten/autograd/linear.h"
#include "aten/autograd/variable.h"
#include "aten/core/devices/device_runtime.h"
#include "aten/dispatch/pointwise.h"
#include "aten/dispatch/reduce.h"
#include "aten/iterator/aligned.h"
#include "aten/iterator/copy.h"
#include "aten/iterator/device_of.h"

namespace tnp {

// --- forward
template <class F>
auto without_recording(F&& f) {
  NoGradGuard guard;
  return f();
}

template <class... Ts>
inline Tensor run_pointwise(const PointwiseOp& op, const PointwiseOptions& options, const Ts&... operands) {
  const Tensor list[] = {operands...};
  return pointwise(op, list, options);
}
template <class... Ts>
inline std::tuple<Tensor, Tensor> run_pointwise_pair(const PointwiseOp& op, const PointwiseOptions& options,
                                                     const Ts&... operands) {
  const Tensor list[] = {operands...};
  Tensor results[2];
  pointwise(op, list, options, results);
  return {std::move(results[0]), std::move(results[1])};
}

// The axis of a reduction over one axis or all. The result points to the argument.
inline OptIntList as_list(const std::optional<int64_t>& dim) {
  return dim ? OptIntList(IntList(&*dim, 1)) : std::nullopt;
}
inline OptIntList as_list(const int64_t& dim) { return IntList(&dim, 1); }

// The kernel for the device that all of these are on: of an operator whose result's shape depends on data, so that the
// kernel makes it.
template <class F, class... Ts>
inline F* kernel_for(const char* op, F* cpu, F* cuda, const Ts&... places) {
  const Device device = device_of_all(places...);
  if (TNP_LIKELY(device.is_cpu())) return cpu;
  if (device.is_meta()) raise_no_data(op);
  if (!cuda) raise_no_kernel(device, op);
  return cuda;
}

// The variant name_ of an operator that is not pointwise: its result, copied into `self`. What was recorded may keep
// its operand, which then is a copy. Raises Shape or Casting where `self` cannot hold the result.
Tensor operand_of_in_place(const Tensor& self, bool recorded);
const Tensor& write_in_place(const char* op, const Tensor& self, const Tensor& result);
template <class F>
const Tensor& in_place(const char* op, const Tensor& self, bool recorded, F&& f) {
  check_inplace(self, recorded);
  return write_in_place(op, self, f(operand_of_in_place(self, recorded)));
}

// The derivative of a reduction that says nothing of where= would be wrong with one.
void check_where_is_not_recorded(const char* op, const Tensor& where);

// --- what nodes keep
inline std::optional<DimVector> stored(const OptIntList& list) {
  return list ? std::optional<DimVector>(*list) : std::nullopt;
}
inline OptIntList restored(const std::optional<DimVector>& list) {
  return list ? OptIntList(IntList(*list)) : std::nullopt;
}
std::vector<SavedTensor> saved_list(TensorList tensors);
std::vector<Tensor> unpacked(const std::vector<SavedTensor>& saved, Node* owner);
std::vector<DimVector> sizes_of(TensorList tensors);
std::vector<ScalarType> dtype_of(TensorList tensors);
std::vector<int64_t> dim_of(TensorList tensors);

// An operand as formulas see it where dtype= makes complex numbers of real ones or the reverse: what they ask of
// numbers (a logarithm, a square root) has other answers for those.
TNP_COLD Tensor operand_cast_to(ScalarType dtype, const Tensor& operand);
inline Tensor operand_in(const std::optional<ScalarType>& dtype, const Tensor& operand) {
  return TNP_UNLIKELY(dtype && operand.defined()) ? operand_cast_to(*dtype, operand) : operand;
}

// A pointwise operator: its formulas do arithmetic with the gradients of all results, so those of unused ones are
// zeros. (Others ask: the gradient of unused singular vectors is no zero, since 0 times a pole is not 0.) With where=,
// elements that were not computed have no gradient.
struct PointwiseNode : Node {
  PointwiseNode() { materialize_grads = true; }
  Tensor mask_;
  void mask_gradients(Tensors& grads) const {
    if (TNP_UNLIKELY(mask_.defined())) mask_all(grads);
  }

 private:
  TNP_COLD void mask_all(Tensors& grads) const;
};

// An operand as formulas see it. A Python number takes the precision of the gradient: in a formula it may meet another
// number first, and of two numbers operators make the default dtype, which may be shorter than the operands were.
TNP_COLD Tensor number_beside(const Tensor& grad, const Tensor& number);
inline Tensor operand_beside(const Tensor& grad, Tensor operand) {
  return TNP_LIKELY(!operand.is_wrapped_number()) ? operand : number_beside(grad, operand);
}

// Stands for an operator without a derivative: raises when a gradient reaches it.
struct NotDifferentiable final : Node {
  const char* name() const override { return "NotDifferentiable"; }
  Tensors apply(Tensors&& grads) override;
  const char* operation = "";
  const char* reason = "";
};

}  // namespace tnp
