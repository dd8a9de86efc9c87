// Kernels over lines: each line is reduced to a few numbers, and then each of its elements is
// transformed with these. Softmax, normalisations, losses and their gradients have this form. For
// short lines this is one launch that reads memory once.
//
// Note [Rules of lines] A rule defines the reduction and the transformation. It is a struct of
// plain values with
//
//   struct Line;     // the position of a line
//   struct Element;  // the values read at one index of a line
//   struct State;    // partial result of the reduction
//   struct Result;   // final result of a line's reduction
//   static constexpr int kPiece;   // how many elements a thread loads before it uses the first of them
//   Line line(int64_t index) const;
//   Element load(const Line&, int64_t i) const;
//   static State identity();
//   State reduce(const Line&, const Element (&piece)[kPiece], int count) const;   // of the first `count`
//   static State combine(const State&, const State&);
//   Result finish(const Line&, const State&, bool writes) const;   // `writes`: in one thread of each line
//   void apply(const Line&, int64_t i, const Element&, const Result&) const;      // once for each element
//
// `apply` is optional. If each thread's elements fit into one piece, they stay in registers;
// otherwise `apply` reads them again. The order of combination depends on the shape only: no
// atomics.
//
// Lines that are cut into segments take two launches. The first stores the states of the segments
// in memory. In the second, each block combines all states of its line.
#pragma once

#include "aten/core/errors/error.h"
#include "aten/core/memory/storage.h"
#include "aten/cuda/launch.h"
#include "aten/kernels/cuda/element.h"
#include "aten/kernels/cuda/reduction/line_shape.h"

namespace tnp::gpu {

template <class Rule>
struct LineKernel {
  static constexpr uint32_t kThreads = kLineThreads;
  static constexpr int kPiece = Rule::kPiece;
  using Element = typename Rule::Element;
  using State = typename Rule::State;
  using Line = typename Rule::Line;
  static constexpr bool applies = requires { &Rule::apply; };
  enum class Stage : uint8_t { Whole, Segments, Rest, ApplyOnly };

  Rule rule;
  int64_t lines, n;
  LineShape shape;
  Stage stage;
  State* parts;  // partial results, with shape (segments, lines)

  struct Shared {
    State states[kThreads];
  };
  // The loaded elements of a thread, and its position. The position is computed once, since
  // divisions take longer than the rest of a phase.
  struct Private {
    Element piece[kPiece];
    uint32_t lane, first, segment;  // `first`: the thread with lane 0
    int64_t index;
  };

  // One phase for the elements, one for each factor of four lanes, and one for `apply`.
  TNP_HOST_DEVICE int phases() const {
    if (stage == Stage::ApplyOnly) return 1;
    int count = 2;
    for (uint32_t lanes = shape.lanes; lanes > 1; lanes /= 4) ++count;
    return count;
  }

  TNP_HOST_DEVICE TNP_INLINE void run(int phase, Place place, Shared& shared, Private& own) const {
    const uint32_t per_block = kThreads / shape.lanes;
    if (phase == 0) {
      own.lane = shape.lanes_side_by_side ? place.thread % shape.lanes : place.thread / per_block;
      const uint32_t column = shape.lanes_side_by_side ? place.thread / shape.lanes : place.thread % per_block;
      own.first = shape.lanes_side_by_side ? place.thread - own.lane : column;
      own.segment = place.block % shape.segments;
      own.index = static_cast<int64_t>(place.block / shape.segments) * per_block + column;
    }
    if (own.index >= lines) return;
    const bool writes = own.lane == 0 && own.segment == 0;
    if (stage == Stage::ApplyOnly) {
      const Line line = rule.line(own.index);
      if constexpr (applies)
        apply_to(line, own.segment, own.lane, false, own, rule.finish(line, Rule::identity(), writes));
      return;
    }
    if (phase == 0) {
      shared.states[place.thread] = stage == Stage::Rest ? collected(own.index, own.lane) : reduced(own);
      return;
    }
    const uint32_t lanes = shape.lanes >> (2 * (phase - 1));
    // A tree reduction, two levels at a time: first each lane combines with the lane at distance
    // lanes / 2, then with the one at distance lanes / 4.
    if (lanes > 1) {
      if (own.lane >= (lanes > 4 ? lanes / 4 : 1)) return;
      const uint32_t step = shape.lanes_side_by_side ? 1 : per_block;
      const auto join = [&](uint32_t lane) {
        return Rule::combine(shared.states[place.thread + lane * step],
                             shared.states[place.thread + (lane + lanes / 2) * step]);
      };
      State state = join(0);
      if (lanes > 2) state = Rule::combine(state, join(lanes / 4));
      shared.states[place.thread] = state;
      return;
    }
    const State& all = shared.states[own.first];
    if (stage == Stage::Segments) {
      if (own.lane == 0) parts[own.segment * lines + own.index] = all;
      return;
    }
    const Line line = rule.line(own.index);
    if constexpr (applies)
      apply_to(line, own.segment, own.lane, stage == Stage::Whole && fits(), own, rule.finish(line, all, writes));
    else if (writes)
      rule.finish(line, all, true);
  }

