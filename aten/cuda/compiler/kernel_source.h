// Code generator: writes a fused kernel as CUDA C++ source, using the functors of
// the single-operator kernels.
#pragma once

#include <string>

#include "aten/kernels/fused_kernel.h"

namespace tnp::gpu {

// Name and header of an operator's functor: "Add" in "arithmetic.h".
struct FunctorName {
  const PointwiseOp* op;
  const char* name;
  const char* header;
};
// The functors of all pointwise operators; generated (aten/cuda_tables.cpp).
std::span<const FunctorName> functor_names();
// The functor of `op`, or null if it has none.
const FunctorName* functor_of(const PointwiseOp& op);

// The C++ spelling of `dtype`, e.g. "tnp::Complex<float>".
const char* cpp_type(ScalarType dtype);

// The source of `kernel`. Equal kernels have equal sources, so the source can be a cache key.
std::string kernel_source(const FusedKernel& kernel);

}  // namespace tnp::gpu
