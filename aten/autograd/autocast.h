// Casts of operands in automatic mixed precision.
//
// Note [Autocast] A generated operator with a rule first tests is_autocast_on(). If it is, a cold
// function makes an AutocastCall, casts the operands and calls the operator again. While the object
// lives, nothing else is cast, so the operator and what it calls run in the dtypes of the rule. The
// casts are operators above the tape: gradients arrive in the dtypes of the program's own tensors.
//
// Casts of leaves that require a gradient (weights) to the lower precision are cached until the
// thread's outermost region ends, so a weight that is used twice is cast once. A cached cast is
// cast anew if the weight has changed, or if it was made without gradients and one is needed.
#pragma once

#include <initializer_list>
#include <optional>
#include <vector>

#include "aten/core/autocast.h"
#include "aten/core/tensor.h"

namespace tnp {

// Whether the device of these operands has a rule other than Inner. Called while autocast is on.
TNP_API TNP_COLD bool has_autocast_rule(AutocastRule cpu, AutocastRule cuda,
                                        std::initializer_list<TensorList> operands);

class TNP_API AutocastCall {
 public:
  AutocastCall(AutocastRule cpu, AutocastRule cuda, std::initializer_list<TensorList> operands);
  Tensor cast(const Tensor& t) const;
  std::vector<Tensor> cast(TensorList list) const;
  // The argument `dtype` of an operator with the rule Float32Result.
  std::optional<ScalarType> result_dtype(std::optional<ScalarType> given, const Tensor& input) const;

 private:
  bool is_eligible(const Tensor& t) const;
  // Casts t, or returns its cached cast.
  Tensor cached(const Tensor& t) const;

  DeviceType device_ = DeviceType::CPU;
  AutocastRule rule_ = AutocastRule::None;
  ScalarType lower_ = ScalarType::BFloat16;
  ScalarType to_ = ScalarType::Float32;
  NoAutocastGuard guard_;
};

// Forgets the thread's cached casts.
TNP_API void clear_autocast_cache();

}  // namespace tnp
