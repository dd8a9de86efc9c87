// Compiled reductions from functors: make_reduction_loops<Sum, ComputeTypes>().
#pragma once

#include <algorithm>
#include <memory>

#include "aten/core/threads/parallel.h"
#include "aten/kernels/cpu/reduction/source_reducer.h"

namespace tnp {
inline namespace TNP_CPU_CAPABILITY {

template <class F, class T>
struct ReductionKernel {
  using R = Reducer<F, T>;
  using Acc = typename R::Acc;
  static constexpr int64_t kSegment = kElementsOfSegment;
  static constexpr int64_t kFewSegments = 4;  // up to this many segments are reduced on one thread
  static constexpr bool two_passes = requires { typename F::Next; };

  static void run(const ReducePlan& plan) {
    if (plan.kept.count == 0) return;
    // Computes results in blocks. When combining rows, a block is within one line of kept[0].
    int64_t line = plan.rows ? plan.kept.axes[0].size : plan.kept.count;
    int64_t work = std::max<int64_t>(plan.reduced.count, 1);
    int64_t block = plan.rows ? R::kColumns : std::clamp<int64_t>(kParallelWork / work, 1, R::kColumns);
    if (plan.num_results >= 0) return some(plan, line, block);
    int64_t blocks_per_line = (line + block - 1) / block;
    int64_t blocks = plan.kept.count / line * blocks_per_line;
    // If there are few results of many elements, the reduced range is also cut into segments.
    int64_t segment_length =
        plan.rows ? std::max<int64_t>(kSegment / std::min(line, block) / R::kRows, 1) * R::kRows : kSegment;
    int64_t segments =
        blocks >= 64 ? 1 : std::max<int64_t>((plan.reduced.count + segment_length - 1) / segment_length, 1);
    auto range = [&](int64_t b) {
      int64_t start = b / blocks_per_line * line + b % blocks_per_line * block;
      return std::pair(start, std::min(block, line - b % blocks_per_line * block));
    };
    if (segments == 1) {
      int64_t grain = std::max<int64_t>(kParallelWork / std::max<int64_t>(std::min(block, line) * work, 1), 1);
      parallel_for(0, blocks, grain, [&](int64_t from, int64_t to) {
        for (int64_t b = from; b < to; ++b) {
          auto [first, n] = range(b);
          whole(plan, first, n);
        }
      });
    } else {
      for (int64_t b = 0; b < blocks; ++b) {
        auto [first, n] = range(b);
        cut(plan, first, n, segments, segment_length);
      }
    }
  }

 private:
  static void some(const ReducePlan& plan, int64_t line, int64_t block) {
    const int64_t end = plan.first_result + plan.num_results;
    if (plan.results_of_row <= block) block = block / plan.results_of_row * plan.results_of_row;
    for (int64_t first = plan.first_result, n; first < end; first += n) {
      n = std::min({block, line - first % line, end - first});
      whole(plan, first, n);
    }
  }

  template <class Part, class G>
  static void accumulate(const ReducePlan& plan, const G* f, int64_t first, int64_t n, int64_t begin, int64_t end,
                         typename Part::Acc* total, int64_t* count) {
    if constexpr (!two_passes) {  // with two passes, a source would compute its elements twice
      if (TNP_UNLIKELY(plan.source != nullptr))
        return SourceReducer<F, T>::accumulate(plan, f, first, n, begin, end, total);
    }
    Part::accumulate(plan, f, first, n, begin, end, total, count);
  }

  // Initialises the number of elements per result. Without a mask, all elements count. With a mask,
  // the number starts at 0 and accumulate() counts.
  static void start_counts(const ReducePlan& plan, int64_t n, int64_t* count) {
    std::fill_n(count, n, plan.mask ? 0 : plan.reduced.count);
  }

  static void whole(const ReducePlan& plan, int64_t first, int64_t n) {
    F f[R::kColumns];
    Acc total[R::kColumns];
    int64_t count[R::kColumns];
    start_counts(plan, n, count);
    accumulate<R>(plan, f, first, n, 0, plan.reduced.count, total, count);
    if constexpr (two_passes) {
      using Next = typename F::Next;
      using Second = Reducer<Next, T>;
      Next next[R::kColumns];
      typename Second::Acc second[R::kColumns];
      int64_t again[R::kColumns] = {};
      for (int64_t j = 0; j < n; ++j) next[j] = f[j].next(total[j], count[j]);
      Second::accumulate(plan, next, first, n, 0, plan.reduced.count, second, again);
      finish(plan, next, first, n, second, count);
    } else {
      finish(plan, f, first, n, total, count);
    }
  }

  template <class G>
  static void segmented(const ReducePlan& plan, const G* f, int64_t first, int64_t n, int64_t segments, int64_t length,
                        typename Reducer<G, T>::Acc* total, int64_t* count) {
    using A = typename Reducer<G, T>::Acc;
    auto partials = std::make_unique_for_overwrite<A[]>(static_cast<size_t>(segments * n));
    auto counts = std::make_unique<int64_t[]>(static_cast<size_t>(plan.mask ? segments * n : 0));
    A* const partial = partials.get();
    // Segments are scheduled one by one, because with larger pieces one thread would wait for
    // another's last piece.
    parallel_for(0, segments, segments <= kFewSegments ? segments : 1, [&](int64_t from, int64_t to) {
      for (int64_t s = from; s < to; ++s) {
        accumulate<Reducer<G, T>>(plan, f, first, n, s * length, std::min((s + 1) * length, plan.reduced.count),
                                  partial + s * n, plan.mask ? counts.get() + s * n : nullptr);
      }
    });
    // Combines neighbouring segments in pairs, then neighbouring pairs, and so on.
    for (int64_t apart = 1; apart < segments; apart *= 2) {
      for (int64_t s = 0; s + apart < segments; s += 2 * apart) {
        A *a = partial + s * n, *b = a + apart * n;
#pragma GCC ivdep
        for (int64_t j = 0; j < n; ++j) a[j] = G::combine(a[j], b[j]);
      }
    }
    std::copy_n(partial, n, total);
    start_counts(plan, n, count);
    if (plan.mask)
      for (int64_t i = 0; i < segments * n; ++i) count[i % n] += counts[static_cast<size_t>(i)];
  }

  static void cut(const ReducePlan& plan, int64_t first, int64_t n, int64_t segments, int64_t length) {
    F f[R::kColumns];
    Acc total[R::kColumns];
    int64_t count[R::kColumns];
    segmented(plan, f, first, n, segments, length, total, count);
    if constexpr (two_passes) {
      using Next = typename F::Next;
      Next next[R::kColumns];
      typename Reducer<Next, T>::Acc second[R::kColumns];
      for (int64_t j = 0; j < n; ++j) next[j] = f[j].next(total[j], count[j]);
      segmented(plan, next, first, n, segments, length, second, count);
      finish(plan, next, first, n, second, count);
    } else {
      finish(plan, f, first, n, total, count);
    }
  }

  template <class G, class A>
  __attribute__((noinline)) static void finish(const ReducePlan& plan, const G* f, int64_t first, int64_t n, A* total,
                                               int64_t* count) {
    using Value = decltype(f->finish(*total, int64_t{}, double{}));
    if constexpr (std::is_same_v<G, F>) {
      if (plan.initial) {
        const T initial = plan.initial->to<T>();
        for (int64_t j = 0; j < n; ++j) total[j] = G::combine(f[j].lift(initial, -1), total[j]), ++count[j];
      }
    }
    constexpr int64_t kPiece = 64;
    Value values[kPiece];
    Position kept(plan.kept, first);
    for (int64_t j = 0; j < n;) {
      const int64_t length = std::min({kept.line_left(), n - j, kPiece}), step = plan.kept.axes[0].out;
      char* out = plan.out + kept.out;
      const bool direct = !plan.store && step == sizeof(Value);
      Value* to = direct ? reinterpret_cast<Value*>(out) : values;
      for (int64_t i = 0; i < length; ++i) to[i] = f[j + i].finish(total[j + i], count[j + i], plan.parameter);
      if (plan.store) {
        char* pair[] = {out, reinterpret_cast<char*>(values)};
        const int64_t strides[] = {step, sizeof(Value)};
        plan.store(pair, strides, length);
      } else if (!direct) {
        for (int64_t i = 0; i < length; ++i) *reinterpret_cast<Value*>(out + i * step) = values[i];
      }
      j += length;
      kept.advance(length);
    }
  }

  template <class G>
  struct ResultOf {
    using type = decltype(std::declval<const G&>().finish(std::declval<Acc>(), int64_t{}, double{}));
  };
  template <class G>
    requires requires { typename G::Next; }
  struct ResultOf<G> {
    using type = decltype(std::declval<const typename G::Next&>().finish(G::Next::identity(), int64_t{}, double{}));
  };

 public:
  using Result = typename ResultOf<F>::type;
};

template <template <class> class F, class List>
struct ReductionTable;
template <template <class> class F, class... Ts>
struct ReductionTable<F, TypeList<Ts...>> {
  static constexpr ReductionLoop loops[] = {{scalar_type_of<Ts>,
                                             scalar_type_of<typename ReductionKernel<F<Ts>, Ts>::Result>,
                                             F<Ts>::empty_error, &ReductionKernel<F<Ts>, Ts>::run}...};
};

// One loop for each type of List. The loop's key is the type in which the input is read.
template <template <class> class F, class List>
std::span<const ReductionLoop> make_reduction_loops() {
  return ReductionTable<F, List>::loops;
}

}  // namespace TNP_CPU_CAPABILITY
}  // namespace tnp
