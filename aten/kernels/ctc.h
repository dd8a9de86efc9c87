// Definitions that the kernels of connectionist temporal classification (CTC) share, for host and
// device.
//
// Note [States of CTC] A target of n classes is a sequence of 2 n + 1 states: blank, class, blank,
// ..., class, blank. Each time step is in one state. The next step stays in that state, moves to
// the next one, or moves by two if this skips a blank between two different classes. A path begins
// in one of the first two states and ends in one of the last two. alpha(t, s) is the probability of
// all paths through steps 0 ... t that end in s. beta(t, s) is the probability of all paths through
// steps t ... that begin in s. Both include step t itself. Reversed in time, the states are those
// of the target with its classes in reverse order, so beta is computed as alpha of the reversed
// target. Source: A. Graves, S. Fernandez, F. Gomez and J. Schmidhuber, Connectionist Temporal
// Classification, ICML 2006.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "aten/core/macros.h"

namespace tnp::ctc {

// A row of the operator's argument `sequences`.
struct Sequence {
  int64_t begin, steps, length;  // `length` classes of the targets, starting at `begin`

  TNP_HOST_DEVICE int64_t states() const { return 2 * length + 1; }
};

// log(0). finite_or_zero() replaces it by 0, so that subtracting it gives no NaN.
template <class T>
inline constexpr T kNever = -std::numeric_limits<T>::infinity();
template <class T>
TNP_HOST_DEVICE T finite_or_zero(T x) {
  return x == kNever<T> ? T(0) : x;
}

// exp(log(0) - log_likelihood - log_prob), the posterior of a class that is not in the target: 0,
// or NaN if the class or the target is impossible (0 / 0). PyTorch's gradients are NaN there, too.
template <class T>
TNP_HOST_DEVICE T zero_or_nan(T log_prob, T log_likelihood) {
  const T exponent = (kNever<T> - log_likelihood) - log_prob;
  return exponent == exponent ? T(0) : exponent;
}

// `last`: log(alpha) at the last step.
template <class T>
TNP_HOST_DEVICE T log_likelihood(const T* last, const Sequence& sequence) {
  if (sequence.steps == 0) return sequence.length == 0 ? T(0) : kNever<T>;
  if (sequence.length == 0) return last[0];  // the only state
  const T a = last[2 * sequence.length], b = last[2 * sequence.length - 1];
  const T most = finite_or_zero(a > b ? a : b);
  return std::log(std::exp(a - most) + std::exp(b - most)) + most;
}

}  // namespace tnp::ctc
