// Connectionist temporal classification: what its kernels share, for host and device.
//
// Note [States of CTC] A target of n classes is written down in 2 n + 1 states: blank, class, blank, ..., class, blank.
// Each step is in one of them: that of the step before, the next, or the one after that where this leaves out a blank
// between two different classes. It begins in one of the first two states and ends in one of the last two.
// alpha(t, s) is the probability of all ways through steps 0 ... t that end in s, and beta(t, s) that of all ways
// through steps t ... that begin there, both with step t itself. Backwards, the states make a target too, of the
// classes in reverse order: beta is alpha of that. Source: A. Graves, S. Fernandez, F. Gomez and J. Schmidhuber,
// Connectionist Temporal Classification, ICML 2006.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "aten/core/macros.h"

namespace tnp::ctc {

// A row of the operator's argument `sequences`.
struct Sequence {
  int64_t begin, steps, length;  // `length` classes of the targets, from `begin` on

  TNP_HOST_DEVICE int64_t states() const { return 2 * length + 1; }
};

// log(0); and numbers that this is subtracted from.
template <class T>
inline constexpr T kNever = -std::numeric_limits<T>::infinity();
template <class T>
TNP_HOST_DEVICE T finite_or_zero(T x) {
  return x == kNever<T> ? T(0) : x;
}

// What is left of exp(log(0) - log_likelihood - log_prob), the posterior of a class that the target does not have: as 0
// over 0, NaN where the class or the target is impossible. PyTorch's gradients are NaN there, too.
template <class T>
TNP_HOST_DEVICE T zero_or_nan(T log_prob, T log_likelihood) {
  const T exponent = (kNever<T> - log_likelihood) - log_prob;
  return exponent == exponent ? T(0) : exponent;
}

// Of log(alpha) at the last step.
template <class T>
TNP_HOST_DEVICE T log_likelihood(const T* last, const Sequence& sequence) {
  if (sequence.steps == 0) return sequence.length == 0 ? T(0) : kNever<T>;
  if (sequence.length == 0) return last[0];  // one state alone
  const T a = last[2 * sequence.length], b = last[2 * sequence.length - 1];
  const T most = finite_or_zero(a > b ? a : b);
  return std::log(std::exp(a - most) + std::exp(b - most)) + most;
}

}  // namespace tnp::ctc
