// The identity of an operator that is neither pointwise nor a reduction; those have descriptors
// (kernels/pointwise.h, kernels/reduction.h). Generated from the entries of native_functions.yaml.
#pragma once

namespace tnp {

struct OperatorSchema {
  const char* name;
};

}  // namespace tnp
