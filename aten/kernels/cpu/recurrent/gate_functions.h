// Chooses the loops of recurrent cells for this processor's instruction set.
#pragma once

#include <cmath>
#include <type_traits>

#include "aten/kernels/cpu/pointwise/loops_of_type.h"
#include "aten/kernels/cpu/pointwise/vector_math.h"
#include "aten/kernels/cpu/recurrent/recurrent_loops.h"

namespace tnp {

template <class T>
const RecurrentLoop<T>& recurrent_loop_of() {
  using namespace recurrent_loops;
  static constexpr LoopVariants<RecurrentLoops> variants = TNP_LOOP_VARIANTS(loops);
  static const RecurrentLoops& chosen = variants.choose()[0];
  return loops_of_type<T>(chosen);
}

template <class T>
void apply_sigmoid(T* x, int64_t n) {
  if (const auto f = chosen_vector_math_of<T>().sigmoid) {
    f(x, x, n);
  } else {
    for (int64_t i = 0; i < n; ++i) x[i] = T(1) / (T(1) + std::exp(-x[i]));
  }
}
template <class T>
void apply_tanh(const T* x, T* out, int64_t n) {
  if (const auto f = chosen_vector_math_of<T>().tanh) {
    f(x, out, n);
  } else {
    for (int64_t i = 0; i < n; ++i) out[i] = std::tanh(x[i]);
  }
}

}  // namespace tnp
