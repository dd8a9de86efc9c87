// Reductions: a descriptor for each operator, generated from `reduction:` entries, and a device's
// loops. aten/dispatch/reduce.h plans and runs them.
#pragma once

#include <optional>
#include <span>

#include "aten/core/errors/floating_point_errors.h"
#include "aten/core/numbers/promotion.h"
#include "aten/core/tensor.h"
#include "aten/kernels/loops.h"

namespace tnp {

// The dtypes of a reduction's computation and result (`promotion:` of a `reduction:` entry).
enum class ReductionRule : uint8_t {
  IntegerSum,    // sum, prod: np widens small integers to (u)int64, torch to int64; floats keep their dtype
  Same,          // max, min
  Floating,      // mean: np integers as float64; torch raises for integers
  FloatingReal,  // var, std: as Floating; complex gives its real dtype
  Bool,          // any, all: result bool
  Index,         // argmax, argmin: result int64
  Count,         // count_nonzero: result int64
};

struct ReductionOp {
  const char* name;
  ReductionRule promotion;
  // Generated: make_reduction_loops<Sum, ComputeTypes>() of kernels/cpu/reduction/reduction_loops.h.
  std::span<const ReductionLoop> (*loops)(DeviceType);
  ErrorSource errors;                                      // `floating_point_errors:` of the entry
  mutable std::span<const ReductionLoop> cuda_loops = {};  // set when the CUDA library is loaded
};

// NumPy's reduction parameters that torch does not have.
struct ReduceOptions {
  Tensor out;
  OutDtype out_dtype = OutDtype::SameKind;
  std::optional<Scalar> initial;
  Tensor where;
  double parameter = 0;  // passed to the functor's finish(), e.g. var's correction
  // 0-d tensor with the value of `initial`, to which the gradient flows. Undefined if no gradient
  // is needed.
  Tensor initial_tensor;
  // `initial` in the form that gradient formulas receive.
  Tensor initial_or_undefined() const {
    return initial_tensor.defined() || !initial ? initial_tensor : wrapped_number(*initial);
  }
};

}  // namespace tnp
