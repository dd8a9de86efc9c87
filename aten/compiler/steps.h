// Steps that the compiler knows more of than that they are calls.
#pragma once

#include <array>
#include <optional>

#include "aten/compiler/call.h"
#include "aten/compiler/loop_plan.h"

namespace tnp::compiler {

// A pointwise operator.
class PointwiseStep final : public Step {
 public:
  PointwiseStep(Recorder& r, const PointwiseOp& op, TensorList inputs, const PointwiseOptions& options);
  bool run(Frame& frame) const override;
  std::string text() const override;

  // How it is replayed: a large result may be pending (Note [Pending results] in aten/core/storage.h), a small one
  // comes from its loop without a detour.
  void find_loop(const Recorder& r, TensorList inputs, const PointwiseOptions& options, const Tensor& result);
  // Where it may be a part of a kernel with its neighbours: the loop that it has on its device.
  struct DeviceLoop {
    Device device;
    const PointwiseLoop* loop;
    ScalarType compute;
    bool is_number[3];  // inputs that are numbers in the host's memory
  };
  const std::optional<DeviceLoop>& device_loop() const { return device_loop_; }
  // Whether the result's memory may be given to it.
  bool takes_memory() const { return plan_.has_value(); }
  bool may_be_pending() const { return loop_ != nullptr; }

  const PointwiseOp& op;
  std::array<int, 3> inputs = {-1, -1, -1};
  std::array<int, 2> results = {-1, -1};

 private:
  void find_device_loop(TensorList inputs, const PointwiseOptions& options, const Tensor& result);

  std::optional<LoopPlan> plan_;
  std::optional<DeviceLoop> device_loop_;
  // Of a result that may be pending.
  const PointwiseLoop* loop_ = nullptr;
  ScalarType dtype_ = ScalarType::Bool;  // of its result
  Dialect dialect_;
  Kept<PointwiseOptions> options_;
};

// Memory for what later steps write.
class EmptyStep final : public Step {
 public:
  bool run(Frame& frame) const override;
  std::string text() const override { return "empty()"; }
  int view = -1;
  Device device;
};

// Python has read the one element of an array.
class LookStep final : public Step {
 public:
  LookStep(Recorder& r, const Tensor& t, const Scalar& value) : view_(r.read(t, *this)), value_(value) { looks = true; }
  bool run(Frame& frame) const override;
  std::string text() const override;

 private:
  int view_;
  Scalar value_;
};

}  // namespace tnp::compiler
