// Generates CUDA reductions from a functor: gpu::make_reduction_loops<Sum, WideTypes>().
//
// Note [Order on the device] A thread combines its elements in four chains of at most kChain
// elements and adds the chains to its total. The totals of the threads of a result are combined
// pairwise. Rounding errors therefore grow slowly with the count, and the order depends on shape
// and layout only (reduction_shape.h).
//
// Note [Loads ahead] A thread issues loads of kBytesAhead bytes before it combines any of them (see
// also Note [Loads and conversions apart]). The bound has two reasons: registers must allow for
// 1024 threads per multiprocessor, and memory bandwidth times latency is about 30 kilobytes per
// multiprocessor of an H200. The usual dtypes in memory are compile-time constants, because a
// switch per load costs as much as the sum.
#pragma once

#include <algorithm>
#include <span>

#include "aten/core/memory/storage.h"
#include "aten/cuda/launch.h"
#include "aten/functors/functor.h"
#include "aten/kernels/cuda/element.h"
#include "aten/kernels/cuda/reduction/reduction_shape.h"

namespace tnp::gpu {

// G: the functor that lifts and combines. `functors` holds one per result; if it is null, G is
// default-constructed.
template <class G, class T>
struct ReduceKernel {
  static constexpr uint32_t kThreads = kReduceThreads;
  static constexpr bool has_next = requires { typename G::Next; };
  static constexpr int kWidth = static_cast<int>(16 / sizeof(T)), kChains = 4, kChain = 32, kBytesAhead = 64;
  static constexpr int kPacks = kBytesAhead / 16,
                       kSteps = std::max(kBytesAhead / kChains / static_cast<int>(sizeof(T)), 1);
  using Acc = decltype(G::identity());
  struct State {
    Acc value;
    int64_t count;  // number of elements combined; counted only if there is a mask
  };

  AxesArguments kept, reduced;
  const char* in;
  const char* mask;
  char* out;
  ScalarType in_dtype, out_dtype;
  bool packs, has_initial;
  ReductionShape shape;
  int64_t kept_count, reduced_count, first_kept;
  const G* functors;
  // If not null, the kernel reads `reduced_count` partial results per result from here, instead of
  // elements.
  const State* from;
  State* to;   // if not null, the kernel writes partial results here, instead of results
  void* next;  // where the first of two passes writes the functors of the second
  T initial;
  double parameter;
  int64_t total;  // elements per result, without a mask

  struct Shared {
    State states[kThreads];
  };
  // Position of a thread, computed once: divisions take longer than the rest of a phase.
  struct Private {
    uint32_t lane, segment;
    int64_t k;
  };

  // One phase for the elements, and one for each factor of four lanes.
  TNP_HOST_DEVICE int phases() const {
    int count = 1;
    for (uint32_t lanes = shape.lanes; lanes > 1; lanes /= 4) ++count;
    return count;
  }

  TNP_HOST_DEVICE void run(int phase, Place place, Shared& shared, Private& at) const {
    State& own = shared.states[place.thread];
    const uint32_t results = kThreads / shape.lanes;
    if (phase == 0) {
      at.lane = shape.lanes_side_by_side ? place.thread % shape.lanes : place.thread / results;
      const uint32_t column = shape.lanes_side_by_side ? place.thread / shape.lanes : place.thread % results;
      at.segment = place.block % shape.segments;
      at.k = first_kept + static_cast<int64_t>(place.block / shape.segments) * results + column;
      if (at.k >= kept_count) return;
      own = from ? combined(at.k, at.lane) : accumulated(at.k, at.segment, at.lane);
      if (shape.lanes == 1) finish(at.k, at.segment, own);
      return;
    }
    // A tree reduction, two levels at a time: first each lane combines with the lane at distance
    // lanes / 2, then with the one at distance lanes / 4.
    const uint32_t lanes = shape.lanes >> (2 * (phase - 1)), left = lanes > 4 ? lanes / 4 : 1;
    if (at.k >= kept_count || at.lane >= left) return;
    const uint32_t step = shape.lanes_side_by_side ? 1 : results;
    const auto join = [&](uint32_t lane) {
      const State &x = shared.states[place.thread + lane * step],
                  &y = shared.states[place.thread + (lane + lanes / 2) * step];
      return State{G::combine(x.value, y.value), x.count + y.count};
    };
    State sum = join(0);
    if (lanes > 2) {
      const State other = join(lanes / 4);
      sum = {G::combine(sum.value, other.value), sum.count + other.count};
    }
    if (lanes > 4)
      own = sum;
    else
      finish(at.k, at.segment, sum);
  }

 private:
  TNP_HOST_DEVICE G functor(int64_t k) const { return functors ? functors[k] : G{}; }

  TNP_HOST_DEVICE State combined(int64_t k, uint32_t lane) const {
    State sum{G::identity(), 0};
    for (int64_t s = lane; s < reduced_count; s += shape.lanes) {
      const State& part = from[s * kept_count + k];
      sum = {G::combine(sum.value, part.value), sum.count + part.count};
    }
    return sum;
  }

