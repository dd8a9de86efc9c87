// A chain of pointwise operators as a source in CUDA C++, of the functors that the kernels of single operators have.
#pragma once

#include <string>

#include "aten/kernels/kernel_chain.h"

namespace tnp::gpu {

// Where the functor of an operator is: "Add" in "arithmetic.h".
struct FunctorName {
  const PointwiseOp* op;
  const char* name;
  const char* header;
};
// Of all pointwise operators; generated (aten/cuda_tables.cpp).
std::span<const FunctorName> functor_names();
// Null if there is none.
const FunctorName* functor_of(const PointwiseOp& op);

// "tnp::Complex<float>"
const char* cpp_type(ScalarType dtype);

// Equal chains have equal sources.
std::string chain_source(const KernelChain& chain);

}  // namespace tnp::gpu
