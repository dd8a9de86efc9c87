// From a functor to compiled reductions: make_reduction_loops<Sum, ComputeTypes>().
//
// Note [Order of summation]: elements are combined in 16 lanes of blocks of 512, blocks pairwise (Higham, SIAM J. Sci.
// Comput. 14 (1993) 783-799): rounding errors grow with the logarithm of the count. The order depends on shape and
// layout only, never on the number of threads: long ranges are cut into segments of fixed length.
#pragma once

#include <algorithm>
#include <memory>
#include <type_traits>

#include "aten/core/parallel.h"
#include "aten/kernels/cpu/pointwise_loops.h"
#include "aten/kernels/cpu/reduce_plan.h"

namespace tnp {
inline namespace TNP_CPU_CAPABILITY {

template <class F, class T>
struct Reducer {
  using Acc = decltype(F::identity());
  static constexpr bool has_dense = requires(const F& f, const stored_t<T>* x) { f.dense(x, int64_t{}, int64_t{}); };
  static constexpr bool has_done = requires(Acc a) { F::done(a); };
  static constexpr int kLanes = sizeof(Acc) > 8 ? 4 : 16;
  static constexpr int64_t kBlock = has_dense ? 4096 : 512;
  static constexpr int64_t kColumns = sizeof(Acc) > 8 ? 512 : 1024;  // of a block of rows; its accumulators stay in L1
  static constexpr int64_t kRows = 64;      // added up before they join the total

  // Binary counter of partial results: the i-th level holds 2^i of what was added.
  class Cascade {
   public:
    void add(Acc a) {
      int level = 0;
      for (uint64_t n = count_++; n & 1; n >>= 1) a = F::combine(levels_[level++], a);
      levels_[level] = a;
    }
    Acc total() const {
      Acc sum = F::identity();
      bool any = false;
      int level = 0;
      for (uint64_t n = count_; n; n >>= 1, ++level) {
        if (!(n & 1)) continue;
        sum = any ? F::combine(levels_[level], sum) : levels_[level];
        any = true;
      }
      return sum;
    }

   private:
    uint64_t count_ = 0;
    Acc levels_[64];
  };

  template <bool dense>
  static TNP_INLINE Acc block(const F& f, const char* x, int64_t step, int64_t n, int64_t index, int64_t index_step) {
    auto at = [&](int64_t i) -> T {
      if constexpr (dense) return reinterpret_cast<const stored_t<T>*>(x)[i];
      else return *reinterpret_cast<const stored_t<T>*>(x + i * step);
    };
    int64_t i = 0;
    Acc total = F::identity();
    if (n >= kLanes) {
      Acc lanes[kLanes];
      for (int j = 0; j < kLanes; ++j) lanes[j] = f.lift(at(j), index + j * index_step);
      for (i = kLanes; i + kLanes <= n; i += kLanes) {
        for (int j = 0; j < kLanes; ++j) lanes[j] = F::combine(lanes[j], f.lift(at(i + j), index + (i + j) * index_step));
      }
      for (int width = kLanes / 2; width > 0; width /= 2) {
        for (int j = 0; j < width; ++j) lanes[j] = F::combine(lanes[j], lanes[j + width]);
      }
      total = lanes[0];
    } else if (n > 0) {
      total = f.lift(at(0), index);
      i = 1;
    }
    for (; i < n; ++i) total = F::combine(total, f.lift(at(i), index + i * index_step));
    return total;
  }

  // Not inlined: its recursion would be unrolled into every caller.
  TNP_LOOP __attribute__((noinline)) static Acc pairwise(const F& f, const char* x, int64_t step, int64_t n, int64_t index, int64_t index_step) {
    if (n <= kBlock) {
      if (step != sizeof(T)) return block<false>(f, x, step, n, index, index_step);
      if constexpr (has_dense) {
        if (index_step == 1) return f.dense(reinterpret_cast<const stored_t<T>*>(x), n, index);
      }
      return block<true>(f, x, step, n, index, index_step);
    }
    int64_t half = (n / 2 + kBlock - 1) / kBlock * kBlock;
    return F::combine(pairwise(f, x, step, half, index, index_step),
                      pairwise(f, x + half * step, step, n - half, index + half * index_step, index_step));
  }

  // A line of elements that may need a cast and may have a mask. Adds to `sum` and `count`.
  static void line(const ReducePlan& plan, const F& f, const Position& at, int64_t base, int64_t mask_base, int64_t n,
                   char* buffer, Cascade& sum, int64_t& count) {
    const Axis& axis = plan.reduced.axes[0];
    const char* x = plan.in + base + at.in;
    if (!plan.load && !plan.mask) {
      count += n;
      sum.add(pairwise(f, x, axis.in, n, at.out, axis.out));
      return;
    }
    for (int64_t start = 0; start < n; start += kChunk) {
      int64_t length = std::min(kChunk, n - start);
      const char* piece = x + start * axis.in;
      int64_t step = axis.in, index = at.out + start * axis.out;
      if (plan.load) {
        char* pair[] = {buffer, const_cast<char*>(piece)};
        const int64_t strides[] = {sizeof(T), step};
        plan.load(pair, strides, length);
        piece = buffer;
        step = sizeof(T);
      }
      if (!plan.mask) {
        count += length;
        sum.add(pairwise(f, piece, step, length, index, axis.out));
        continue;
      }
      const char* let = plan.mask + mask_base + at.mask + start * axis.mask;
      for (int64_t i = 0; i < length; ++i) {
        int64_t from = i;
        while (i < length && let[i * axis.mask]) ++i;
        if (i == from) continue;
        count += i - from;
        sum.add(pairwise(f, piece + from * step, step, i - from, index + from * axis.out, axis.out));
      }
    }
  }

  // One result: the reduced range [begin, end) of the elements that belong to the kept place `at`.
  static Acc along_reduced(const ReducePlan& plan, const F& f, const Position& kept, int64_t begin, int64_t end,
                                    char* buffer, int64_t& count) {
    Cascade sum;
    Position at(plan.reduced, begin);
    while (begin < end) {
      int64_t n = std::min(at.line_left(), end - begin);
      if constexpr (has_done) {  // look up now and then
        n = std::min<int64_t>(n, 16384);
      }
      line(plan, f, at, kept.in, kept.mask, n, buffer, sum, count);
      if constexpr (has_done) {
        if (F::done(sum.total())) break;
      }
      at.advance(n);
      begin += n;
    }
    return sum.total();
  }

  // Four rows at once: their sum joins `partial`, which is then read and written a quarter as often.
  static TNP_INLINE void four_rows(const F* f, const char* x, int64_t step, int64_t n, int64_t index, int64_t index_step, Acc* partial) {
    using Item = stored_t<T>;
    auto *a = reinterpret_cast<const Item*>(x), *b = reinterpret_cast<const Item*>(x + step), *c = reinterpret_cast<const Item*>(x + 2 * step),
         *d = reinterpret_cast<const Item*>(x + 3 * step);
#pragma GCC ivdep
    for (int64_t j = 0; j < n; ++j) {
      Acc first = F::combine(f[j].lift(static_cast<T>(a[j]), index), f[j].lift(static_cast<T>(b[j]), index + index_step));
      Acc second = F::combine(f[j].lift(static_cast<T>(c[j]), index + 2 * index_step), f[j].lift(static_cast<T>(d[j]), index + 3 * index_step));
      partial[j] = F::combine(partial[j], F::combine(first, second));
    }
  }

  // `n` results that lie in one line of kept[0]: row by row over the reduced range.
  TNP_LOOP static void along_kept(const ReducePlan& plan, const F* f, const Position& kept, int64_t n, int64_t begin,
                                  int64_t end, char* buffer, Acc* total, int64_t* count) {
    const Axis& axis = plan.kept.axes[0];
    Acc partial[kColumns];
    for (int64_t j = 0; j < n; ++j) total[j] = F::identity();
    Position at(plan.reduced, begin);
    for (int64_t row = begin; row < end;) {
      int64_t last = std::min(row + kRows, end);
      for (int64_t j = 0; j < n; ++j) partial[j] = F::identity();
      while (row < last) {
        const char* x = plan.in + kept.in + at.in;
        if (!plan.load && !plan.mask && axis.in == sizeof(T) && last - row >= 4 && at.line_left() >= 4) {
          four_rows(f, x, plan.reduced.axes[0].in, n, at.out, plan.reduced.axes[0].out, partial);
          row += 4;
          at.advance(4);
          continue;
        }
        int64_t step = axis.in;
        if (plan.load) {
          char* pair[] = {buffer, const_cast<char*>(x)};
          const int64_t strides[] = {sizeof(T), step};
          plan.load(pair, strides, n);
          x = buffer;
          step = sizeof(T);
        }
        if (plan.mask) {
          const char* let = plan.mask + kept.mask + at.mask;
          for (int64_t j = 0; j < n; ++j) {
            if (!let[j * axis.mask]) continue;
            partial[j] = F::combine(partial[j], f[j].lift(static_cast<T>(*reinterpret_cast<const stored_t<T>*>(x + j * step)), at.out));
            ++count[j];
          }
        } else if (step == sizeof(T)) {
          auto* dense = reinterpret_cast<const stored_t<T>*>(x);
#pragma GCC ivdep
          for (int64_t j = 0; j < n; ++j) partial[j] = F::combine(partial[j], f[j].lift(static_cast<T>(dense[j]), at.out));
        } else {
          for (int64_t j = 0; j < n; ++j) {
            partial[j] = F::combine(partial[j], f[j].lift(static_cast<T>(*reinterpret_cast<const stored_t<T>*>(x + j * step)), at.out));
          }
        }
        ++row;
        at.advance(1);
      }
      for (int64_t j = 0; j < n; ++j) total[j] = F::combine(total[j], partial[j]);
    }
    if (!plan.mask) for (int64_t j = 0; j < n; ++j) count[j] += end - begin;
  }

  // `n` results from the flat kept place `first` on (rows: within one line), over the reduced range [begin, end).
  static void accumulate(const ReducePlan& plan, const F* f, int64_t first, int64_t n, int64_t begin, int64_t end,
                         Acc* total, int64_t* count) {
    alignas(64) char buffer[kChunk * 16];
    Position kept(plan.kept, first);
    if (plan.rows) return along_kept(plan, f, kept, n, begin, end, buffer, total, count);
    if (!plan.load && !plan.mask && plan.reduced.axes.size() == 1 && (!has_done || end - begin <= kBlock)) {
      // One line each: nothing to put together, unless it is long and looking up now and then may end it early.
      const Axis& axis = plan.reduced.axes[0];
      for (int64_t j = 0; j < n; ++j, kept.advance(1)) {
        const char* x = plan.in + kept.in + begin * axis.in;
        if constexpr (!has_dense) {
          if (axis.in == sizeof(T) && end - begin <= 64) {
            total[j] = block<true>(f[j], x, axis.in, end - begin, begin * axis.out, axis.out);
            count[j] += end - begin;
            continue;
          }
        }
        total[j] = pairwise(f[j], x, axis.in, end - begin, begin * axis.out, axis.out);
        count[j] += end - begin;
      }
      return;
    }
    for (int64_t j = 0; j < n; ++j, kept.advance(1)) total[j] = along_reduced(plan, f[j], kept, begin, end, buffer, count[j]);
  }
};

template <class F, class T>
struct ReductionKernel {
  using R = Reducer<F, T>;
  using Acc = typename R::Acc;
  static constexpr int64_t kSegment = 1 << 16;       // elements; about 10 us
  static constexpr int64_t kSegmentsPerPiece = 4;    // of work for one thread
  static constexpr bool two_passes = requires { typename F::Next; };

  static void run(const ReducePlan& plan) {
    if (plan.kept.count == 0) return;
    // Results in blocks; within a line of kept[0] where rows are added.
    int64_t line = plan.rows ? plan.kept.axes[0].size : plan.kept.count;
    int64_t work = std::max<int64_t>(plan.reduced.count, 1);
    int64_t block = plan.rows ? R::kColumns : std::clamp<int64_t>(kParallelWork / work, 1, R::kColumns);
    int64_t blocks_per_line = (line + block - 1) / block;
    int64_t blocks = plan.kept.count / line * blocks_per_line;
    // Few results of many elements: the reduced range is cut, too.
    int64_t segment_length = plan.rows ? std::max<int64_t>(kSegment / std::min(line, block) / R::kRows, 1) * R::kRows : kSegment;
    int64_t segments = blocks >= 64 ? 1 : std::max<int64_t>((plan.reduced.count + segment_length - 1) / segment_length, 1);
    auto range = [&](int64_t b) {
      int64_t start = b / blocks_per_line * line + b % blocks_per_line * block;
      return std::pair(start, std::min(block, line - b % blocks_per_line * block));
    };
    if (segments == 1) {
      int64_t grain = std::max<int64_t>(kParallelWork / std::max<int64_t>(block * work, 1), 1);
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
  static void whole(const ReducePlan& plan, int64_t first, int64_t n) {
    F f[R::kColumns];
    Acc total[R::kColumns];
    int64_t count[R::kColumns] = {};
    R::accumulate(plan, f, first, n, 0, plan.reduced.count, total, count);
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
    auto partial = std::make_unique<A[]>(static_cast<size_t>(segments * n));
    auto counts = std::make_unique<int64_t[]>(static_cast<size_t>(segments * n));
    parallel_for(0, segments, kSegmentsPerPiece, [&](int64_t from, int64_t to) {
      for (int64_t s = from; s < to; ++s) {
        Reducer<G, T>::accumulate(plan, f, first, n, s * length, std::min((s + 1) * length, plan.reduced.count),
                                  partial.get() + s * n, counts.get() + s * n);
      }
    });
    for (int64_t j = 0; j < n; ++j) {
      typename Reducer<G, T>::Cascade sum;
      count[j] = 0;
      for (int64_t s = 0; s < segments; ++s) {
        sum.add(partial[static_cast<size_t>(s * n + j)]);
        count[j] += counts[static_cast<size_t>(s * n + j)];
      }
      total[j] = sum.total();
    }
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
  static void finish(const ReducePlan& plan, const G* f, int64_t first, int64_t n, const A* total, const int64_t* count) {
    Position kept(plan.kept, first);
    for (int64_t j = 0; j < n; ++j, kept.advance(1)) {
      A a = total[j];
      int64_t elements = count[j];
      if constexpr (std::is_same_v<G, F>) {
        if (plan.initial) a = G::combine(f[j].lift(plan.initial->to<T>(), -1), a), ++elements;
      }
      auto value = f[j].finish(a, elements, plan.parameter);
      char* out = plan.out + kept.out;
      if (!plan.store) {
        *reinterpret_cast<decltype(value)*>(out) = value;
      } else {
        char* pair[] = {out, reinterpret_cast<char*>(&value)};
        const int64_t strides[] = {0, 0};
        plan.store(pair, strides, 1);
      }
    }
  }

  template <class G>
  struct ResultOf { using type = decltype(std::declval<const G&>().finish(std::declval<Acc>(), int64_t{}, double{})); };
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
  static constexpr ReductionLoop loops[] = {
      {scalar_type_of<Ts>, scalar_type_of<typename ReductionKernel<F<Ts>, Ts>::Result>, F<Ts>::empty_error, &ReductionKernel<F<Ts>, Ts>::run}...};
};

// One loop for each type of List; its key is the type that the input is read as.
template <template <class> class F, class List>
std::span<const ReductionLoop> make_reduction_loops() { return ReductionTable<F, List>::loops; }

}  // namespace TNP_CPU_CAPABILITY
}  // namespace tnp
