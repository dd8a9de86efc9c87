// Update rules of optimisers for one element of a parameter, on host and device. A rule is
// constructed from the coefficients of one parameter. It is called with an element of the
// parameter, of the gradient and of each state.
//
// Flags are selected without branches, so that compilers vectorise the loops over elements.
#pragma once

#include <cmath>
#include <cstdint>

#include "aten/core/macros.h"

namespace tnp::optimizer_rules {

// Interpolates from a to b. The result is exact at both ends.
template <class T>
TNP_HOST_DEVICE TNP_INLINE T lerp(T a, T b, T weight) {
  return weight < T(0.5) ? a + weight * (b - a) : b - (b - a) * (T(1) - weight);
}
template <class T>
TNP_HOST_DEVICE TNP_INLINE T root(T x) {
  return std::sqrt(x);
}

// The first step of all rules: applies the gradient's sign, and adds weight decay to the gradient.
template <class T>
struct Gradient {
  T sign, weight_decay;
  TNP_HOST_DEVICE TNP_INLINE T operator()(T p, T g) const {
    const T own = sign * g;
    return weight_decay != T(0) ? own + weight_decay * p : own;
  }
};

template <class T>
struct Sgd {
  static constexpr int kStates = 0, kNumbers = 3;
  Gradient<T> gradient;
  T lr;
  TNP_HOST_DEVICE explicit Sgd(const double* c) : gradient{T(c[0]), T(c[1])}, lr(T(-c[2])) {}
  TNP_HOST_DEVICE TNP_INLINE void operator()(T& p, T g) const { p = p + lr * gradient(p, g); }
};

template <class T>
struct SgdMomentum {
  static constexpr int kStates = 1, kNumbers = 7;
  Gradient<T> gradient;
  T lr, momentum, taken;
  bool nesterov, first;
  TNP_HOST_DEVICE explicit SgdMomentum(const double* c)
      : gradient{T(c[0]), T(c[1])},
        lr(T(-c[2])),
        momentum(T(c[3])),
        taken(T(1 - c[4])),
        nesterov(c[5] != 0),
        first(c[6] != 0) {}
  TNP_HOST_DEVICE TNP_INLINE void operator()(T& p, T g, T& buffer) const {
    const T d = gradient(p, g), old = buffer, next = first ? d : momentum * old + taken * d;
    buffer = next;
    p = p + lr * (nesterov ? d + momentum * next : next);
  }
};

// `decay` is the factor by which the parameter is multiplied before the update: 1 - lr *
// weight_decay if weight decay is decoupled.
template <class T>
struct Moments {
  Gradient<T> gradient;
  T decay, taken1, beta2, taken2;
  TNP_HOST_DEVICE explicit Moments(const double* c)
      : gradient{T(c[0]), T(c[1])}, decay(T(c[2])), taken1(T(1 - c[3])), beta2(T(c[4])), taken2(T(1 - c[4])) {}
  static constexpr int kNumbers = 5;
  TNP_HOST_DEVICE TNP_INLINE T begin(T& p, T g, T& m, T& v) const {
    p = p * decay;
    const T d = gradient(p, g);
    m = lerp(m, d, taken1);
    v = v * beta2 + taken2 * d * d;
    return d;
  }
};

template <class T>
struct Adam {
  static constexpr int kStates = 2, kNumbers = Moments<T>::kNumbers + 3;
  Moments<T> moments;
  T step_size, root_correction, eps;
  TNP_HOST_DEVICE explicit Adam(const double* c)
      : moments(c), step_size(T(-c[5])), root_correction(T(c[6])), eps(T(c[7])) {}
  TNP_HOST_DEVICE TNP_INLINE void operator()(T& p, T g, T& m, T& v) const {
    T x = p, first = m, second = v;
    moments.begin(x, g, first, second);
    m = first, v = second;
    p = x + step_size * first / (root(second) / root_correction + eps);
  }
};

template <class T>
struct AmsGrad {
  static constexpr int kStates = 3, kNumbers = Adam<T>::kNumbers;
  Adam<T> adam;
  TNP_HOST_DEVICE explicit AmsGrad(const double* c) : adam(c) {}
  TNP_HOST_DEVICE TNP_INLINE void operator()(T& p, T g, T& m, T& v, T& most) const {
    T x = p, first = m, second = v;
    const T old = most;
    adam.moments.begin(x, g, first, second);
    const T now = old > second || old != old ? old : second;
    m = first, v = second, most = now;
    p = x + adam.step_size * first / (root(now) / adam.root_correction + adam.eps);
  }
};

template <class T>
struct NAdam {
  static constexpr int kStates = 2, kNumbers = Moments<T>::kNumbers + 4;
  Moments<T> moments;
  T of_gradient, of_moment, correction, eps;
  TNP_HOST_DEVICE explicit NAdam(const double* c)
      : moments(c), of_gradient(T(-c[5])), of_moment(T(-c[6])), correction(T(c[7])), eps(T(c[8])) {}
  TNP_HOST_DEVICE TNP_INLINE void operator()(T& p, T g, T& m, T& v) const {
    T x = p, first = m, second = v;
    const T d = moments.begin(x, g, first, second);
    m = first, v = second;
    const T below = root(second / correction) + eps;
    p = (x + of_gradient * d / below) + of_moment * first / below;
  }
};

template <class T>
struct RAdam {
  static constexpr int kStates = 2, kNumbers = Moments<T>::kNumbers + 5;
  Moments<T> moments;
  // rectification: 0 while the variance is still unreliable
  T lr, correction1, root_correction, eps, rectification;
  TNP_HOST_DEVICE explicit RAdam(const double* c)
      : moments(c), lr(T(c[5])), correction1(T(c[6])), root_correction(T(c[7])), eps(T(c[8])), rectification(T(c[9])) {}
  TNP_HOST_DEVICE TNP_INLINE void operator()(T& p, T g, T& m, T& v) const {
    T x = p, first = m, second = v;
    moments.begin(x, g, first, second);
    m = first, v = second;
    const T moved = first / correction1 * lr;
    p = x - (rectification != T(0) ? moved * (root_correction / (root(second) + eps)) * rectification : moved);
  }
};

template <class T>
struct Adamax {
  static constexpr int kStates = 2, kNumbers = 6;
  Gradient<T> gradient;
  T lr, taken1, beta2, eps;
  TNP_HOST_DEVICE explicit Adamax(const double* c)
      : gradient{T(c[0]), T(c[1])}, lr(T(-c[2])), taken1(T(1 - c[3])), beta2(T(c[4])), eps(T(c[5])) {}
  TNP_HOST_DEVICE TNP_INLINE void operator()(T& p, T g, T& m, T& u) const {
    const T x = p, d = gradient(x, g), first = lerp(T(m), d, taken1), kept = beta2 * u, now = std::abs(d) + eps;
    const T most = kept > now || kept != kept ? kept : now;
    m = first, u = most;
    p = x + lr * first / most;
  }
};

template <class T, bool centered, bool momentum>
struct RmsProp {
  static constexpr int kStates = 1 + centered + momentum, kNumbers = 6;
  Gradient<T> gradient;
  T lr, alpha, taken, eps, kept;
  TNP_HOST_DEVICE explicit RmsProp(const double* c)
      : gradient{T(c[0]), T(c[1])}, lr(T(-c[2])), alpha(T(c[3])), taken(T(1 - c[3])), eps(T(c[4])), kept(T(c[5])) {}
  template <class... More>
  TNP_HOST_DEVICE TNP_INLINE void operator()(T& p, T g, T& square, More&... more) const {
    const T x = p, d = gradient(x, g), now = square * alpha + taken * d * d;
    square = now;
    p = finish(x, d, now, more...);
  }