  // The chains of one thread, and the thread's total so far.
  struct Chains {
    Acc chain[kChains], sum;
    int length;
    TNP_HOST_DEVICE TNP_INLINE Chains() : sum(G::identity()), length(0) { restart(); }
    TNP_HOST_DEVICE TNP_INLINE void restart() {
      TNP_UNROLL
      for (int j = 0; j < kChains; ++j) chain[j] = G::identity();
    }
    TNP_HOST_DEVICE TNP_INLINE Acc total() const {
      return G::combine(sum, G::combine(G::combine(chain[0], chain[1]), G::combine(chain[2], chain[3])));
    }
    // Called after one more element was added to each chain.
    TNP_HOST_DEVICE TNP_INLINE void grown() {
      if (++length < kChain) return;
      sum = total();
      restart();
      length = 0;
    }
  };

  // The three cases of the dtype in memory: the kernel's own dtype, a 16-bit float known at compile
  // time, or any dtype.
  struct Own {
    static constexpr bool is_short = false;
    TNP_HOST_DEVICE static constexpr ScalarType of(ScalarType) { return scalar_type_of<T>; }
  };
  template <ScalarType dtype>
  struct Short {
    static constexpr bool is_short = true;
    TNP_HOST_DEVICE static constexpr ScalarType of(ScalarType) { return dtype; }
  };
  struct Any {
    static constexpr bool is_short = false;
    TNP_HOST_DEVICE static constexpr ScalarType of(ScalarType given) { return given; }
  };

  TNP_HOST_DEVICE State accumulated(int64_t k, uint32_t segment, uint32_t lane) const {
    if (in_dtype == scalar_type_of<T>) return accumulated_of<Own>(k, segment, lane);
    if constexpr (std::is_same_v<T, float>) {
      if (in_dtype == ScalarType::Float16) return accumulated_of<Short<ScalarType::Float16>>(k, segment, lane);
      if (in_dtype == ScalarType::BFloat16) return accumulated_of<Short<ScalarType::BFloat16>>(k, segment, lane);
    }
    return accumulated_of<Any>(k, segment, lane);
  }

  template <class Dtype>
  TNP_HOST_DEVICE State accumulated_of(int64_t k, uint32_t segment, uint32_t lane) const {
    constexpr int kAhead = Dtype::is_short ? 2 * kPacks : kPacks;
    const ScalarType dtype = Dtype::of(in_dtype);
    const G f = functor(k);
    const AxesArguments::Offsets base = kept.locate(k);
    const int64_t begin = segment * shape.segment_length;
    const int64_t end = begin + shape.segment_length < reduced_count ? begin + shape.segment_length : reduced_count;
    Chains c;
    const int64_t lanes = shape.lanes;
    int64_t i = begin + lane, count = 0;
    if (packs) {
      const int64_t whole = begin + (end - begin) / kWidth * kWidth, step = lanes * kWidth;
      const int64_t size = element_size_of<Dtype>(), bytes = step * size;
      int64_t p = begin + lane * kWidth;
      const char* from_here = in + base.in + p * size;
      auto add = [&](const Loaded<T, kWidth>& loaded, const char* address, int64_t at) {
        T x[kWidth];
        converted(loaded, address, dtype, size, x);
        TNP_UNROLL
        for (int j = 0; j < kWidth; ++j) c.chain[j % kChains] = G::combine(c.chain[j % kChains], f.lift(x[j], at + j));
        c.grown();
      };
      for (; p + (kAhead - 1) * step < whole; p += kAhead * step, from_here += kAhead * bytes) {
        Loaded<T, kWidth> loaded[kAhead];
        TNP_UNROLL
        for (int l = 0; l < kAhead; ++l) load(from_here + l * bytes, dtype, loaded[l]);
        TNP_UNROLL
        for (int l = 0; l < kAhead; ++l) add(loaded[l], from_here + l * bytes, p + l * step);
      }
      for (; p < whole; p += step, from_here += bytes) {
        Loaded<T, kWidth> loaded;
        load(from_here, dtype, loaded);
        add(loaded, from_here, p);
      }
      i = whole + lane;
    } else if (reduced.ndim == 1 && !mask) {
      const int64_t bytes = lanes * reduced.in[0];
      const char* from_here = in + base.in + i * reduced.in[0];
      auto add_many = [&]<int N>(std::integral_constant<int, N>) {
        for (; i + (N - 1) * lanes < end; i += N * lanes, from_here += N * bytes) {
          Loaded<T, 1> loaded[N];
          TNP_UNROLL
          for (int j = 0; j < N; ++j) load(from_here + j * bytes, dtype, loaded[j]);
          TNP_UNROLL
          for (int j = 0; j < N; ++j) {
            T x[1];
            converted(loaded[j], from_here + j * bytes, dtype, 0, x);
            c.chain[j % kChains] = G::combine(c.chain[j % kChains], f.lift(x[0], (i + j * lanes) * reduced.out[0]));
            if (j % kChains == kChains - 1) c.grown();
          }
        }
      };
      add_many(std::integral_constant<int, kSteps * kChains>());
      add_many(std::integral_constant<int, kChains>());
    }
    for (; i < end; i += lanes) {
      const AxesArguments::Offsets at = reduced.locate(i);
      if (mask && !mask[base.mask + at.mask]) continue;
      ++count;
      c.chain[0] = G::combine(c.chain[0], f.lift(load_element<T>(in + base.in + at.in, dtype), at.out));
      c.grown();
    }
    return {c.total(), count};
  }

