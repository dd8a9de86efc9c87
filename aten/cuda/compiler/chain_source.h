// Code generator: writes a chain of pointwise operators as CUDA C++ source, using the functors of
// the single-operator kernels.
#pragma once

#include <string>

#include "aten/kernels/kernel_chain.h"

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

// The source of `chain`. Equal chains have equal sources, so the source can be a cache key.
std::string chain_source(const KernelChain& chain);

}  // namespace tnp::gpu
