#include "aten/kernels/cpu/losses/ctc_loops.h"

#include "aten/kernels/cpu/pointwise/vector_math/exponential.h"
#include "aten/kernels/cpu/pointwise/vector_math/logarithm.h"

#ifndef TNP_CPU_CAPABILITY
#define TNP_CPU_CAPABILITY baseline
#endif

namespace tnp::ctc_loops::TNP_CPU_CAPABILITY {

namespace {

using namespace tnp::TNP_CPU_CAPABILITY::vector_math;

template <class T>
using Vector = typename VectorOf<T, kVectorBytes>::Type;

template <class T>
void step(const T* from, const T* leap, const T* emission, T* to, int64_t n) {
  using V = Vector<T>;
  static_assert(kCtcLanes % kLanes<V> == 0);
  for (int64_t s = 0; s < n; s += kLanes<V>) {
    const V stay = load<V>(from + s), move = load<V>(from + s - 1);
    const V over = load<V>(leap + s) != T(0) ? load<V>(from + s - 2) : splat<V>(-kInfinity<T>);
    V most = stay > move ? stay : move;
    most = most > over ? most : over;
    most = most == -kInfinity<T> ? V{} : most;  // 0, because infinity - infinity is NaN
    const V sum = exp(stay - most) + exp(move - most) + exp(over - most);
    store(to + s, (log(sum) + most) + load<V>(emission + s));
  }
}

template <class T>
void posterior(const T* alpha, const T* beta, const T* emission, T log_likelihood, T* to, int64_t n) {
  using V = Vector<T>;
  for (int64_t s = 0; s < n; s += kLanes<V>) {
    const V both = load<V>(alpha + s) + load<V>(beta + s);
    store(to + s, exp((both - log_likelihood) - load<V>(emission + s)));
  }
}

template <class T>
constexpr CtcLoop<T> kLoop = {step<T>, posterior<T>};
constexpr CtcLoops kLoops = {kLoop<float>, kLoop<double>};

}  // namespace

std::span<const CtcLoops> loops() { return {&kLoops, 1}; }

}  // namespace tnp::ctc_loops::TNP_CPU_CAPABILITY
