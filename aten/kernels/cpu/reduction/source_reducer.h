// Reductions of elements that are computed on demand: Note [Sources of elements]. A Reducer
// combines such elements in the same order as elements in memory.
#pragma once

#include "aten/kernels/cpu/reduction/reducer.h"

namespace tnp {
inline namespace TNP_CPU_CAPABILITY {

template <class F, class T>
struct SourceReducer {
  using R = Reducer<F, T>;
  using Acc = typename R::Acc;
  // The number of elements per fetch, chosen so that they stay in L1.
  static constexpr int64_t kFetched = std::max<int64_t>(R::kBlock, 16 * 1024 / sizeof(T));

  // Like Reducer::accumulate().
  static void accumulate(const ReducePlan& plan, const F* f, int64_t first, int64_t n, int64_t begin, int64_t end,
                         Acc* total) {
    const int64_t size = element_size(plan.in_dtype), length = plan.reduced.count;
    if (plan.rows && plan.kept.axes[0].in == size) return along_kept(plan, f, first, n, begin, end, total);
    if (length <= kFetched) return whole_lines(plan, f, first, n, total);
    for (int64_t j = 0; j < n; ++j) total[j] = along_reduced(plan, f[j], (first + j) * length, begin, end);
  }

 private:
  // The address of the input's first element, if the element `offset` bytes after it were at
  // `fetched`. Not dereferenced.
  static const char* origin(const char* fetched, int64_t offset) {
    return reinterpret_cast<const char*>(reinterpret_cast<uintptr_t>(fetched) - static_cast<uintptr_t>(offset));
  }

  // Reduces short lines, one for each result.
  static void whole_lines(const ReducePlan& plan, const F* f, int64_t first, int64_t n, Acc* total) {
    const int64_t length = plan.reduced.count, together = std::max<int64_t>(kFetched / length, 1);
    ReducePlan here = plan;
    here.source = nullptr;
    for (int64_t j = 0; j < n; j += together) {
      const int64_t count = std::min(together, n - j), from = (first + j) * length;
      here.in = origin(plan.source->elements(from, count * length), from * element_size(plan.in_dtype));
      R::accumulate(here, f + j, first + j, count, 0, length, total + j, nullptr);
    }
  }

  // Computes one result: reduces elements [begin, end) of the line that starts at element `line`.
  static Acc along_reduced(const ReducePlan& plan, const F& f, int64_t line, int64_t begin, int64_t end) {
    typename R::Cascade sum;
    const int64_t step = plan.reduced.axes[0].out;
    while (begin < end) {
      int64_t n = end - begin;
      if constexpr (R::has_done) n = std::min<int64_t>(n, 16384);
      add_piece(plan, f, line + begin, n, begin * step, step, sum);
      begin += n;
      if constexpr (R::has_done) {
        if (F::done(sum.total())) break;
      }
    }
    for (; plan.source->is_wanted_whole() && begin < end; begin += kFetched)
      plan.source->elements(line + begin, std::min(kFetched, end - begin));
    return sum.total();
  }

  // Like Reducer::line().
  static void add_piece(const ReducePlan& plan, const F& f, int64_t from, int64_t n, int64_t index, int64_t index_step,
                        typename R::Cascade& sum) {
    if (!plan.load) return sum.add(pairwise(*plan.source, f, from, n, index, index_step));
    alignas(64) char buffer[kChunk * 16];
    constexpr int64_t kPiece = 4 * kChunk;
    const int64_t size = element_size(plan.in_dtype), strides[] = {sizeof(T), size};
    const char* fetched = nullptr;
    for (int64_t start = 0; start < n; start += kChunk) {
      const int64_t length = std::min(kChunk, n - start), place = start % kPiece;
      if (place == 0) fetched = plan.source->elements(from + start, std::min(kPiece, n - start));
      char* pair[] = {buffer, const_cast<char*>(fetched + place * size)};
      plan.load(pair, strides, length);
      sum.add(R::pairwise(f, buffer, sizeof(T), length, index + start * index_step, index_step));
    }
  }

  // Like Reducer::pairwise(), with the same halves. Counts do not depend on the order.
  static Acc pairwise(ElementSource& source, const F& f, int64_t from, int64_t n, int64_t index, int64_t index_step) {
    if constexpr (requires { requires F::counts_truths; }) {
      if (const int64_t count = source.count_truths(from, n); count >= 0) return count;
    }
    if (n <= kFetched) return R::pairwise(f, source.elements(from, n), sizeof(T), n, index, index_step);
    const int64_t half = (n / 2 + R::kBlock - 1) / R::kBlock * R::kBlock;
    const Acc first = pairwise(source, f, from, half, index, index_step);
    return F::combine(first, pairwise(source, f, from + half, n - half, index + half * index_step, index_step));
  }

  // Like Reducer::along_kept(), with the rows of a batch fetched together.
  static void along_kept(const ReducePlan& plan, const F* f, int64_t first, int64_t n, int64_t begin, int64_t end,
                         Acc* total) {
    alignas(64) char buffer[kChunk * 16];
    const int64_t size = element_size(plan.in_dtype), batch = R::batch_of_rows(plan, n);
    const Position kept(plan.kept, first);
    ReducePlan here = plan;
    here.source = nullptr;
    // Partial rows are fetched with a gap between them, so that the reducer does not treat them as
    // contiguous rows.
    Axis& rows = here.reduced.axes[0];
    const int64_t step = rows.in / size;
    if (step != n) rows.in = (n + 1) * size;
    const auto join = [&](int64_t row, int64_t last, Acc* to) {
      const char* fetched = plan.source->rows(kept.in / size + row * step, n, last - row, step, rows.in);
      here.in = origin(fetched, kept.in + row * rows.in);
      R::along_kept(here, f, kept, n, row, last, buffer, to, nullptr);
    };
    if (end - begin <= batch) return join(begin, end, total);
    Acc own[R::kColumns];
    for (int64_t j = 0; j < n; ++j) total[j] = F::identity();
    for (int64_t row = begin; row < end; row += batch) {
      join(row, std::min(row + batch, end), own);
      for (int64_t j = 0; j < n; ++j) total[j] = F::combine(total[j], own[j]);
    }
  }
};

}  // namespace TNP_CPU_CAPABILITY
}  // namespace tnp
