// Optimiser steps on a GPU: one launch updates several dozen parameters. Each thread updates some
// elements of one parameter.
#include <algorithm>
#include <utility>

#include "aten/cuda/launch.h"
#include "aten/kernel_functions/optimizers.h"
#include "aten/kernels/optimizer_rules.h"

namespace tnp {

namespace gpu {
namespace {

template <template <class> class Rule, class S>
struct UpdateParameters {
  using T = std::conditional_t<is_reduced_float_v<S>, float, S>;
  static constexpr uint32_t kThreads = 256;
  static constexpr uint32_t kPerBlock = 4096;  // number of elements
  static constexpr int kArrays = Rule<T>::kStates + 2;
  struct Parameter {
    Rule<T> rule{kNone};
    S* data[kArrays];
    int64_t n;
    uint32_t first_block;
    static constexpr double kNone[16] = {};
  };
  static constexpr int kMost = static_cast<int>((4096 - 16) / sizeof(Parameter));
  int count = 0;
  Parameter parameters[kMost];

  TNP_HOST_DEVICE void run(Place place) const {
    int own = 0;
    while (own + 1 < count && parameters[own + 1].first_block <= place.block) ++own;
    const Parameter& p = parameters[own];
    const int64_t first = static_cast<int64_t>(place.block - p.first_block) * kPerBlock;
    const int64_t last = first + kPerBlock < p.n ? first + kPerBlock : p.n;
    for (int64_t i = first + place.thread; i < last; i += kThreads)
      update(p, i, std::make_index_sequence<static_cast<size_t>(Rule<T>::kStates)>());
  }
  template <size_t... k>
  TNP_HOST_DEVICE static void update(const Parameter& p, int64_t i, std::index_sequence<k...>) {
    T x = T(p.data[0][i]);
    T states[sizeof...(k) + 1] = {T(p.data[2 + k][i])..., T(0)};
    p.rule(x, T(p.data[1][i]), states[k]...);
    p.data[0][i] = S(x);
    ((p.data[2 + k][i] = S(states[k])), ...);
  }
};

template <template <class> class Rule, class S>
void update_all(const Tensor& self, TensorList tensors, std::span<const double> numbers) {
  using Kernel = UpdateParameters<Rule, S>;
  constexpr auto each = static_cast<size_t>(Rule<typename Kernel::T>::kNumbers);
  Kernel kernel;
  uint32_t blocks = 0;
  auto flush = [&] {
    launch(kernel, blocks, self.device());
    kernel.count = 0, blocks = 0;
  };
  for (size_t k = 0; k * Kernel::kArrays < tensors.size(); ++k) {
    const Tensor* own = &tensors[k * Kernel::kArrays];
    const int64_t n = own->numel(), needed = (n + Kernel::kPerBlock - 1) / Kernel::kPerBlock;
    TNP_CHECK(needed < kMaxBlocks, ErrorKind::NotImplemented, "a parameter of ", n, " elements on ", self.device(),
              " is not implemented");
    if (n == 0) continue;
    if (kernel.count == Kernel::kMost || blocks + needed > kMaxBlocks) flush();
    auto& parameter = kernel.parameters[kernel.count++];
    parameter.rule = Rule<typename Kernel::T>(numbers.data() + k * each);
    for (int a = 0; a < Kernel::kArrays; ++a) parameter.data[a] = reinterpret_cast<S*>(own[a].address());
    parameter.n = n, parameter.first_block = blocks;
    blocks += static_cast<uint32_t>(needed);
  }
  if (kernel.count > 0) flush();
}

}  // namespace
}  // namespace gpu

void native::update_parameters_cuda(const Tensor& self, TensorList tensors, std::string_view rule,
                                    std::span<const double> numbers) {
  using namespace optimizer_rules;
  visit<FloatingTypes>(self.dtype(), [&]<class S>() {
#define TNP_TRY(Rule, name) \
  if (rule == name) return gpu::update_all<Rule, S>(self, tensors, numbers);
    TNP_OPTIMIZER_RULES(TNP_TRY)
#undef TNP_TRY
    TNP_INTERNAL_ASSERT(false);
  });
}

}  // namespace tnp
