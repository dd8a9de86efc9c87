// Entries repeated as often as counts say: where each entry of the result comes from is found by a binary search among
// running sums of the counts.
#include <cmath>

#include "aten/functions/copies.h"
#include "aten/functions/creation.h"
#include "aten/functions/indexing.h"
#include "aten/functions/reductions.h"
#include "aten/functions/shape.h"
#include "aten/functions/sorting.h"
#include "aten/functors/functor.h"
#include "aten/kernel_functions/joining.h"
#include "aten/kernel_functions/reductions.h"
#include "aten/kernels/cuda/grid_stride.h"
#include "aten/kernels/pointwise.h"
#include "aten/kernels/repetition.h"

namespace tnp {

namespace gpu {
namespace {

// out[o, i, k]: the sum of in[o, r, k] over the repetitions r of entry i, one after the other as the CPU adds them.
template <class T>
struct SumRepetitions {
  static constexpr uint32_t kThreads = kGridStrideThreads;
  const T* in;
  T* out;
  const int64_t* ends;  // of the entries' repetitions
  int64_t outer, n, inner, total;
  TNP_HOST_DEVICE void run(Place place) const {
    using Acc = accumulate_t<T>;
    grid_stride_loop(place, outer * n * inner, [&](int64_t at) {
      const int64_t o = at / (n * inner), i = at / inner % n, k = at % inner;
      Acc sum(0);
      for (int64_t r = i > 0 ? ends[i - 1] : 0; r < ends[i]; ++r)
        sum += static_cast<Acc>(in[(o * total + r) * inner + k]);
      out[at] = convert<T>(sum);
    });
  }
};

// Where the repetitions of each entry end. What they come to is read on the CPU: how large a result is must be known
// there.
Tensor ends_of(Repetition& plan) {
  repeated_total(1, tnp::min(plan.counts).item<int64_t>());
  const double about = tnp::sum(plan.counts, std::nullopt, false, ScalarType::Float64).item<double>();
  TNP_CHECK(about < std::ldexp(1.0, 62), ErrorKind::Value, "array is too big");
  Tensor ends = native::cumsum_cuda(plan.counts, 0, ScalarType::Int64);
  plan.total = tnp::select(ends, 0, plan.n - 1).item<int64_t>();
  return ends;
}

// On one device, which a number of the CPU is brought to.
Device bring_together(Tensor& entries, Tensor& repeats) {
  const Device device = entries.device().is_cpu() ? repeats.device() : entries.device();
  if (entries.device() != device) entries = tnp::to(entries, std::optional(device));
  if (repeats.device() != device && repeats.numel() != 1) repeats = tnp::to(repeats, std::optional(device));
  return device;
}

// A new contiguous tensor in another shape.
Tensor shaped(const Tensor& t, IntList sizes) { return view_of(t, sizes, contiguous_strides(sizes), t.address()); }

}  // namespace
}  // namespace gpu

Tensor native::repeat_interleave_cuda(const Tensor& input, const Tensor& repeats, std::optional<int64_t> dim) {
  Tensor entries = input, counts = repeats;
  const Device device = gpu::bring_together(entries, counts);
  Repetition plan = repetition_of(input.sizes(), counts, dim);
  entries = tnp::reshape(entries, {plan.outer, plan.n, plan.inner});
  Tensor out;
  if (plan.counts.numel() == 1) {
    const int64_t times = plan.counts.item<int64_t>();
    plan.total = repeated_total(plan.n, times);
    out = tnp::clone(tnp::expand(tnp::unsqueeze(entries, 2), {plan.outer, plan.n, times, plan.inner}), Order::C);
  } else if (plan.n == 0) {
    out = tnp::clone(entries, Order::C);
  } else {
    const Tensor ends = gpu::ends_of(plan);
    const Tensor places =
        tnp::search_sorted(ends, {}, tnp::arange(Scalar(plan.total), ScalarType::Int64, device), true);
    out = tnp::index_select(entries, 1, places);
  }
  return gpu::shaped(out, repeated_shape(input.sizes(), dim, plan.total));
}

Tensor native::repeat_interleave_backward_cuda(const Tensor& grad, const Tensor& repeats, IntList size,
                                               std::optional<int64_t> dim) {
  Tensor source = grad, counts = repeats;
  const Device device = gpu::bring_together(source, counts);
  Repetition plan = repetition_of(size, counts, dim);
  if (plan.counts.numel() == 1) {
    const Tensor apart = tnp::reshape(source, {plan.outer, plan.n, plan.counts.item<int64_t>(), plan.inner});
    const int64_t axis = 2;
    return gpu::shaped(tnp::sum(apart, IntList(&axis, 1), false), size);
  }
  Tensor out = empty_tensor(size, source.dtype(), device);
  if (out.numel() == 0) return out;
  const Tensor ends = gpu::ends_of(plan);
  source = tnp::contiguous(source);
  visit_dtype(source.dtype(), [&]<class T>() {
    gpu::SumRepetitions<T> kernel{reinterpret_cast<const T*>(source.address()),
                                  reinterpret_cast<T*>(out.address()),
                                  reinterpret_cast<const int64_t*>(ends.address()),
                                  plan.outer,
                                  plan.n,
                                  plan.inner,
                                  plan.total};
    gpu::launch(kernel, gpu::grid_stride_blocks(out.numel()), device);
  });
  return out;
}

}  // namespace tnp
