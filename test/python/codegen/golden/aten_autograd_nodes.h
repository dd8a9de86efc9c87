// Generated from native_functions.yaml. What each differentiable operator keeps for its gradient.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "aten/autograd/generated_support.h"

namespace tnp {

// twice(Tensor input) -> Tensor
struct TwiceBackward final : PointwiseNode {
  const char* name() const override { return "TwiceBackward"; }
  Tensors apply(Tensors&& grads) override;
  void release_variables() override;
  SavedTensor input_;
  SavedTensor result0_;
};

// halves(Tensor input) -> (Tensor low, Tensor high)
struct HalvesBackward final : PointwiseNode {
  const char* name() const override { return "HalvesBackward"; }
  Tensors apply(Tensors&& grads) override;
  void release_variables() override;
  SavedTensor result1_;
};

// total(Tensor input, int[]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor
struct TotalBackward final : Node {
  const char* name() const override { return "TotalBackward"; }
  Tensors apply(Tensors&& grads) override;
  void release_variables() override;
  DimVector input_sizes_{};
  std::optional<DimVector> dim_{};
  bool keepdim_{};
  SavedTensor mask_;
};

// product(Tensor input, Tensor other, float scale=1.5) -> Tensor
struct ProductBackward final : Node {
  const char* name() const override { return "ProductBackward"; }
  Tensors apply(Tensors&& grads) override;
  void release_variables() override;
  SavedTensor other_;
  double scale_{};
};

// swapped(Tensor(a) input, int dim0, int dim1) -> Tensor(a)
struct SwappedBackward final : Node {
  const char* name() const override { return "SwappedBackward"; }
  Tensors apply(Tensors&& grads) override;
  void release_variables() override;
  int64_t dim0_{};
  int64_t dim1_{};
};

// assign_(Tensor(a!) self, Tensor src) -> Tensor(a!)
struct AssignBackward final : Node {
  const char* name() const override { return "AssignBackward"; }
  Tensors apply(Tensors&& grads) override;
  void release_variables() override;
};

// joined(Tensor[] tensors, int dim=0) -> Tensor
struct JoinedBackward final : Node {
  const char* name() const override { return "JoinedBackward"; }
  Tensors apply(Tensors&& grads) override;
  void release_variables() override;
  std::vector<DimVector> tensors_sizes_{};
  int64_t dim_{};
};

}  // namespace tnp
