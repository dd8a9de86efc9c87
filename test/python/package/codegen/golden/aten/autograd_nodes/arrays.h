// Generated from native_functions/arrays.yaml. Nodes of differentiable operators: the values saved for the gradient.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "aten/autograd/generated_support.h"

namespace tnp {

// product(Tensor input, Tensor other, float scale=1.5) -> Tensor
struct ProductBackward final : Node {
  const char* name() const override { return "ProductBackward0"; }
  Tensors apply(Tensors&& grads) override;
  void release_variables() override;
  void visit_saved(const std::function<void(const char*, SavedTensor&)>& visit) override;
  SavedTensor other_;
  double scale_{};
};

// swapped(Tensor(a) input, int dim0, int dim1) -> Tensor(a)
struct SwappedBackward final : Node {
  const char* name() const override { return "SwappedBackward0"; }
  Tensors apply(Tensors&& grads) override;
  void release_variables() override;
  int64_t dim0_{};
  int64_t dim1_{};
};

// assign_(Tensor(a!) self, Tensor src) -> Tensor(a!)
struct AssignBackward final : Node {
  const char* name() const override { return "AssignBackward0"; }
  Tensors apply(Tensors&& grads) override;
  void release_variables() override;
};

// joined(Tensor[] tensors, int dim=0) -> Tensor
struct JoinedBackward final : Node {
  const char* name() const override { return "JoinedBackward0"; }
  Tensors apply(Tensors&& grads) override;
  void release_variables() override;
  std::vector<DimVector> tensors_sizes_{};
  int64_t dim_{};
};

// normalized(Tensor input, Tensor? weight=None, float[] scales=[0.5, 2.0], *, float[]? range=None, bool[] flags=[True]) -> (Tensor values, Tensor norm)
struct NormalizedBackward final : Node {
  const char* name() const override { return "NormalizedBackward0"; }
  Tensors apply(Tensors&& grads) override;
  void release_variables() override;
  void visit_saved(const std::function<void(const char*, SavedTensor&)>& visit) override;
  SavedTensor input_;
  SavedTensor weight_;
  std::vector<double> scales_{};
  std::optional<std::vector<double>> range_{};
};

}  // namespace tnp
