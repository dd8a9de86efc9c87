// Generated from native_functions/elements.yaml. Nodes of differentiable operators: the values saved for the gradient.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "aten/autograd/generated_support.h"

namespace tnp {

// twice(Tensor input) -> Tensor
struct TwiceBackward final : PointwiseNode {
  const char* name() const override { return "TwiceBackward0"; }
  Tensors apply(Tensors&& grads) override;
  void release_variables() override;
  void visit_saved(const std::function<void(const char*, SavedTensor&)>& visit) override;
  SavedTensor input_;
  SavedTensor result0_;
};

// halves(Tensor input) -> (Tensor low, Tensor high)
struct HalvesBackward final : PointwiseNode {
  const char* name() const override { return "HalvesBackward0"; }
  Tensors apply(Tensors&& grads) override;
  void release_variables() override;
  void visit_saved(const std::function<void(const char*, SavedTensor&)>& visit) override;
  SavedTensor result1_;
};

// total(Tensor input, int[]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor
struct TotalBackward final : Node {
  const char* name() const override { return "TotalBackward0"; }
  Tensors apply(Tensors&& grads) override;
  void release_variables() override;
  void visit_saved(const std::function<void(const char*, SavedTensor&)>& visit) override;
  DimVector input_sizes_{};
  std::optional<DimVector> dim_{};
  bool keepdim_{};
  SavedTensor mask_;
};

}  // namespace tnp