 private:
  TNP_HOST_DEVICE TNP_INLINE T move(T x, T d, T below) const { return x + lr * d / below; }
  TNP_HOST_DEVICE TNP_INLINE T move(T x, T d, T below, T& buffer) const {
    const T next = kept * buffer + d / below;
    buffer = next;
    return x + lr * next;
  }
  template <class... More>
  TNP_HOST_DEVICE TNP_INLINE T finish(T x, T d, T now, More&... more) const {
    if constexpr (centered)
      return centre(x, d, now, more...);
    else
      return move(x, d, root(now) + eps, more...);
  }
  template <class... More>
  TNP_HOST_DEVICE TNP_INLINE T centre(T x, T d, T now, T& mean, More&... more) const {
    const T average = lerp(T(mean), d, taken);
    mean = average;
    return move(x, d, root(now - average * average) + eps, more...);
  }
};
template <class T>
struct RmsPropPlain : RmsProp<T, false, false> {
  using RmsProp<T, false, false>::RmsProp;
};
template <class T>
struct RmsPropMomentum : RmsProp<T, false, true> {
  using RmsProp<T, false, true>::RmsProp;
};
template <class T>
struct RmsPropCentered : RmsProp<T, true, false> {
  using RmsProp<T, true, false>::RmsProp;
};
template <class T>
struct RmsPropCenteredMomentum : RmsProp<T, true, true> {
  using RmsProp<T, true, true>::RmsProp;
};

template <class T>
struct Adagrad {
  static constexpr int kStates = 1, kNumbers = 4;
  Gradient<T> gradient;
  T lr, eps;
  TNP_HOST_DEVICE explicit Adagrad(const double* c) : gradient{T(c[0]), T(c[1])}, lr(T(-c[2])), eps(T(c[3])) {}
  TNP_HOST_DEVICE TNP_INLINE void operator()(T& p, T g, T& sum) const {
    const T x = p, d = gradient(x, g), now = sum + d * d;
    sum = now;
    p = x + lr * d / (root(now) + eps);
  }
};

template <class T>
struct Adadelta {
  static constexpr int kStates = 2, kNumbers = 5;
  Gradient<T> gradient;
  T lr, rho, taken, eps;
  TNP_HOST_DEVICE explicit Adadelta(const double* c)
      : gradient{T(c[0]), T(c[1])}, lr(T(-c[2])), rho(T(c[3])), taken(T(1 - c[3])), eps(T(c[4])) {}
  TNP_HOST_DEVICE TNP_INLINE void operator()(T& p, T g, T& square, T& moved) const {
    const T x = p, d = gradient(x, g), now = square * rho + taken * d * d;
    const T delta = root(moved + eps) / root(now + eps) * d;
    square = now;
    moved = moved * rho + taken * delta * delta;
    p = x + lr * delta;
  }
};

template <class T>
struct Rprop {
  static constexpr int kStates = 2, kNumbers = 5;
  T sign, minus, plus, least, most;
  TNP_HOST_DEVICE explicit Rprop(const double* c)
      : sign(T(c[0])), minus(T(c[1])), plus(T(c[2])), least(T(c[3])), most(T(c[4])) {}
  TNP_HOST_DEVICE TNP_INLINE void operator()(T& p, T g, T& before, T& step) const {
    const T x = p, own = sign * g, agreement = own * before;
    T size = step * (agreement > T(0) ? plus : agreement < T(0) ? minus : T(1));
    size = size < least ? least : size;
    size = size > most ? most : size;
    const T d = agreement < T(0) ? T(0) : own;
    before = d, step = size;
    p = x - (d > T(0) ? size : d < T(0) ? -size : T(0));
  }
};

template <class T>
struct Asgd {
  static constexpr int kStates = 1, kNumbers = 5;
  Gradient<T> gradient;
  T kept, eta, mu;
  TNP_HOST_DEVICE explicit Asgd(const double* c)
      : gradient{T(c[0]), T(c[1])}, kept(T(c[2])), eta(T(-c[3])), mu(T(c[4])) {}
  TNP_HOST_DEVICE TNP_INLINE void operator()(T& p, T g, T& average) const {
    const T x = p, now = x * kept + eta * gradient(x, g), old = average;
    average = mu == T(1) ? now : old + (now - old) * mu;
    p = now;
  }
};

// X(rule, name of the rule in calls)
// clang-format off
#define TNP_OPTIMIZER_RULES(X)                            \
  X(Sgd, "sgd")                                           \
  X(SgdMomentum, "sgd_momentum")                          \
  X(Adam, "adam")                                         \
  X(AmsGrad, "amsgrad")                                   \
  X(NAdam, "nadam")                                       \
  X(RAdam, "radam")                                       \
  X(Adamax, "adamax")                                     \
  X(RmsPropPlain, "rmsprop")                              \
  X(RmsPropMomentum, "rmsprop_momentum")                  \
  X(RmsPropCentered, "rmsprop_centered")                  \
  X(RmsPropCenteredMomentum, "rmsprop_centered_momentum") \
  X(Adagrad, "adagrad")                                   \
  X(Adadelta, "adadelta")                                 \
  X(Rprop, "rprop")                                       \
  X(Asgd, "asgd")
// clang-format on

}  // namespace tnp::optimizer_rules
