// Elementwise terms of loss functions. Their backward functors multiply the derivative by a
// gradient.
#pragma once

#include "aten/functors/functor.h"
#include "aten/functors/ternary.h"
#include "aten/functors/vectorizable.h"

namespace tnp {

template <class T>
struct SquaredError {
  TNP_HOST_DEVICE T operator()(T x, T target) const { return (x - target) * (x - target); }
};
template <class T>
struct SquaredErrorBackward {
  TNP_HOST_DEVICE T operator()(T grad, T x, T target) const { return grad * (T(2) * (x - target)); }
};
template <class T>
struct AbsoluteError {
  TNP_HOST_DEVICE T operator()(T x, T target) const { return std::abs(x - target); }
};
template <class T>
struct AbsoluteErrorBackward {
  TNP_HOST_DEVICE T operator()(T grad, T x, T target) const {
    return x > target ? grad : x < target ? -grad : grad * T(0);  // also at NaN, as in PyTorch
  }
};
// d^2 / (2 beta) for |d| <= beta, and |d| - beta / 2 otherwise.
template <class T>
struct SmoothAbsolute {
  TNP_HOST_DEVICE T operator()(T d, T beta) const {
    const T size = std::abs(d);
    return size < beta ? T(0.5) * size * size / beta : size - T(0.5) * beta;
  }
};
template <class T>
struct SmoothAbsoluteBackward {
  TNP_HOST_DEVICE T operator()(T grad, T d, T beta) const {
    const T outside = d < T(0) ? -grad : d > T(0) ? grad : grad * d, within = grad * (d / beta);
    return std::abs(d) < beta ? within : outside;
  }
};
// Logarithms are clamped at -100, so that no loss is infinite.
template <class T>
struct BinaryCrossEntropy {
  TNP_HOST_DEVICE T operator()(T x, T target) const {
    const T yes = std::log(x), no = std::log1p(-x);
    return (target - T(1)) * (no < T(-100) ? T(-100) : no) - target * (yes < T(-100) ? T(-100) : yes);
  }
};
template <class T>
struct BinaryCrossEntropyBackward {
  TNP_HOST_DEVICE T operator()(T grad, T x, T target) const {
    const T product = (T(1) - x) * x;
    return grad * (x - target) / (product < T(1e-12) ? T(1e-12) : product);
  }
};
// log(1 + exp(x)) - x target
template <class T>
struct LogitsCrossEntropy {
  TNP_HOST_DEVICE T operator()(T x, T target) const { return vectorizable::softplus(x) - x * target; }
};
template <class T>
struct LogitsCrossEntropyBackward {
  TNP_HOST_DEVICE T operator()(T grad, T x, T target) const { return grad * (vectorizable::sigmoid(x) - target); }
};
// target (log(target) - x), with 0 log(0) = 0. DivergenceOfLogarithms takes log(target) as
// `target`.
template <class T>
struct Divergence {
  TNP_HOST_DEVICE T operator()(T x, T target) const {
    return (target == T(0) ? T(0) : target * std::log(target)) - target * x;
  }
};
template <class T>
struct DivergenceOfLogarithms {
  TNP_HOST_DEVICE T operator()(T x, T target) const { return vectorizable::exp(target) * (target - x); }
};

template <class T>
struct VectorMath<SquaredErrorBackward<T>> : TernaryMath<SquaredErrorBackward<T>, T> {};
template <class T>
struct VectorMath<AbsoluteErrorBackward<T>> : TernaryMath<AbsoluteErrorBackward<T>, T> {};
template <class T>
struct VectorMath<SmoothAbsoluteBackward<T>> : TernaryMath<SmoothAbsoluteBackward<T>, T> {};
template <class T>
struct VectorMath<BinaryCrossEntropyBackward<T>> : TernaryMath<BinaryCrossEntropyBackward<T>, T> {};
template <class T>
struct VectorMath<LogitsCrossEntropyBackward<T>> : TernaryMath<LogitsCrossEntropyBackward<T>, T> {};

}  // namespace tnp