 private:
  // Whether each thread has all of its elements in one piece.
  TNP_HOST_DEVICE bool fits() const { return shape.segment_length <= static_cast<int64_t>(kPiece) * shape.lanes; }
  TNP_HOST_DEVICE int64_t end_of(uint32_t segment) const {
    const int64_t end = (segment + int64_t{1}) * shape.segment_length;
    return end < n ? end : n;
  }

  TNP_HOST_DEVICE TNP_INLINE State reduced(Private& own) const {
    const Line line = rule.line(own.index);
    const int64_t end = end_of(own.segment), lanes = shape.lanes;
    State state = Rule::identity();
    for (int64_t i = own.segment * shape.segment_length + own.lane; i < end; i += kPiece * lanes) {
      int count = 0;
      TNP_UNROLL
      for (int j = 0; j < kPiece; ++j) {
        if (i + j * lanes >= end) continue;
        own.piece[j] = rule.load(line, i + j * lanes);
        count = j + 1;
      }
      state = Rule::combine(state, rule.reduce(line, own.piece, count));
    }
    return state;
  }

  TNP_HOST_DEVICE State collected(int64_t index, uint32_t lane) const {
    State state = Rule::identity();
    for (int64_t s = lane; s < shape.segments; s += shape.lanes) state = Rule::combine(state, parts[s * lines + index]);
    return state;
  }

  TNP_HOST_DEVICE TNP_INLINE void apply_to(const Line& line, uint32_t segment, uint32_t lane, bool kept, Private& own,
                                           const typename Rule::Result& result) const {
    const int64_t end = end_of(segment), lanes = shape.lanes;
    for (int64_t i = segment * shape.segment_length + lane; i < end; i += kPiece * lanes) {
      if (!kept) {
        TNP_UNROLL
        for (int j = 0; j < kPiece; ++j)
          if (i + j * lanes < end) own.piece[j] = rule.load(line, i + j * lanes);
      }
      TNP_UNROLL
      for (int j = 0; j < kPiece; ++j)
        if (i + j * lanes < end) rule.apply(line, i + j * lanes, own.piece[j], result);
    }
  }
};

template <class Rule>
void launch_stage(LineKernel<Rule>& kernel, typename LineKernel<Rule>::Stage stage, Device device) {
  const int64_t blocks = kernel.shape.blocks(kernel.lines);
  TNP_CHECK(blocks <= static_cast<int64_t>(kMaxBlocks), ErrorKind::NotImplemented, kernel.lines, " lines of ", kernel.n,
            " elements on CUDA are not implemented");
  kernel.stage = stage;
  launch(kernel, static_cast<uint32_t>(blocks), device);
}

// Reduces and transforms `lines` lines of n elements. `finish` is called for lines without
// elements, too. `side_by_side`: see line_shape().
template <class Rule>
void for_lines(const Rule& rule, int64_t lines, int64_t n, bool side_by_side, Device device) {
  using Kernel = LineKernel<Rule>;
  Kernel kernel{rule, lines, n, line_shape(lines, n, Rule::kPiece, side_by_side), Kernel::Stage::Whole, nullptr};
  if (kernel.shape.segments == 1) return launch_stage(kernel, Kernel::Stage::Whole, device);
  const auto parts =
      new_storage(static_cast<size_t>(kernel.shape.segments * lines) * sizeof(typename Rule::State), device);
  kernel.parts = reinterpret_cast<typename Rule::State*>(parts->data());
  launch_stage(kernel, Kernel::Stage::Segments, device);
  launch_stage(kernel, Kernel::Stage::Rest, device);
}

// Transforms without a reduction: `finish` is given the identity.
template <class Rule>
void apply_to_lines(const Rule& rule, int64_t lines, int64_t n, bool side_by_side, Device device) {
  using Kernel = LineKernel<Rule>;
  Kernel kernel{rule, lines, n, line_shape(lines, n, Rule::kPiece, side_by_side), Kernel::Stage::ApplyOnly, nullptr};
  launch_stage(kernel, Kernel::Stage::ApplyOnly, device);
}

}  // namespace tnp::gpu
