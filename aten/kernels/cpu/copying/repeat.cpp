// repeat_interleave (entries repeated by counts) and its gradient: see Note [Repetitions].
#include "aten/kernels/repetition.h"

#include <algorithm>
#include <bit>

#include "aten/core/threads/parallel.h"
#include "aten/kernel_functions/joining.h"
#include "aten/kernels/cpu/copying/repeat_loops.h"

namespace tnp {

const LoopVariants<RepeatLoop>& repeat_loops::variants() {
  static constexpr LoopVariants<RepeatLoop> variants = TNP_LOOP_VARIANTS(loops);
  return variants;
}

const RepeatLoop& repeat_loops::of(int64_t bytes_of_an_element) {
  static const std::span<const RepeatLoop> chosen = variants().choose();
  return chosen[static_cast<size_t>(std::countr_zero(static_cast<uint64_t>(bytes_of_an_element)))];
}

namespace native {

namespace {

// A tensor as (outer, n, inner), and the number of repetitions of each entry.
struct Repetition {
  int64_t outer, n, inner, total;
  const int64_t* counts;  // null if all counts are equal
  int64_t times;          // the common count, if all are equal
  int64_t count_of(int64_t i) const { return counts ? counts[i] : times; }
};

Repetition repetition_of(IntList entries, const Tensor& repeats, int64_t numel_of_all) {
  const int64_t lines = entries[0] * entries[2], total = numel_of_all / lines;
  const bool alike = repeats.numel() == 1;
  return {entries[0],
          entries[1],
          entries[2],
          total,
          alike ? nullptr : repeats.data_ptr<int64_t>(),
          alike ? total / entries[1] : 0};
}

// Repeats entries [begin, end) of the n entries of one outer index.
template <class T>
void repeat_entries(const Repetition& plan, const T* from, int64_t begin, int64_t end, T* to) {
  if (plan.inner == 1 && !plan.counts) {
    repeat_loops::of(sizeof(T)).repeat(from + begin, end - begin, plan.times, to);
    return;
  }
  from += begin * plan.inner;
  for (int64_t i = begin; i < end; ++i, from += plan.inner) {
    if (plan.inner == 1)
      to = std::fill_n(to, plan.count_of(i), *from);
    else
      for (int64_t r = plan.count_of(i); r > 0; --r) to = std::copy_n(from, plan.inner, to);
  }
}

}  // namespace

void repeat_interleave_cpu(const Tensor& input, const Tensor& repeats, std::optional<int64_t>, const Tensor& out) {
  if (out.numel() == 0) return;
  const Repetition plan = repetition_of(input.sizes(), repeats, out.numel());
  visit_dtype(input.dtype(), [&]<class T>() {
    const T* from = input.data_ptr<T>();
    T* to = out.data_ptr<T>();
    const int64_t source_step = plan.n * plan.inner, step = plan.total * plan.inner;
    if (plan.counts) {  // the position of a result depends on the counts before it
      parallel_for(0, plan.outer, std::max<int64_t>(1, kParallelWork / step), [&](int64_t begin, int64_t end) {
        for (int64_t o = begin; o < end; ++o) repeat_entries(plan, from + o * source_step, 0, plan.n, to + o * step);
      });
      return;
    }
    const int64_t entry = plan.times * plan.inner;
    parallel_for(0, plan.outer * plan.n, std::max<int64_t>(1, kParallelWork / entry), [&](int64_t begin, int64_t end) {
      for (int64_t at = begin; at < end;) {
        int64_t o = at / plan.n, first = at % plan.n, last = std::min(plan.n, first + end - at);
        repeat_entries(plan, from + o * source_step, first, last, to + o * step + first * entry);
        at += last - first;
      }
    });
  });
}

void sum_repetitions_cpu(const Tensor& grad, const Tensor& repeats, IntList size, std::optional<int64_t>,
                         const Tensor& out) {
  if (out.numel() == 0) return;
  const Repetition plan = repetition_of(size, repeats, grad.numel());
  visit_dtype(grad.dtype(), [&]<class T>() {
    using Acc = accumulate_t<T>;
    const T* from = grad.data_ptr<T>();
    T* to = out.data_ptr<T>();
    for (int64_t o = 0; o < plan.outer; ++o) {
      for (int64_t i = 0; i < plan.n; ++i, to += plan.inner) {
        for (int64_t k = 0; k < plan.inner; ++k) {
          Acc sum(0);
          for (int64_t r = 0; r < plan.count_of(i); ++r) sum += static_cast<Acc>(from[r * plan.inner + k]);
          to[k] = convert<T>(sum);
        }
        from += plan.count_of(i) * plan.inner;
      }
    }
  });
}

}  // namespace native

}  // namespace tnp
