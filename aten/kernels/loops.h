// Entries of the tables of compiled loops. Descriptors of operators (pointwise.h, reduction.h) refer to
// these tables.
#pragma once

#include "aten/core/numbers/dtype.h"
#include "aten/iterator/loop.h"

namespace tnp {

struct IterationPlan;  // aten/iterator/iterator.h

// One compiled loop: the functor instantiated for one C++ type. `key` is the dtype it computes in.
//
// To compute in dtype `compute`, an operator uses the loop with key == compute. (float16 loops
// exist for nextafter and spacing only.) Otherwise it uses the loop with key ==
// compute_type(compute), or raises Dtype if there is none. An operand or output whose type is the
// key has the dtype given by LoopTypes. An operand or output with another type (ldexp's exponent,
// frexp's second result) has the dtype of that type.
struct PointwiseLoop {
  ScalarType key;
  ScalarType types[4];  // outputs first, then inputs (nout + nin <= 4)
  union {
    Loop loop;                                  // on the CPU
    void (*launch)(const IterationPlan& plan);  // on other devices
  };
};

struct ReducePlan;  // aten/kernels/reduce_plan.h

struct ReductionLoop {
  ScalarType key;  // the dtype to which the input is cast, in chunks
  ScalarType result;
  // The message of the Shape error that an empty reduction raises. If null, an empty reduction
  // gives the identity.
  const char* empty_error;
  void (*run)(const ReducePlan& plan);
};

}  // namespace tnp
