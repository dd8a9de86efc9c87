// Steps of operators that the compiler can plan or fuse. All other operators are CallSteps
// (traced.h).
#pragma once

#include <array>
#include <memory>
#include <optional>

#include "aten/compiler/allocating_step.h"
#include "aten/compiler/elementwise.h"
#include "aten/compiler/loop_plan.h"
#include "aten/compiler/traced.h"

namespace tnp::compiler {

// A pointwise operator.
class PointwiseStep final : public AllocatingStep {
 public:
  PointwiseStep(Tracer& r, const PointwiseOp& op, TensorList inputs, const PointwiseOptions& options);
  // Also for a block that computes the same again.
  std::unique_ptr<Step> clone() const override { return std::unique_ptr<Step>(new PointwiseStep(*this)); }
  bool run(Frame& frame) const override;

  // Chooses how it is replayed: a small result is computed by its loop directly, without the
  // operator's dispatch.
  void find_loop(const Tracer& r, TensorList inputs, const PointwiseOptions& options, const Tensor& result);
  // The device loop, if a device kernel may fuse the step with its neighbours.
  struct DeviceLoop {
    Device device;
    const PointwiseLoop* loop;
    ScalarType compute;
    bool is_number[3];  // inputs that are numbers in host memory
  };
  const std::optional<DeviceLoop>& device_loop() const { return device_loop_; }
  // The description that a fused block program needs; nullopt if the step cannot be fused.
  const std::optional<Elementwise>& elementwise() const { return elementwise_; }
  bool is_new() const { return !call.gives("out"); }
  bool has_loop() const { return plan_.has_value(); }
  int64_t num_lines() const { return plan_->num_lines(); }

  const PointwiseOp& op;
  std::array<int, 3> inputs = {-1, -1, -1};
  std::array<int, 2> results = {-1, -1};

 private:
  PointwiseStep(const PointwiseStep&) = default;
  void find_device_loop(TensorList inputs, const PointwiseOptions& options, const Tensor& result);

  std::optional<Elementwise> elementwise_;
  std::optional<LoopPlan> plan_;
  std::optional<DeviceLoop> device_loop_;
};

// A reduction.
class ReduceStep final : public Step {
 public:
  ReduceStep(Tracer& r, const ReductionOp& op, const Tensor& input, OptIntList dim, bool keepdim,
             std::optional<ScalarType> dtype, const ReduceOptions& options);
  bool run(Frame& frame) const override;
  std::unique_ptr<Step> clone() const override { return std::unique_ptr<Step>(new ReduceStep(*this)); }

  const ReductionOp& op;
  const std::optional<DimVector> dim;
  const bool keepdim;
  const std::optional<ScalarType> dtype;
  const double parameter;
  Results results;
};

// Allocates memory that later steps write.
class EmptyStep final : public AllocatingStep {
 public:
  EmptyStep() { call.op = call.name = "empty"; }
  std::unique_ptr<Step> clone() const override { return std::unique_ptr<Step>(new EmptyStep(*this)); }
  bool run(Frame& frame) const override;
  int view = -1;
};

class CopyStep final : public Step {
 public:
  CopyStep(Tracer& r, const Tensor& to, const Tensor& from, Casting casting);
  std::unique_ptr<Step> clone() const override { return std::unique_ptr<Step>(new CopyStep(*this)); }
  bool run(Frame& frame) const override;

  int to, from;  // views

 private:
  const Casting casting_;
};

class FillStep final : public Step {
 public:
  FillStep(Tracer& r, const Tensor& to, const Scalar& number);
  std::unique_ptr<Step> clone() const override { return std::unique_ptr<Step>(new FillStep(*this)); }
  bool run(Frame& frame) const override;

  int to;  // view
  const Scalar number;
};

// Guard: Python read the one element of an array.
class LookStep final : public Step {
 public:
  LookStep(Tracer& r, const Tensor& t, const Scalar& value);
  std::unique_ptr<Step> clone() const override { return std::unique_ptr<Step>(new LookStep(*this)); }
  bool run(Frame& frame) const override;

 private:
  int view_;
  Scalar value_;
};

}  // namespace tnp::compiler
