// What a reduction's loop is told: where the elements are, which go together, and where results go.
//
// Kept and reduced dimensions are ordered and coalesced separately, fastest first, steps in bytes. Loops go
//   along the reduced dimension, a result at a time, or
//   along the kept one, a row at a time (`rows`), which is better where that is the fastest or the reduced one is
//   short. Short lines are transposed for this (transpose_lines.h), and rows of few elements are taken many at a time.
#pragma once

#include "aten/core/containers/small_vector.h"
#include "aten/iterator/iterator.h"
#include "aten/kernels/reduction.h"

namespace tnp {

inline constexpr int64_t kLongestShortLine = 64;  // elements

struct Axis {
  int64_t size;
  int64_t in, mask;  // steps of the input and the mask
  int64_t out;       // kept: step of the result; reduced: step of the row-major index among the reduced elements
};

struct AxisList {
  SmallVector<Axis, 6> axes;  // never empty, once arranged
  int64_t count = 1;          // product of the sizes
};

// Note [Sources of elements] The elements of a reduction's input need not lie in memory: a source computes them where
// they are wanted, some at a time, which then are in the cache. They are combined in the order in which they would be
// if all of them lay there. The input counts as dense and row-major.
class ElementSource {
 public:
  // `rows` times `count` elements, in memory of this thread's that stays until its next call: the first from `begin`
  // on, and each row `step` elements after the one before; there, `stride` bytes. No element is asked for twice.
  virtual const char* rows(int64_t begin, int64_t count, int64_t rows, int64_t step, int64_t stride) = 0;
  const char* elements(int64_t begin, int64_t count) { return rows(begin, count, 1, 0, 0); }
  // Of truth values: how many of `count` from `begin` on are true, which is asked for instead of the elements. -1 where
  // they have to be looked at.
  virtual int64_t count_truths(int64_t begin, int64_t count) = 0;
  // Whether those are wanted, too, that the result does not depend on.
  virtual bool is_wanted_whole() const = 0;

 protected:
  ~ElementSource() = default;
};

struct ReducePlan {
  AxisList kept, reduced;
  const char* in = nullptr;
  ElementSource* source = nullptr;  // there is no `in`, then, no mask, and one reduced axis
  const char* mask = nullptr;       // null: everything counts
  char* out = nullptr;
  Loop load = nullptr;   // cast to the loop's key; null: the input has it
  Loop store = nullptr;  // cast from the loop's result; null: the output has it
  const Scalar* initial = nullptr;
  double parameter = 0;
  bool rows = false;
  // In this thread, those alone, of so many whole rows; -1: all.
  int64_t first_result = 0, num_results = -1, results_of_row = 1;
  Device device;                   // kernels of others than the CPU cast by themselves:
  ScalarType in_dtype, out_dtype;  // as in memory
};

// Elements of a long range are cut into segments of so many, at least this many rows of them: about 10 us.
inline constexpr int64_t kElementsOfSegment = 1 << 16, kLeastRowsOfSegment = 64;

// A place in an AxisList, as the offsets that belong to it.
class Position {
 public:
  Position(const AxisList& list, int64_t flat) : list_(list), index_(list.axes.size(), 0) {
    for (size_t d = 0; d < list.axes.size() && flat > 0; ++d) {
      const Axis& a = list.axes[d];
      index_[d] = flat % a.size;
      flat /= a.size;
      move(a, index_[d]);
    }
  }
  int64_t in = 0, mask = 0, out = 0;

  // Elements up to the end of the innermost line.
  int64_t line_left() const { return list_.axes[0].size - index_[0]; }
  // `n` on along the innermost line, n <= line_left().
  void advance(int64_t n) {
    index_[0] += n;
    move(list_.axes[0], n);
    for (size_t d = 0; index_[d] == list_.axes[d].size && d + 1 < list_.axes.size(); ++d) {
      move(list_.axes[d], -index_[d]);
      index_[d] = 0;
      ++index_[d + 1];
      move(list_.axes[d + 1], 1);
    }
  }

 private:
  void move(const Axis& a, int64_t n) {
    in += n * a.in;
    mask += n * a.mask;
    out += n * a.out;
  }
  const AxisList& list_;
  DimVector index_;
};

}  // namespace tnp
