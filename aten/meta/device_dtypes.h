// The dtypes in which kernels that reduce floats accept their operands.
#pragma once

#include "aten/dispatch/outputs.h"
#include "aten/iterator/dense.h"

namespace tnp::meta {

// The operand dtype for values of `dtype`: the compute dtype on the CPU. GPU kernels read and write
// 16-bit floats directly.
inline ScalarType taken_dtype(const Outputs& outputs, ScalarType dtype) {
  return outputs.device().is_cpu() ? compute_type(dtype) : dtype;
}

// Makes `t` row-major, in `dtype`. An undefined tensor stays undefined.
inline void make_dense(Operand& t, ScalarType dtype) {
  if (t->defined()) t = native::to_dense(t, dtype);
}

// Makes the parameter `t` dense, such as a weight, since kernels read it once per line. 16-bit
// floats stay unconverted where kernels accept them.
inline void make_parameter(const Outputs& outputs, Operand& t, ScalarType computed) {
  const bool stays = t->defined() && !outputs.device().is_cpu() && compute_type(t->dtype()) == computed;
  make_dense(t, stays ? t->dtype() : computed);
}

// Copies a CPU scalar to the results' device. It may accompany operands on a device
// (aten/iterator/device_of.h), but kernels cannot read it on the CPU.
inline void bring_number(const Outputs& outputs, Operand& t) {
  if (t->device() == outputs.device() || outputs.device().is_meta()) return;
  t = native::dense_copy(t, t->dtype(), outputs.device());
}

}  // namespace tnp::meta