  // The size of an element of a line that is read in packs.
  template <class Dtype>
  TNP_HOST_DEVICE TNP_INLINE int64_t element_size_of() const {
    if constexpr (std::is_same_v<Dtype, Own>)
      return sizeof(T);
    else if constexpr (Dtype::is_short)
      return 2;
    else
      return reduced.in[0];
  }

  TNP_HOST_DEVICE void finish(int64_t k, uint32_t segment, const State& state) const {
    if (to) {
      to[segment * kept_count + k] = state;
      return;
    }
    const G f = functor(k);
    int64_t count = mask || total < 0 ? state.count : total;
    if constexpr (has_next) {
      static_cast<typename G::Next*>(next)[k] = f.next(state.value, count);
    } else {
      Acc value = state.value;
      if (has_initial) value = G::combine(f.lift(initial, -1), value), ++count;
      const auto result = f.finish(value, count, parameter);
      store_element(out + kept.locate(k).out, out_dtype, result);
    }
  }
};

template <class F, class T>
struct Reduction {
  static constexpr bool two_passes = requires { typename F::Next; };

  // One pass over the elements. `functors`: see ReduceKernel.
  template <class G>
  static void pass(const ReducePlan& plan, const G* functors, void* next) {
    using Kernel = ReduceKernel<G, T>;
    using State = typename Kernel::State;
    Kernel k{};
    k.kept = axes_arguments(plan.kept);
    k.reduced = axes_arguments(plan.reduced);
    k.in = plan.in;
    k.mask = plan.mask;
    k.out = plan.out;
    k.in_dtype = plan.in_dtype;
    k.out_dtype = plan.out_dtype;
    k.packs = packs(plan.in_dtype, scalar_type_of<T>) && reads_packs(plan, Kernel::kWidth);
    k.has_initial = !two_passes && plan.initial != nullptr;
    if (k.has_initial) k.initial = plan.initial->template to<T>();
    k.shape = reduction_shape(plan);
    k.kept_count = plan.kept.count;
    k.reduced_count = plan.reduced.count;
    k.functors = functors;
    k.next = next;
    k.parameter = plan.parameter;
    k.total = plan.mask ? -1 : plan.reduced.count;
    if (k.shape.segments == 1) return launch_all(k, plan.device);

    const int64_t segments = k.shape.segments;
    auto scratch = new_storage(static_cast<size_t>(segments * k.kept_count) * sizeof(State), plan.device);
    k.to = reinterpret_cast<State*>(scratch->data());
    launch_all(k, plan.device);
    k.from = k.to;
    k.to = nullptr;
    k.mask = nullptr;
    k.reduced_count = segments;
    k.shape = combination_shape(k.kept_count, segments);
    launch_all(k, plan.device);
  }

  template <class Kernel>
  static void launch_all(Kernel k, Device device) {
    const int64_t results = kReduceThreads / k.shape.lanes, most = kMaxBlocks / k.shape.segments;
    for (k.first_kept = 0; k.first_kept < k.kept_count; k.first_kept += most * results) {
      const int64_t blocks = std::min((k.kept_count - k.first_kept + results - 1) / results, most);
      launch(k, static_cast<uint32_t>(blocks * k.shape.segments), device);
    }
  }

  static void run(const ReducePlan& plan) {
    if (plan.kept.count == 0) return;
    if constexpr (two_passes) {
      using Next = typename F::Next;
      auto functors = new_storage(static_cast<size_t>(plan.kept.count) * sizeof(Next), plan.device);
      pass<F>(plan, nullptr, functors->data());
      pass<Next>(plan, reinterpret_cast<const Next*>(functors->data()), nullptr);
    } else {
      pass<F>(plan, nullptr, nullptr);
    }
  }

  template <class G>
  struct ResultOf {
    using type = decltype(std::declval<const G&>().finish(G::identity(), int64_t{}, double{}));
  };
  template <class G>
    requires requires { typename G::Next; }
  struct ResultOf<G> : ResultOf<typename G::Next> {};
  using Result = typename ResultOf<F>::type;
};

template <template <class> class F, class List>
struct ReductionTable;
template <template <class> class F, class... Ts>
struct ReductionTable<F, TypeList<Ts...>> {
  static constexpr ReductionLoop loops[sizeof...(Ts)] = {{scalar_type_of<Ts>,
                                                          scalar_type_of<typename Reduction<F<Ts>, Ts>::Result>,
                                                          F<Ts>::empty_error, &Reduction<F<Ts>, Ts>::run}...};
};

template <template <class> class F, class List>
std::span<const ReductionLoop> make_reduction_loops() {
  return ReductionTable<F, List>::loops;
}

}  // namespace tnp::gpu
