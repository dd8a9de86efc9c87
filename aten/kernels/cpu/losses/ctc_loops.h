// Loops over the states of a step of connectionist temporal classification: for each instruction set.
#pragma once

#include <cstdint>

#include "aten/core/threads/capability.h"

namespace tnp {

// Whole registers are read and written: of `n` numbers, so many more that their count is a multiple of kCtcLanes.
inline constexpr int64_t kCtcLanes = 16;

template <class T>
struct CtcLoop {
  // to[s] = log(exp(from[s]) + exp(from[s - 1]) + exp(from[s - 2])) + emission[s], the third where leap[s] is not 0
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
