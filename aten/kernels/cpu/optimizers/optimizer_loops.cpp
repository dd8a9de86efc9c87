#include "aten/kernels/cpu/optimizers/optimizer_loops.h"

#include <type_traits>
#include <utility>

#include "aten/kernels/optimizer_rules.h"

#ifndef TNP_CPU_CAPABILITY
#define TNP_CPU_CAPABILITY baseline
#endif

namespace tnp::optimizer_loops::TNP_CPU_CAPABILITY {

namespace {

template <class Rule, class T, class... State>
void run_dense(const Rule rule, int64_t n, T* __restrict p, const T* __restrict g, State* __restrict... states) {
  for (int64_t i = 0; i < n; ++i) rule(p[i], g[i], states[i]...);
}

// Runs a rule on 16-bit elements: computes in float32 and rounds once.
template <class Rule, class S, size_t... k>
void run_converted(const Rule rule, int64_t n, char* const* data, std::index_sequence<k...>) {
  constexpr int64_t kPiece = 256;
  constexpr size_t kArrays = 2 + sizeof...(k);
  float buffers[kArrays][kPiece];
  for (int64_t first = 0; first < n; first += kPiece) {
    const int64_t count = n - first < kPiece ? n - first : kPiece;
    for (size_t a = 0; a < kArrays; ++a) {
      const S* from = reinterpret_cast<const S*>(data[a]) + first;
      for (int64_t i = 0; i < count; ++i) buffers[a][i] = from[i];
    }
    run_dense(rule, count, buffers[0], buffers[1], buffers[2 + k]...);
    for (size_t a = 0; a < kArrays; ++a) {
      if (a == 1) continue;
      S* to = reinterpret_cast<S*>(data[a]) + first;
      for (int64_t i = 0; i < count; ++i) to[i] = S(buffers[a][i]);
    }
  }
}

template <template <class> class Rule, class S>
void run(const double* numbers, char* const* data, int64_t n) {
  using T = std::conditional_t<is_reduced_float_v<S>, float, S>;
  const Rule<T> rule(numbers);
  constexpr auto states = std::make_index_sequence<static_cast<size_t>(Rule<T>::kStates)>();
  if constexpr (std::is_same_v<S, T>) {
    [&]<size_t... k>(std::index_sequence<k...>) {
      run_dense(rule, n, reinterpret_cast<T*>(data[0]), reinterpret_cast<const T*>(data[1]),
                reinterpret_cast<T*>(data[2 + k])...);
    }(states);
  } else {
    run_converted<Rule<T>, S>(rule, n, data, states);
  }
}

using namespace optimizer_rules;
#define TNP_OPTIMIZER_LOOP(rule, name, S) \
  {name, scalar_type_of<S>, rule<float>::kStates, rule<float>::kNumbers, &run<rule, S>},
#define TNP_LOOPS(rule, name)           \
  TNP_OPTIMIZER_LOOP(rule, name, float) \
  TNP_OPTIMIZER_LOOP(rule, name, double) TNP_OPTIMIZER_LOOP(rule, name, Half) TNP_OPTIMIZER_LOOP(rule, name, BFloat16)
constexpr OptimizerLoop kLoops[] = {TNP_OPTIMIZER_RULES(TNP_LOOPS)};

}  // namespace

std::span<const OptimizerLoop> loops() { return kLoops; }

}  // namespace tnp::optimizer_loops::TNP_CPU_CAPABILITY
