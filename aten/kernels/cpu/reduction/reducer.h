// Reducer<F, T>: the order in which a reduction combines elements, for a functor F and the type T
// that it reads.
//
// Note [Order of summation]: elements are combined in blocks with several lanes, 32 elements per
// lane, and the blocks pairwise (Higham, SIAM J. Sci. Comput. 14 (1993) 783-799). So rounding
// errors grow with the logarithm of the count. Dense numbers have 64 lanes: a single register would
// wait for each addition, but four registers reach the memory bandwidth. Other elements have 16
// lanes. Rows are combined pairwise, too, 64 at a time. The order depends on shape and layout only,
// never on the number of threads: long ranges are cut into segments of fixed length.
#pragma once

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "aten/kernels/cpu/copying/transpose_lines.h"
#include "aten/kernels/cpu/pointwise/pointwise_loops.h"
#include "aten/kernels/cpu/reduction/dense_sums.h"
#include "aten/kernels/reduce_plan.h"

namespace tnp {
inline namespace TNP_CPU_CAPABILITY {

template <class F, class T>
struct Reducer {
  using Acc = decltype(F::identity());
  static constexpr bool has_dense = requires(const F& f, const stored_t<T>* x) { f.dense(x, int64_t{}, int64_t{}); };
  // The accumulator contains an index.
  static constexpr bool indexed = std::is_class_v<Acc> && !is_complex_v<Acc>;
  static constexpr bool has_done = requires(Acc a) { F::done(a); };
  static constexpr int kLanes = sizeof(Acc) > 8 ? 4 : 16;
  static constexpr bool in_lanes = std::is_arithmetic_v<Acc> && !indexed && !has_dense;
  static constexpr bool in_registers =
      in_lanes && requires { F::adds; } && std::is_floating_point_v<T> && std::is_same_v<Acc, stored_t<T>>;
  static constexpr int64_t kBlock = has_dense ? 4096 : in_lanes ? 2048 : 512;
  static constexpr int64_t kScatteredBlock = 512;  // block size for elements that are not contiguous
  // Columns in a block of rows. The accumulators of a block stay in L1.
  static constexpr int64_t kColumns = sizeof(Acc) > 8 ? 512 : 1024;
  // The number of rows that are combined before the result is added to the total.
  static constexpr int64_t kRows = kLeastRowsOfSegment;

  // A binary counter of partial results: level i holds the combination of 2^i added values.
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
      if constexpr (dense)
        return reinterpret_cast<const stored_t<T>*>(x)[i];
      else
        return *reinterpret_cast<const stored_t<T>*>(x + i * step);
    };
    int64_t i = 0;
    Acc total = F::identity();
    if (n >= kLanes) {
      Acc lanes[kLanes];
      for (int j = 0; j < kLanes; ++j) lanes[j] = f.lift(at(j), index + j * index_step);
      for (i = kLanes; i + kLanes <= n; i += kLanes) {
        for (int j = 0; j < kLanes; ++j)
          lanes[j] = F::combine(lanes[j], f.lift(at(i + j), index + (i + j) * index_step));
      }
      for (int width = kLanes / 2; width > 0; width /= 2) {
        for (int j = 0; j < width; ++j) lanes[j] = F::combine(lanes[j], lanes[j + width]);
      }
      total = lanes[0];
    }
    if (i == n) return total;
    // The remaining elements are combined with each other first, because adding them to the total
    // one by one is less accurate.
    Acc rest = f.lift(at(i), index + i * index_step);
    while (++i < n) rest = F::combine(rest, f.lift(at(i), index + i * index_step));
    return F::combine(total, rest);
  }

  static TNP_INLINE Acc block_of_dense(const F& f, const stored_t<T>* x, int64_t n, int64_t index, int64_t index_step) {
    if constexpr (in_registers) {
      return DenseSum<T>::run(x, n);
    } else if constexpr (in_lanes) {
      return dense_block(f, x, n);
    } else {
      if constexpr (has_dense) {
        if (index_step == 1) return f.dense(x, n, index);
      }
      return block<true>(f, reinterpret_cast<const char*>(x), sizeof(T), n, index, index_step);
    }
  }

