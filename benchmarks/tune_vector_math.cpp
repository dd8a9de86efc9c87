// Compares our vector math with oneMKL's, on one thread of this processor. Prints the time of each
// function for 4,096 numbers, and the row for aten/kernels/cpu/pointwise/vector_math.cpp: the functions for
// which oneMKL takes less than 0.95 of our time.
//
//   make tune
#include <tbb/global_control.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "aten/core/threads/capability.h"
#include "aten/core/threads/processor.h"
#include "aten/kernels/cpu/pointwise/vector_math.h"

namespace {

using namespace tnp;
using Clock = std::chrono::steady_clock;
constexpr int64_t kNumbers = 4096;

// Alternates both, and returns each one's minimum time in microseconds.
template <class Run>
std::pair<double, double> times(Run&& own, Run&& mkl) {
  double least[2] = {1e9, 1e9};
  for (int round = 0; round < 400; ++round) {
    for (int which = 0; which < 2; ++which) {
      const auto start = Clock::now();
      which ? mkl() : own();
      least[which] = std::min(least[which], std::chrono::duration<double, std::micro>(Clock::now() - start).count());
    }
  }
  return {least[0], least[1]};
}

template <class T>
std::string compare(const VectorMathFunctions<T>& own, const VectorMathFunctions<T>& mkl) {
  std::mt19937 generator(0);
  std::normal_distribution<T> normal;
  std::vector<T> any(kNumbers), positive(kNumbers), within(kNumbers), beyond(kNumbers), out(kNumbers);
  for (size_t i = 0; i < kNumbers; ++i) {
    any[i] = normal(generator);
    positive[i] = std::fabs(normal(generator)) + T(0.1);
    within[i] = std::clamp(any[i] / 4, T(-0.99), T(0.99));
    beyond[i] = positive[i] + 1;
  }
  std::string ahead;
  auto judge = [&](std::string_view name, std::pair<double, double> t) {
    std::printf("  %-12s %8.2f us, oneMKL %8.2f us: %.2f\n", name.data(), t.first, t.second, t.first / t.second);
    if (name == "pow") return;
    if (name == "pow_constant") name = "pow";  // the most frequent case; one library must do all powers, for equal bits
    if (t.second < 0.95 * t.first) ahead += (ahead.empty() ? "" : " ") + std::string(name);
  };
  auto unary = [&](const char* name, auto ours, auto theirs) {
    const std::string_view n = name;
    const bool logarithm = n.starts_with("log"), inverse = n == "asin" || n == "acos" || n == "atanh";
    const std::vector<T>& x = logarithm ? positive : inverse ? within : n == "acosh" ? beyond : any;
    if (!theirs) return;
    using Run = std::function<void()>;
    judge(name,
          times<Run>([&] { ours(x.data(), out.data(), kNumbers); }, [&] { theirs(x.data(), out.data(), kNumbers); }));
  };
  auto binary = [&](const char* name, auto ours, auto theirs) {
    using Run = std::function<void()>;
    judge(name, times<Run>([&] { ours(positive.data(), any.data(), out.data(), kNumbers); },
                           [&] { theirs(positive.data(), any.data(), out.data(), kNumbers); }));
  };
#define TNP_COMPARE(functor, name) unary(#name, own.name, mkl.name);
  TNP_VECTOR_MATH_UNARY(TNP_COMPARE)
#undef TNP_COMPARE
#define TNP_COMPARE(functor, name) binary(#name, own.name, mkl.name);
  TNP_VECTOR_MATH_BINARY(TNP_COMPARE)
#undef TNP_COMPARE
  using Run = std::function<void()>;
  judge("pow_constant", times<Run>([&] { own.pow_constant(positive.data(), T(1.7), out.data(), kNumbers); },
                                   [&] { mkl.pow_constant(positive.data(), T(1.7), out.data(), kNumbers); }));
  return ahead;
}

}  // namespace

int main() {
  if (!mkl_vector_math()) {
    std::puts("This build has no vector math but our own.");
    return 0;
  }
  const tbb::global_control one_thread(tbb::global_control::max_allowed_parallelism, 1);
  std::puts("float32, 4,096 numbers:");
  const std::string floats = compare(own_vector_math().floats, mkl_vector_math()->floats);
  std::puts("float64:");
  const std::string doubles = compare(own_vector_math().doubles, mkl_vector_math()->doubles);
  constexpr const char* makers[] = {"Intel", "Amd", "Other"};
  constexpr const char* capabilities[] = {"Baseline", "AVX2", "AVX512"};
  std::printf("\n{ProcessorVendor::%s, CpuCapability::%s, \"%s\", \"%s\"},\n",
              makers[static_cast<int>(processor_vendor())], capabilities[static_cast<int>(cpu_capability())],
              floats.c_str(), doubles.c_str());
}
