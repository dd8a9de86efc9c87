// In which dtype kernels that reduce floats take their operands.
#pragma once

#include "aten/dispatch/outputs.h"
#include "aten/iterator/dense.h"

namespace tnp::meta {

// Of values of `dtype`: on the CPU what is computed in; kernels of GPUs read and write 16-bit floats themselves.
inline ScalarType taken_dtype(const Outputs& outputs, ScalarType dtype) {
  return outputs.device().is_cpu() ? compute_type(dtype) : dtype;
}

// Row-major, in `dtype`; what is undefined stays so.
inline void make_dense(Operand& t, ScalarType dtype) {
  if (t->defined()) t = native::to_dense(t, dtype);
}

// Numbers that are read once a line, as weights are: those of 16 bits stay as they are, where kernels take such.
inline void make_parameter(const Outputs& outputs, Operand& t, ScalarType computed) {
  const bool stays = t->defined() && !outputs.device().is_cpu() && compute_type(t->dtype()) == computed;
  make_dense(t, stays ? t->dtype() : computed);
}

// A number of the CPU goes along with operands on a device (aten/iterator/device_of.h), whose kernels cannot read it
// there.
inline void bring_number(const Outputs& outputs, Operand& t) {
  if (t->device() == outputs.device() || outputs.device().is_meta()) return;
  Tensor there = empty_tensor(t->sizes(), t->dtype(), outputs.device());
  copy_into(there, t);
  t = there;
}

}  // namespace tnp::meta
