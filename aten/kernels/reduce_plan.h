// Iteration plan of a reduction: the addresses of elements and results, and the axes that are kept
// and reduced.
//
// Kept and reduced dimensions are ordered and coalesced separately, fastest first, with steps in
// bytes. Loops run either along the reduced dimension, computing one result at a time, or along the
// kept dimension, combining one row at a time (`rows`). The latter is better if the kept dimension
// is the fastest, or if the reduced one is short. For this, short lines are transposed
// (transpose_lines.h), and rows of few elements are processed many at a time.
#pragma once

#include "aten/core/containers/dim_vector.h"
#include "aten/core/containers/small_vector.h"
#include "aten/core/devices/device.h"
#include "aten/core/numbers/scalar.h"
#include "aten/kernels/loops.h"

namespace tnp {

inline constexpr int64_t kLongestShortLine = 64;  // number of elements

struct Axis {
  int64_t size;
  int64_t in, mask;  // steps of the input and the mask
  // for a kept axis: step of the result; for a reduced axis: step of the row-major index among the
  // reduced elements
  int64_t out;
};

struct AxisList {
  SmallVector<Axis, 6> axes;  // never empty after planning
  int64_t count = 1;          // product of the sizes
};

// Note [Sources of elements] The input of a reduction need not be in memory. A source computes its
// elements on demand, a block at a time, so that they are in the cache when they are reduced. They
// are combined in the same order as elements in memory. The input counts as dense and row-major.
class ElementSource {
 public:
  // Returns `rows` rows of `count` elements in thread-local memory, valid until this thread's next
  // call. The first row starts at element `begin`; each row starts `step` elements after the one
  // before. In memory, rows are `stride` bytes apart. No element is requested twice.
  virtual const char* rows(int64_t begin, int64_t count, int64_t rows, int64_t step, int64_t stride) = 0;
  const char* elements(int64_t begin, int64_t count) { return rows(begin, count, 1, 0, 0); }
  // For inputs of truth values, returns how many of the `count` elements from `begin` on are true,
  // without computing the elements. Returns -1 if the elements must be computed.
  virtual int64_t count_truths(int64_t begin, int64_t count) = 0;
  // Whether all elements must be computed, including those that the result does not depend on.
  virtual bool is_wanted_whole() const = 0;

 protected:
  ~ElementSource() = default;
};

struct ReducePlan {
  AxisList kept, reduced;
  const char* in = nullptr;
  ElementSource* source = nullptr;  // if not null, `in` and `mask` are null, and there is one reduced axis
  const char* mask = nullptr;       // if null, all elements count
  char* out = nullptr;
  Loop load = nullptr;   // cast to the loop's key; null if the input already has it
  Loop store = nullptr;  // cast from the loop's result; null if the output already has it
  const Scalar* initial = nullptr;
  double parameter = 0;
  bool rows = false;
  // Compute only these results, on the calling thread: `num_results` from `first_result` on, which
  // are whole rows of `results_of_row` results. If `num_results` is -1, compute all results.
  int64_t first_result = 0, num_results = -1, results_of_row = 1;
  Device device;                   // kernels of devices other than the CPU cast by themselves:
  ScalarType in_dtype, out_dtype;  // the dtypes in memory
};

// Long reduced ranges are cut into segments of this many elements (about 10 us) and at least this
// many rows.
inline constexpr int64_t kElementsOfSegment = 1 << 16, kLeastRowsOfSegment = 64;

// An iterator over an AxisList that keeps the byte offsets of its position.
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

  // The number of elements up to the end of the innermost line.
  int64_t line_left() const { return list_.axes[0].size - index_[0]; }
  // Moves `n` elements along the innermost line, n <= line_left().
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
