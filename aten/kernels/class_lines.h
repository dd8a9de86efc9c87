// Geometry of classification losses: one axis of the input holds a score for each class. The target
// holds one class index for each line along that axis.
#pragma once

#include "aten/core/tensor.h"
#include "aten/kernels/dense_lines.h"

namespace tnp {

// The axis of `input` that holds the classes.
inline int64_t class_axis(const Tensor& input) { return input.dim() == 1 ? 0 : 1; }
inline DenseLines class_lines(const Tensor& input) { return {input.sizes(), class_axis(input)}; }

// How the losses of the lines are combined. None: each loss is a result. Mean: their sum divided by
// the sum of the targets' weights. Sum: their sum.
enum class LossReduction : int64_t { None, Mean, Sum };

}  // namespace tnp
