// Loops over the states of a CTC time step, compiled for each instruction set.
#pragma once

#include <cstdint>

#include "aten/core/threads/capability.h"

namespace tnp {

// The loops read and write whole registers: for `n` numbers, up to the next multiple of kCtcLanes.
inline constexpr int64_t kCtcLanes = 16;

template <class T>
struct CtcLoop {
  // to[s] = log(exp(from[s]) + exp(from[s - 1]) + exp(from[s - 2])) + emission[s]. The third term
  // counts only where leap[s] is not 0.
  void (*step)(const T* from, const T* leap, const T* emission, T* to, int64_t n);
  // to[s] = exp(alpha[s] + beta[s] - log_likelihood - emission[s])
  void (*posterior)(const T* alpha, const T* beta, const T* emission, T log_likelihood, T* to, int64_t n);
};
struct CtcLoops {
  CtcLoop<float> floats;
  CtcLoop<double> doubles;
};

namespace ctc_loops {
TNP_DECLARE_LOOPS(CtcLoops, loops)
}  // namespace ctc_loops

}  // namespace tnp
