// Activation functions of neural networks. Their backward functors multiply the derivative by a
// gradient. Each functor makes one pass over memory.
#pragma once

#include "aten/functors/functor.h"
#include "aten/functors/special.h"
#include "aten/functors/ternary.h"
#include "aten/functors/vectorizable.h"

namespace tnp {

template <class T>
struct Silu {
  TNP_HOST_DEVICE T operator()(T x) const {
    if constexpr (is_complex_v<T>)
      return x * Sigmoid<T>{}(x);
    else
      return x / (T(1) + vectorizable::exp(-x));
  }
};
template <class T>
struct SiluBackward {
  TNP_HOST_DEVICE T operator()(T grad, T x) const {
    if constexpr (is_complex_v<T>) {
      const T s = Sigmoid<T>{}(x), slope = s * (T(1) + x * (T(1) - s));
      return grad * T(slope.re, -slope.im);
    } else {
      const T s = vectorizable::sigmoid(x);
      return grad * s * (T(1) + x * (T(1) - s));
    }
  }
};

// x tanh(log(1 + e^x)). With n = e^x the tanh is (n^2 + 2 n) / (n^2 + 2 n + 2). From x = 20 on the
// tanh rounds to 1, so x is clamped to 20, which keeps n^2 from overflowing.
template <class T>
struct Mish {
  TNP_HOST_DEVICE T operator()(T x) const {
    const T n = vectorizable::exp(x > T(20) ? T(20) : x), m = n * (n + T(2));
    return x * (m / (m + T(2)));
  }
};
template <class T>
struct MishBackward {
  TNP_HOST_DEVICE T operator()(T grad, T x) const {
    const T n = vectorizable::exp(x > T(20) ? T(20) : x), m = n * (n + T(2)), t = m / (m + T(2));
    return grad * (t + x * (T(1) - t * t) * vectorizable::sigmoid(x));
  }
};

// GELU by the error function: x times the normal distribution function at x.
template <class T>
struct Gelu {
  TNP_HOST_DEVICE T operator()(T x) const { return x * vectorizable::normal(x).below; }
};
template <class T>
struct GeluBackward {
  TNP_HOST_DEVICE T operator()(T grad, T x) const {
    const auto [below, density] = vectorizable::normal(x);
    return grad * (below + x * density);
  }
};
// GELU by Hendrycks' and Gimpel's 0.5 x (1 + tanh(u)) = x sigmoid(2 u), u = sqrt(2 / pi) (x +
// 0.044715 x^3).
template <class T>
struct GeluTanh {
  TNP_HOST_DEVICE T operator()(T x) const {
    const T u = T(1.5957691216057308) * (x + T(0.044715) * x * x * x);
    return x / (T(1) + vectorizable::exp(-u));
  }
};
template <class T>
struct GeluTanhBackward {
  TNP_HOST_DEVICE T operator()(T grad, T x) const {
    const T square = x * x, u = T(1.5957691216057308) * (x + T(0.044715) * x * square);
    const T slope = T(1.5957691216057308) * (T(1) + T(3 * 0.044715) * square), s = vectorizable::sigmoid(u);
    return grad * s * (T(1) + x * (T(1) - s) * slope);
  }
};

template <class T>
struct Softplus {
  TNP_HOST_DEVICE T operator()(T x, T beta, T threshold) const {
    const T z = x * beta;
    return z > threshold ? x : vectorizable::softplus(z) / beta;
  }
};
template <class T>
struct SoftplusBackward {
  TNP_HOST_DEVICE T operator()(T grad, T x, T beta) const { return grad * vectorizable::sigmoid(x * beta); }
};
template <class T>
struct LogSigmoid {
  TNP_HOST_DEVICE T operator()(T x) const { return -vectorizable::softplus(-x); }
};
template <class T>
struct LogSigmoidBackward {
  TNP_HOST_DEVICE T operator()(T grad, T x) const { return grad * vectorizable::sigmoid(-x); }
};

// --- exponential for negative x
template <class T>
struct Elu {
  TNP_HOST_DEVICE T operator()(T x, T alpha) const {
    const T left = alpha * vectorizable::expm1_of_negative(x > T(0) ? T(0) : x);
    return x > T(0) ? x : left;
  }
};
template <class T>
struct EluBackward {
  TNP_HOST_DEVICE T operator()(T grad, T x, T alpha) const {
    const T left = grad * alpha * vectorizable::exp(x > T(0) ? T(0) : x);
    return x <= T(0) ? left : grad;  // also at NaN, as in PyTorch
  }
};
template <class T>
struct Celu {
  TNP_HOST_DEVICE T operator()(T x, T alpha) const {
    const T left = alpha * vectorizable::expm1_of_negative((x > T(0) ? T(0) : x) / alpha);
    return x > T(0) ? x : left;
  }
};
template <class T>
struct CeluBackward {
  TNP_HOST_DEVICE T operator()(T grad, T x, T alpha) const {
    const T left = grad * vectorizable::exp((x > T(0) ? T(0) : x) / alpha);
    return x <= T(0) ? left : grad;
  }
};
// Klambauer et al., arXiv 1706.02515. With these constants, mean 0 and variance 1 are a fixed point
// of a layer.
inline constexpr double kSeluAlpha = 1.6732632423543772848170429916717, kSeluScale = 1.0507009873554804934193349852946;
template <class T>
struct Selu {
  TNP_HOST_DEVICE T operator()(T x) const { return T(kSeluScale) * Elu<T>{}(x, T(kSeluAlpha)); }
};
template <class T>
struct SeluBackward {
  TNP_HOST_DEVICE T operator()(T grad, T x) const { return T(kSeluScale) * EluBackward<T>{}(grad, x, T(kSeluAlpha)); }
};

// --- piecewise linear
template <class T>
struct LeakyRelu {
  TNP_HOST_DEVICE T operator()(T x, T slope) const { return x > T(0) ? x : x * slope; }
};
template <class T>
struct LeakyReluBackward {
  TNP_HOST_DEVICE T operator()(T grad, T x, T slope) const { return x > T(0) ? grad : grad * slope; }
};
template <class T>
struct Hardsigmoid {
  TNP_HOST_DEVICE T operator()(T x) const {
    const T y = x + T(3), low = y < T(0) ? T(0) : y;
    return (low > T(6) ? T(6) : low) / T(6);
  }
};
template <class T>
struct HardsigmoidBackward {
  TNP_HOST_DEVICE T operator()(T grad, T x) const { return (x > T(-3)) & (x < T(3)) ? grad / T(6) : T(0); }
};
template <class T>
struct Hardswish {
  TNP_HOST_DEVICE T operator()(T x) const { return x * Hardsigmoid<T>{}(x); }
};
template <class T>
struct HardswishBackward {
  TNP_HOST_DEVICE T operator()(T grad, T x) const {
    const T within = grad * (x / T(3) + T(0.5));
    return x <= T(-3) ? T(0) : x < T(3) ? within : grad;
  }
};
template <class T>
struct Hardtanh {
  TNP_HOST_DEVICE T operator()(T x, T least, T most) const {
    const T y = x < least ? least : x;
    return y > most ? most : y;
  }
};
template <class T>
struct IsBetween {
  TNP_HOST_DEVICE bool operator()(T x, T least, T most) const { return (x > least) & (x < most); }
};
template <class T>
struct Threshold {
  TNP_HOST_DEVICE T operator()(T x, T threshold, T value) const { return x <= threshold ? value : x; }
};
template <class T>
struct ThresholdBackward {
  TNP_HOST_DEVICE T operator()(T grad, T x, T threshold) const { return x <= threshold ? T(0) : grad; }
};
template <class T>
struct Hardshrink {
  TNP_HOST_DEVICE T operator()(T x, T lambda) const { return (x >= -lambda) & (x <= lambda) ? T(0) : x; }
};
template <class T>
struct Softshrink {
  TNP_HOST_DEVICE T operator()(T x, T lambda) const {
    return x > lambda ? x - lambda : x < -lambda ? x + lambda : x != x ? x : T(0);
  }
};
template <class T>
struct ShrinkBackward {
  TNP_HOST_DEVICE T operator()(T grad, T x, T lambda) const { return (x >= -lambda) & (x <= lambda) ? T(0) : grad; }
};

template <class T>
struct VectorMath<Softplus<T>> : TernaryMath<Softplus<T>, T> {};
template <class T>
struct VectorMath<SoftplusBackward<T>> : TernaryMath<SoftplusBackward<T>, T> {};
template <class T>
struct VectorMath<EluBackward<T>> : TernaryMath<EluBackward<T>, T> {};
template <class T>
struct VectorMath<CeluBackward<T>> : TernaryMath<CeluBackward<T>, T> {};
template <class T>
struct VectorMath<LeakyReluBackward<T>> : TernaryMath<LeakyReluBackward<T>, T> {};
template <class T>
struct VectorMath<Hardtanh<T>> : TernaryMath<Hardtanh<T>, T> {};
template <class T>
struct VectorMath<Threshold<T>> : TernaryMath<Threshold<T>, T> {};
template <class T>
struct VectorMath<ThresholdBackward<T>> : TernaryMath<ThresholdBackward<T>, T> {};
template <class T>
struct VectorMath<ShrinkBackward<T>> : TernaryMath<ShrinkBackward<T>, T> {};
template <class T>
struct VectorMath<IsBetween<T>> : TernaryMath<IsBetween<T>, T, bool> {};

}  // namespace tnp
