// Building blocks of generated operators and nodes (tools/codegen/emit_functions.py,
// emit_nodes.py).
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

// The axis of a reduction over one axis or all, as a list. The result points to the argument.
inline OptIntList as_list(const std::optional<int64_t>& dim) {
  return dim ? OptIntList(IntList(&*dim, 1)) : std::nullopt;
}
inline OptIntList as_list(const int64_t& dim) { return IntList(&dim, 1); }

// The kernel for the common device of all operands. For an operator whose result shape depends on
// data, so that the kernel allocates the result.
template <class F, class... Ts>
inline F* kernel_for(const char* op, F* cpu, F* cuda, const Ts&... places) {
  const Device device = device_of_all(places...);
  if (TNP_LIKELY(device.is_cpu())) return cpu;
  if (device.is_meta()) raise_no_data(op);
  if (!cuda) raise_no_kernel(device, op);
  return cuda;
}

// The in-place variant name_ of an operator that is not pointwise: computes the result and copies
// it into `self`. If recorded, the node may save the operand, so it works on a copy. Raises Shape
// or Casting if `self` cannot hold the result.
Tensor operand_of_in_place(const Tensor& self, bool recorded);
const Tensor& write_in_place(const char* op, const Tensor& self, const Tensor& result);
template <class F>
const Tensor& in_place(const char* op, const Tensor& self, bool recorded, F&& f) {
  check_inplace(self, recorded);
  return write_in_place(op, self, f(operand_of_in_place(self, recorded)));
}

// Raises if where= is given and the reduction's derivative formula does not support it.
void check_where_is_not_recorded(const char* op, const Tensor& where);

// --- storage of nodes
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

// An operand as derivative formulas need it if dtype= changes real to complex numbers or the
// reverse. Functions in the formula, such as a logarithm or a square root, differ between the two.
TNP_COLD Tensor operand_cast_to(ScalarType dtype, const Tensor& operand);
inline Tensor operand_in(const std::optional<ScalarType>& dtype, const Tensor& operand) {
  return TNP_UNLIKELY(dtype && operand.defined()) ? operand_cast_to(*dtype, operand) : operand;
}

// Node of a pointwise operator. Its formulas use the gradients of all results, so the gradients of
// unused results are zeros. (Other nodes leave them undefined: for unused singular vectors, 0 times
// a pole is not 0.) With where=, masked-out elements have no gradient.
struct PointwiseNode : Node {
  PointwiseNode() { materialize_grads = true; }
  Tensor mask_;
  void mask_gradients(Tensors& grads) const {
    if (TNP_UNLIKELY(mask_.defined())) mask_all(grads);
  }

 private:
  TNP_COLD void mask_all(Tensors& grads) const;
};

// An operand as derivative formulas need it. A Python number takes the gradient's precision.
// Otherwise, combined with another number first, it would become the default dtype, which may be
// less precise than the operands were.
TNP_COLD Tensor number_beside(const Tensor& grad, const Tensor& number);
inline Tensor operand_beside(const Tensor& grad, Tensor operand) {
  return TNP_LIKELY(!operand.is_wrapped_number()) ? operand : number_beside(grad, operand);
}

// Node of an operator without a derivative: raises when a gradient reaches it.
struct NotDifferentiable final : Node {
  const char* name() const override { return "NotDifferentiable"; }
  Tensors apply(Tensors&& grads) override;
  const char* operation = "";
  const char* reason = "";
};

}  // namespace tnp
