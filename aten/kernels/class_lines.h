// What losses are told of classes: an input of a number for each class, along one axis, and a target that names one of
// them in each line along it.
#pragma once

#include "aten/core/tensor.h"
#include "aten/kernels/dense_lines.h"

namespace tnp {

// Where the classes of `input` are.
inline int64_t class_axis(const Tensor& input) { return input.dim() == 1 ? 0 : 1; }
inline DenseLines class_lines(const Tensor& input) { return {input.sizes(), class_axis(input)}; }

// What becomes of the losses of the lines: each is a result, or their sum over that of the targets' weights, or their
// sum.
enum class LossReduction : int64_t { None, Mean, Sum };

}  // namespace tnp