  // Combines the upper half of the lanes with the lower half, repeatedly. Lengths are constants, so
  // that everything stays in registers.
  template <int count>
  static TNP_INLINE Acc fold(Acc* lanes) {
    if constexpr (count > 1) {
      for (int j = 0; j < count / 2; ++j) lanes[j] = F::combine(lanes[j], lanes[j + count / 2]);
      return fold<count / 2>(lanes);
    }
    return lanes[0];
  }
  static TNP_INLINE void join_lanes(Acc* lanes, const Acc* others) {
    for (int j = 0; j < kLanes; ++j) lanes[j] = F::combine(lanes[j], others[j]);
  }

  // A block of dense numbers. The remainder has fewer elements than there are lanes. It is read as
  // the end of a full set of lanes, because a scalar loop over the remainder would take longer than
  // a hundred vectorised elements.
  TNP_LOOP __attribute__((noinline)) static Acc dense_block(const F& functor, const stored_t<T>* x, int64_t n) {
    const F f = functor;
    if (n < kLanes) {
      Acc total = F::identity();
      for (int64_t i = 0; i < n; ++i) total = F::combine(total, f.lift(static_cast<T>(x[i]), 0));
      return total;
    }
    auto start = [&](Acc* lanes, int64_t from) {
      for (int j = 0; j < kLanes; ++j) lanes[j] = f.lift(static_cast<T>(x[from + j]), 0);
    };
    auto join = [&](Acc* lanes, int64_t from) {
      for (int j = 0; j < kLanes; ++j) lanes[j] = F::combine(lanes[j], f.lift(static_cast<T>(x[from + j]), 0));
    };
    Acc lanes[kLanes];
    start(lanes, 0);
    int64_t i = kLanes;
    if (n >= 8 * kLanes) {
      Acc second[kLanes], third[kLanes], fourth[kLanes];
      start(second, kLanes), start(third, 2 * kLanes), start(fourth, 3 * kLanes);
      for (i = 4 * kLanes; i + 4 * kLanes <= n; i += 4 * kLanes) {
        join(lanes, i), join(second, i + kLanes);
        join(third, i + 2 * kLanes), join(fourth, i + 3 * kLanes);
      }
      join_lanes(lanes, second), join_lanes(third, fourth);
      join_lanes(lanes, third);
    }
    for (; i + kLanes <= n; i += kLanes) join(lanes, i);
    if (i < n) {
      const int seen = kLanes - static_cast<int>(n - i);
      stored_t<T> last[kLanes];
      std::memcpy(last, x + n - kLanes, sizeof last);
      Acc rest[kLanes];
      for (int j = 0; j < kLanes; ++j) {
        const Acc value = f.lift(static_cast<T>(last[j]), 0);
        rest[j] = j >= seen ? value : F::identity();
      }
      join_lanes(lanes, rest);
    }
    return fold<kLanes>(lanes);
  }

  // Not inlined, because compilers would unroll its recursion into every caller.
  TNP_LOOP __attribute__((noinline)) static Acc pairwise(const F& f, const char* x, int64_t step, int64_t n,
                                                         int64_t index, int64_t index_step) {
    const bool dense = step == sizeof(T);
    const int64_t size = dense ? kBlock : kScatteredBlock;
    if (n <= size) {
      if (!dense) return block<false>(f, x, step, n, index, index_step);
      return block_of_dense(f, reinterpret_cast<const stored_t<T>*>(x), n, index, index_step);
    }
    int64_t half = (n / 2 + size - 1) / size * size;
    // The first half is computed first, in the direction of prefetching. As arguments of one call,
    // the halves might be computed in either order; GCC begins with the last.
    const Acc first = pairwise(f, x, step, half, index, index_step);
    return F::combine(first, pairwise(f, x + half * step, step, n - half, index + half * index_step, index_step));
  }

