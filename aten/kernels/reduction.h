// Reductions: a descriptor per operator, generated from `reduction:` entries, and the loops that a device has. What
// plans and runs them is in aten/dispatch/reduce.h.
#pragma once

#include <optional>
#include <span>

#include "aten/core/errors/floating_point_errors.h"
#include "aten/core/numbers/promotion.h"
#include "aten/core/tensor.h"

namespace tnp {

// Which dtype a reduction computes in and gives (`promotion:` of a `reduction:` entry).
enum class ReductionRule : uint8_t {
  IntegerSum,    // sum, prod: np widens small integers to (u)int64, torch to int64; floats keep their dtype
  Same,          // max, min
  Floating,      // mean: np integers as float64; torch raises for integers
  FloatingReal,  // var, std: as Floating; complex gives its real dtype
  Bool,          // any, all: result bool
  Index,         // argmax, argmin: result int64
  Count,         // count_nonzero: result int64
};

struct ReducePlan;  // aten/kernels/reduce_plan.h

struct ReductionLoop {
  ScalarType key;  // what the input is read as (cast in chunks)
  ScalarType result;
  const char* empty_error;  // what reducing nothing raises (Shape); null: it gives the identity
  void (*run)(const ReducePlan& plan);
};

struct ReductionOp {
  const char* name;
  ReductionRule promotion;
  // Generated: make_reduction_loops<Sum, ComputeTypes>() of kernels/cpu/reduction/reduction_loops.h.
  std::span<const ReductionLoop> (*loops)(DeviceType);
  ErrorSource errors;                                      // `floating_point_errors:` of the entry
  mutable std::span<const ReductionLoop> cuda_loops = {};  // filled in when the CUDA library is loaded
};

// NumPy's reduction parameters that torch has no word for.
struct ReduceOptions {
  Tensor out;
  std::optional<Scalar> initial;
  Tensor where;
  double parameter = 0;   // handed to the functor's finish(): var's correction
  Tensor initial_tensor;  // 0-d, has the value of `initial`: where its gradient goes. Undefined if it needs none
  // What formulas see.
  Tensor initial_or_undefined() const {
    return initial_tensor.defined() || !initial ? initial_tensor : wrapped_number(*initial);
  }
};

}  // namespace tnp
