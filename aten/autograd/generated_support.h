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
#include "aten/core/observer.h"
#include "aten/dispatch/pointwise.h"
#include "aten/dispatch/reduce.h"
#include "aten/iterator/aligned.h"
#include "aten/iterator/copy.h"
#include "aten/iterator/device_of.h"
#include "aten/iterator/overlap.h"

namespace tnp {

// --- forward
template <class F>
auto without_grad(F&& f) {
  RecordedGuard guard;
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

// Converts an optional axis to an optional list of one axis; nullopt means all axes. The result
// refers to `dim`'s memory.
inline OptIntList as_list(const std::optional<int64_t>& dim) {
  return dim ? OptIntList(IntList(&*dim, 1)) : std::nullopt;
}
inline OptIntList as_list(const int64_t& dim) { return IntList(&dim, 1); }

// Returns the kernel for the common device of all operands. Used for operators whose result shape
// depends on data and whose kernel therefore allocates the result.
template <class F, class... Ts>
inline F* kernel_for(const char* op, F* cpu, F* cuda, const Ts&... places) {
  const Device device = device_of_all(places...);
  if (TNP_LIKELY(device.is_cpu())) return cpu;
  if (device.is_wrapped() && observer()) return cpu;  // the observer sees the call first
  if (device.is_meta()) raise_no_data(op);
  if (!cuda) raise_no_kernel(device, op);
  return cuda;
}

// Helpers of in-place variants (`name_`) of operators that are not pointwise. The variant computes
// the result and copies it into `self`. If the call is recorded, the node may save the operand, so
// the operator reads a copy of `self`. Raises Shape or Casting if `self` cannot hold the result.
Tensor operand_of_in_place(const Tensor& self, bool requires_grad);
const Tensor& write_in_place(const char* op, const Tensor& self, const Tensor& result);
template <class F>
const Tensor& in_place(const char* op, const Tensor& self, bool requires_grad, F&& f) {
  check_inplace(self, requires_grad);
  check_elements_apart(self);
  return write_in_place(op, self, f(operand_of_in_place(self, requires_grad)));
}

// Raises if where= is given and the reduction's derivative formula does not support it.
void check_where_requires_no_grad(const char* op, const Tensor& where);

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

// Casts an operand for derivative formulas if dtype= changed it from real to complex or the
// reverse. The cast matters because functions in the formula, such as logarithm or square root,
// differ between real and complex numbers.
TNP_COLD Tensor operand_cast_to(ScalarType dtype, const Tensor& operand);
inline Tensor operand_in(const std::optional<ScalarType>& dtype, const Tensor& operand) {
  return TNP_UNLIKELY(dtype && operand.defined()) ? operand_cast_to(*dtype, operand) : operand;
}

// Node of a pointwise operator. Its formulas use the gradients of all results, so the gradients of
// unused results are zeros. (Other nodes leave unused gradients undefined. For example, the formula
// for unused singular vectors would multiply 0 by an infinite factor.) With where=, masked-out
// elements have no gradient.
struct PointwiseNode : Node {
  PointwiseNode() { materialize_grads = true; }
  Tensor mask_;
  void mask_gradients(Tensors& grads) const {
    if (TNP_UNLIKELY(mask_.defined())) mask_all(grads);
  }

 private:
  TNP_COLD void mask_all(Tensors& grads) const;
};

// Prepares an operand for derivative formulas: casts a Python number to the gradient's precision.
// If the formula combined two Python numbers without this cast, the result would have the default
// dtype, which may be less precise than the operands.
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