  // Reduces a line of elements that may need a cast and may have a mask. Adds to `sum`, and adds
  // the number of unmasked elements to `count`.
  static void line(const ReducePlan& plan, const F& f, const Position& at, int64_t base, int64_t mask_base, int64_t n,
                   char* buffer, Cascade& sum, int64_t* count) {
    const Axis& axis = plan.reduced.axes[0];
    const char* x = plan.in + base + at.in;
    if (!plan.load && !plan.mask) {
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
        sum.add(pairwise(f, piece, step, length, index, axis.out));
        continue;
      }
      const char* let = plan.mask + mask_base + at.mask + start * axis.mask;
      for (int64_t i = 0; i < length; ++i) {
        int64_t from = i;
        while (i < length && let[i * axis.mask]) ++i;
        if (i == from) continue;
        *count += i - from;
        sum.add(pairwise(f, piece + from * step, step, i - from, index + from * axis.out, axis.out));
      }
    }
  }

  // Computes one result: the elements of the kept position `kept` over the reduced range [begin,
  // end).
  static Acc along_reduced(const ReducePlan& plan, const F& f, const Position& kept, int64_t begin, int64_t end,
                           char* buffer, int64_t* count) {
    Cascade sum;
    Position at(plan.reduced, begin);
    while (begin < end) {
      int64_t n = std::min(at.line_left(), end - begin);
      if constexpr (has_done) {  // checks for an early end every 16384 elements
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

  // Combines the j-th elements of `rows` rows (a power of two) pairwise.
  template <int rows>
  static TNP_INLINE Acc tree(const F& f, const char* x, int64_t step, int64_t j, int64_t index, int64_t index_step) {
    if constexpr (rows == 1) {
      return f.lift(static_cast<T>(reinterpret_cast<const stored_t<T>*>(x)[j]), index);
    } else {
      return F::combine(tree<rows / 2>(f, x, step, j, index, index_step),
                        tree<rows / 2>(f, x + rows / 2 * step, step, j, index + rows / 2 * index_step, index_step));
    }
  }
  template <int rows>
  static TNP_INLINE void join(const F* f, const char* x, int64_t step, int64_t n, int64_t index, int64_t index_step,
                              Acc* partial) {
#pragma GCC ivdep
    for (int64_t j = 0; j < n; ++j)
      partial[j] = F::combine(partial[j], tree<rows>(f[j], x, step, j, index, index_step));
  }
  // Combines rows of dense elements into `partial`, which is read and written once per eight rows.
  // Many rows are combined as two separate halves. Not inlined, to keep the library small.
  TNP_LOOP __attribute__((noinline)) static void join_rows(const F* f, const char* x, int64_t step, int64_t n,
                                                           int64_t rows, int64_t index, int64_t index_step,
                                                           Acc* partial) {
    if (!indexed && rows > 16) {
      const int64_t half = (rows / 2 + 7) / 8 * 8;
      join_rows(f, x, step, n, half, index, index_step, partial);
      Acc other[kColumns];
      std::fill_n(other, n, F::identity());
      join_rows(f, x + half * step, step, n, rows - half, index + half * index_step, index_step, other);
#pragma GCC ivdep
      for (int64_t j = 0; j < n; ++j) partial[j] = F::combine(partial[j], other[j]);
      return;
    }
    auto next = [&](int64_t count) {
      x += count * step;
      index += count * index_step;
      rows -= count;
    };
    if constexpr (!indexed)
      for (; rows >= 8; next(8)) join<8>(f, x, step, n, index, index_step, partial);
    for (; rows > 0; next(1)) join<1>(f, x, step, n, index, index_step, partial);
  }

  // Reduces adjacent lines with so few elements that transposing them would take longer than
  // reducing them.
  template <int length>
  TNP_LOOP __attribute__((noinline)) static void join_shortest_lines(const F* f, const char* x, int64_t n,
                                                                     int64_t index, int64_t index_step, Acc* partial) {
    const auto* at = reinterpret_cast<const stored_t<T>*>(x);
#pragma GCC ivdep
    for (int64_t j = 0; j < n; ++j) {
      Acc sum = partial[j];
#pragma GCC unroll 4
      for (int k = 0; k < length; ++k)
        sum = F::combine(sum, f[j].lift(static_cast<T>(at[j * length + k]), index + k * index_step));
      partial[j] = sum;
    }
  }

  // Reduces `n` short lines, one for each result, by transposing their elements to rows.
  static constexpr bool can_stand = !indexed && !has_done && (sizeof(stored_t<T>) == 4 || sizeof(stored_t<T>) == 8);
  static void join_lines(const F* f, const char* x, int64_t step, int64_t n, int64_t length, int64_t index,
                         int64_t index_step, char* buffer, Acc* partial) {
    if constexpr (can_stand) {
      using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
      constexpr int64_t size = sizeof(T);
      if (step == length * size) {
        if (length == 2) return join_shortest_lines<2>(f, x, n, index, index_step, partial);
        if (length == 3) return join_shortest_lines<3>(f, x, n, index, index_step, partial);
        if (length == 4) return join_shortest_lines<4>(f, x, n, index, index_step, partial);
      }
      const int64_t width = kChunk * 16 / size / length / 16 * 16;
      for (int64_t j = 0; j < n; j += width) {
        const int64_t lines = std::min(width, n - j);
        TransposeLines<Bits>::run(reinterpret_cast<Bits*>(buffer), x + j * step, step, lines, length);
        join_rows(f + j, buffer, lines * size, lines, length, index, index_step, partial + j);
      }
    }
  }

  // Contiguous rows of few columns: as many rows as fit are treated as one row of kWide columns.
  // The columns that belong together are combined at the end.
  static constexpr int64_t kWide = 128;
  static constexpr bool can_widen = !indexed && !has_done;
  TNP_LOOP __attribute__((noinline)) static void join_narrow_rows(const F* f, const char* x, int64_t n, int64_t rows,
                                                                  Acc* partial) {
    if constexpr (!can_widen) return;
    F functors[kWide];
    Acc wide[kWide];
    const int64_t together = kWide / n, width = together * n, step = width * static_cast<int64_t>(sizeof(T));
    for (int64_t j = 0; j < width; ++j) functors[j] = f[j % n], wide[j] = F::identity();
    join_rows(functors, x, step, width, rows / together, 0, 0, wide);
    for (int64_t left = together; left > 1; left -= left / 2) {
      const int64_t half = left / 2, from = (left - half) * n;
      for (int64_t j = 0; j < half * n; ++j) wide[j] = F::combine(wide[j], wide[from + j]);
    }
    for (int64_t j = 0; j < n; ++j) partial[j] = F::combine(partial[j], wide[j]);
    join_rows(f, x + rows / together * step, n * static_cast<int64_t>(sizeof(T)), n, rows % together, 0, 0, partial);
  }

  // Whether the rows are dense, contiguous and have few columns.
  static bool has_narrow_rows(const ReducePlan& plan, int64_t n) {
    return can_widen && !plan.load && !plan.mask && plan.kept.axes[0].in == sizeof(T) && n <= kWide / 4 &&
           plan.reduced.axes[0].in == n * static_cast<int64_t>(sizeof(T));
  }
  // The number of rows that are combined before the result is added to the total.
  static int64_t batch_of_rows(const ReducePlan& plan, int64_t n) {
    return has_narrow_rows(plan, n) ? kRows * (kWide / n) : kRows;
  }

  // Computes `n` results that are in one line of kept[0], row by row over the reduced range.
  TNP_LOOP static void along_kept(const ReducePlan& plan, const F* f, const Position& kept, int64_t n, int64_t begin,
                                  int64_t end, char* buffer, Acc* total, int64_t* count) {
    const Axis& axis = plan.kept.axes[0];
    Position at(plan.reduced, begin);
    const Axis& lines = plan.reduced.axes[0];
    const bool plain = !plan.load && !plan.mask, dense = plain && axis.in == sizeof(T);
    const bool narrow = has_narrow_rows(plan, n);
    const int64_t batch = batch_of_rows(plan, n);
    const bool upright = can_stand && plain && !dense && lines.in == sizeof(T) && lines.size <= kLongestShortLine;
    Acc own[kColumns];
    Acc* const partial = end - begin > batch ? own : total;
    for (int64_t j = 0; j < n; ++j) total[j] = F::identity();
    for (int64_t row = begin; row < end;) {
      const int64_t last = std::min(row + batch, end);
      if (partial != total)
        for (int64_t j = 0; j < n; ++j) partial[j] = F::identity();
      while (row < last) {
        const char* x = plan.in + kept.in + at.in;
        if (dense) {
          const int64_t rows = std::min(last - row, at.line_left());
          if (narrow && rows >= kWide / n)
            join_narrow_rows(f, x, n, rows, partial);
          else
            join_rows(f, x, lines.in, n, rows, at.out, lines.out, partial);
          row += rows;
          at.advance(rows);
          continue;
        }
        if (upright && at.line_left() == lines.size && lines.size <= end - row) {
          join_lines(f, x, axis.in, n, lines.size, at.out, lines.out, buffer, partial);
          row += lines.size;
          at.advance(lines.size);
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
            partial[j] = F::combine(
                partial[j], f[j].lift(static_cast<T>(*reinterpret_cast<const stored_t<T>*>(x + j * step)), at.out));
            ++count[j];
          }
        } else if (step == sizeof(T)) {
          join_rows(f, x, 0, n, 1, at.out, 0, partial);
        } else {
          for (int64_t j = 0; j < n; ++j) {
            partial[j] = F::combine(
                partial[j], f[j].lift(static_cast<T>(*reinterpret_cast<const stored_t<T>*>(x + j * step)), at.out));
          }
        }
        ++row;
        at.advance(1);
      }
      if (partial != total)
        for (int64_t j = 0; j < n; ++j) total[j] = F::combine(total[j], partial[j]);
    }
  }

  // Computes `n` results from the flat kept position `first` on (for rows: within one line), over
  // the reduced range [begin, end). Adds the numbers of unmasked elements to `count`, which may be
  // null without a mask.
  static void accumulate(const ReducePlan& plan, const F* f, int64_t first, int64_t n, int64_t begin, int64_t end,
                         Acc* total, int64_t* count) {
    alignas(64) char buffer[kChunk * 16];
    Position kept(plan.kept, first);
    if (plan.rows) return along_kept(plan, f, kept, n, begin, end, buffer, total, count);
    if (!plan.load && !plan.mask && plan.reduced.axes.size() == 1 && (!has_done || end - begin <= kBlock)) {
      // Each result has a single line, so there are no partial results. This path excludes long
      // lines whose reduction may end early.
      const Axis& axis = plan.reduced.axes[0];
      for (int64_t j = 0; j < n; ++j, kept.advance(1)) {
        const char* x = plan.in + kept.in + begin * axis.in;
        if constexpr (!has_dense) {
          if (axis.in == sizeof(T) && end - begin <= (in_lanes ? kBlock : 64)) {
            const auto* dense = reinterpret_cast<const stored_t<T>*>(x);
            total[j] = block_of_dense(f[j], dense, end - begin, begin * axis.out, axis.out);
            continue;
          }
        }
        total[j] = pairwise(f[j], x, axis.in, end - begin, begin * axis.out, axis.out);
      }
      return;
    }
    for (int64_t j = 0; j < n; ++j, kept.advance(1))
      total[j] = along_reduced(plan, f[j], kept, begin, end, buffer, plan.mask ? count + j : nullptr);
  }
};

}  // namespace TNP_CPU_CAPABILITY
}  // namespace tnp
