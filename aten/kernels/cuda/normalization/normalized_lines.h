// Rules of lines (line_kernel.h) for layer, batch and group normalisation. A line is normalised by
// its mean and variance, or (`centred` false) by the root of its mean square. Then each element is
// scaled and shifted by its channel's weight and bias.
#pragma once

#include <cmath>

#include "aten/kernels/cuda/divider.h"
#include "aten/kernels/cuda/operands.h"
#include "aten/kernels/cuda/reduction/line_kernel.h"
#include "aten/kernels/cuda/reduction/moments.h"

namespace tnp::gpu {

// Maps the i-th element of a line to its channel, relative to the line's first channel.
struct EachItsOwn {
  TNP_HOST_DEVICE static int64_t first(int64_t) { return 0; }
  TNP_HOST_DEVICE static int64_t of(int64_t i) { return i; }
};
// Lines that are groups of `own` channels, with `length` elements per channel.
struct GroupsOfChannels {
  int64_t groups, own;
  Division length;
  TNP_HOST_DEVICE int64_t first(int64_t line) const { return line % groups * own; }
  TNP_HOST_DEVICE int64_t of(int64_t i) const { return length.quotient(i); }
};

// (x - mean) rstd weight + bias; without subtracting the mean unless `centred`.
template <class S, bool centred, class Channels>
struct NormalizedLines {
  using A = accumulate_t<S>;
  static constexpr int kPiece = sizeof(A) == 8 ? 4 : 8;
  struct Line {
    int64_t index, channel;
  };
  struct Element {
    A x;
  };
  using State = Moments<A>;  // moments about 0 unless `centred`
  struct Result {
    A mean, rstd;
  };
  int64_t length;
  Channels channels;
  const S* in;
  Parameter<A> weight, bias;
  A eps;
  S* out;
  A *means, *rstds;

  TNP_HOST_DEVICE Line line(int64_t index) const { return {index, channels.first(index)}; }
  TNP_HOST_DEVICE Element load(const Line& line, int64_t i) const {
    return {static_cast<A>(in[line.index * length + i])};
  }
  TNP_HOST_DEVICE static State identity() { return State::none(); }
  TNP_HOST_DEVICE TNP_INLINE State reduce(const Line&, const Element (&piece)[kPiece], int count) const {
    if constexpr (centred) return State::template of<kPiece>(count, [&](int j) { return piece[j].x; });
    State sum = State::none();
    TNP_UNROLL
    for (int j = 0; j < kPiece; ++j)
      if (j < count) sum.squares += piece[j].x * piece[j].x;
    sum.count = A(count);
    return sum;
  }
  TNP_HOST_DEVICE static State combine(const State& a, const State& b) {
    if constexpr (centred) return State::combine(a, b);
    return {a.count + b.count, A(0), a.squares + b.squares};
  }
  TNP_HOST_DEVICE Result finish(const Line& line, const State& state, bool writes) const {
    const Result result{state.mean, A(1) / std::sqrt(state.variance() + eps)};
    if (writes) {
      if constexpr (centred) means[line.index] = result.mean;
      rstds[line.index] = result.rstd;
    }
    return result;
  }
  TNP_HOST_DEVICE void apply(const Line& line, int64_t i, const Element& e, const Result& r) const {
    A y = (centred ? e.x - r.mean : e.x) * r.rstd;
    if (weight || bias) {
      const int64_t c = line.channel + channels.of(i);
      if (weight) y = y * weight[c];
      if (bias) y = y + bias[c];
    }
    out[line.index * length + i] = S(y);
  }
};

// With h = (x - mean) rstd and g = grad weight: rstd (g - mean(g) - h mean(g h)), without mean(g)
// unless `centred`.
template <class S, bool centred, class Channels>
struct NormalizedGradient {
  using A = accumulate_t<S>;
  static constexpr int kPiece = sizeof(A) == 8 ? 2 : 4;
  struct Line {
    int64_t first, channel;
    A mean, rstd;
  };
  struct Element {
    A g, h;
  };
  using State = TwoSums<A>;
  using Result = TwoSums<A>;  // the means of g and g h
  int64_t length;
  Channels channels;
  const S *grad, *in;
  const A *means, *rstds;
  Parameter<A> weight;
  S* out;

  TNP_HOST_DEVICE Line line(int64_t index) const {
    return {index * length, channels.first(index), centred ? means[index] : A(0), rstds[index]};
  }
  TNP_HOST_DEVICE Element load(const Line& line, int64_t i) const {
    const A g = static_cast<A>(grad[line.first + i]), x = static_cast<A>(in[line.first + i]);
    return {weight ? g * weight[line.channel + channels.of(i)] : g, (x - line.mean) * line.rstd};
  }
  TNP_HOST_DEVICE static State identity() { return State::none(); }
  TNP_HOST_DEVICE TNP_INLINE State reduce(const Line&, const Element (&piece)[kPiece], int count) const {
    return State::template of<kPiece>(count, [&](int j) { return State{piece[j].g, piece[j].g * piece[j].h}; });
  }
  TNP_HOST_DEVICE static State combine(const State& a, const State& b) { return State::combine(a, b); }
  TNP_HOST_DEVICE Result finish(const Line&, const State& sums, bool) const {
    return {centred ? sums.first / A(length) : A(0), sums.second / A(length)};
  }
  TNP_HOST_DEVICE void apply(const Line& line, int64_t i, const Element& e, const Result& mean) const {
    out[line.first + i] = S(line.rstd * ((e.g - mean.first) - e.h * mean.second));
  }
};

}  // namespace tnp::gpu
