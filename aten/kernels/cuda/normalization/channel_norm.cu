// Batch and group normalisation on a GPU, as rules of lines (line_kernel.h). For batch
// normalisation a line is a channel. For group normalisation it is one group of one sample.
#include <cmath>

#include "aten/kernel_functions/normalization.h"
#include "aten/kernels/channel_batch.h"
#include "aten/kernels/cuda/normalization/normalized_lines.h"

namespace tnp {

namespace gpu {
namespace {

// Positions of the elements of a channel: `length` per sample.
struct Channel {
  int64_t channels, length;
  Division samples;

  explicit Channel(const ChannelBatch& b)
      : channels(b.channels), length(b.last ? 1 : b.length), samples(b.last ? 1 : b.length) {}
  TNP_HOST_DEVICE int64_t sample(int64_t i) const { return samples.quotient(i); }
  TNP_HOST_DEVICE int64_t place(int64_t channel, int64_t i) const {
    if (length == 1) return i * channels + channel;
    const int64_t n = sample(i);
    return (n * channels + channel) * length + (i - n * length);
  }
};

// Calls body(lines, n, side_by_side) for the channels of a batch.
template <class Body>
void for_channels(const ChannelBatch& b, Body&& body) {
  body(b.channels, b.batch * b.length, !b.last && b.length > 1);
}

// (x - mean) rstd weight + bias, with the channel's mean and variance, or with the running mean and
// variance.
template <class S>
struct NormalizedChannels {
  using A = accumulate_t<S>;
  static constexpr int kPiece = sizeof(A) == 8 ? 4 : 8;
  struct Line {
    int64_t channel;
  };
  struct Element {
    A x;
  };
  using State = Moments<A>;
  struct Result {
    A mean, rstd, weight, bias;
  };
  Channel channel;
  const S* in;
  Parameter<A> weight, bias, running_mean, running_var;  // running_*: null in training
  A eps;
  S* out;
  A *means, *rstds, *variances;

  TNP_HOST_DEVICE Line line(int64_t index) const { return {index}; }
  TNP_HOST_DEVICE Element load(const Line& line, int64_t i) const {
    return {static_cast<A>(in[channel.place(line.channel, i)])};
  }
  TNP_HOST_DEVICE static State identity() { return State::none(); }
  TNP_HOST_DEVICE TNP_INLINE State reduce(const Line&, const Element (&piece)[kPiece], int count) const {
    return State::template of<kPiece>(count, [&](int j) { return piece[j].x; });
  }
  TNP_HOST_DEVICE static State combine(const State& a, const State& b) { return State::combine(a, b); }
  TNP_HOST_DEVICE Result finish(const Line& line, const State& state, bool writes) const {
    const int64_t c = line.channel;
    const A mean = running_mean ? running_mean[c] : state.mean,
            variance = running_var ? running_var[c] : state.variance(), rstd = A(1) / std::sqrt(variance + eps);
    if (writes) means[c] = mean, rstds[c] = rstd, variances[c] = variance;
    return {mean, rstd, weight ? weight[c] : A(1), bias ? bias[c] : A(0)};
  }
  TNP_HOST_DEVICE void apply(const Line& line, int64_t i, const Element& e, const Result& r) const {
    out[channel.place(line.channel, i)] = S((e.x - r.mean) * r.rstd * r.weight + r.bias);
  }
};

// Sums of grad and of grad (x - mean) of each channel, for the gradients of bias and weight.
template <class S>
struct ChannelGradients {
  using A = accumulate_t<S>;
  static constexpr int kPiece = sizeof(A) == 8 ? 2 : 4;
  struct Line {
    int64_t channel;
    A mean;
  };
  struct Element {
    A g, d;
  };
  using State = TwoSums<A>;
  // grad_input = grad a + (x - mean) b + shift
  struct Result {
    A a, b, shift;
  };
  Channel channel;
  int64_t count;
  const S *grad, *in;
  const A *means, *rstds;
  Parameter<A> weight;
  bool training;
  S* out;
  A *weights, *biases;  // null if that gradient is not needed

  TNP_HOST_DEVICE Line line(int64_t index) const { return {index, means[index]}; }
  TNP_HOST_DEVICE Element load(const Line& line, int64_t i) const {
    const int64_t at = channel.place(line.channel, i);
    return {static_cast<A>(grad[at]), static_cast<A>(in[at]) - line.mean};
  }
  TNP_HOST_DEVICE static State identity() { return State::none(); }
  TNP_HOST_DEVICE TNP_INLINE State reduce(const Line&, const Element (&piece)[kPiece], int n) const {
    return State::template of<kPiece>(n, [&](int j) { return State{piece[j].g, piece[j].g * piece[j].d}; });
  }
  TNP_HOST_DEVICE static State combine(const State& a, const State& b) { return State::combine(a, b); }
  // Mean and rstd depend on the input in training only.
  TNP_HOST_DEVICE Result finish(const Line& line, const State& sums, bool writes) const {
    const int64_t c = line.channel;
    const A r = rstds[c], a = weight ? r * weight[c] : r;
    if (writes && weights) weights[c] = sums.second * r;
    if (writes && biases) biases[c] = sums.first;
    if (!training) return {a, A(0), A(0)};
    return {a, -a * (r * r * (sums.second / A(count))), -a * (sums.first / A(count))};
  }
};

// Like ChannelGradients, and writes the gradient of the input.
template <class S>
struct EachGradient : ChannelGradients<S> {
  using Base = ChannelGradients<S>;
  TNP_HOST_DEVICE void apply(const typename Base::Line& line, int64_t i, const typename Base::Element& e,
                             const typename Base::Result& r) const {
    this->out[this->channel.place(line.channel, i)] = S(e.g * r.a + e.d * r.b + r.shift);
  }
};

// Sums of grad and of grad (x - mean) rstd of each channel, where each group of each sample has its
// own mean and rstd.
template <class S>
struct GroupParameterGradients {
  using A = accumulate_t<S>;
  static constexpr int kPiece = 4;
  struct Line {
    int64_t channel, group;
  };
  struct Element {
    A g, h;
  };
  using State = TwoSums<A>;
  using Result = State;
  Channel channel;
  int64_t groups, own;
  const S *grad, *in;
  const A *means, *rstds;
  A *weights, *biases;  // null if that gradient is not needed

  TNP_HOST_DEVICE Line line(int64_t index) const { return {index, index / own}; }
  TNP_HOST_DEVICE Element load(const Line& line, int64_t i) const {
    const int64_t at = channel.place(line.channel, i), k = channel.sample(i) * groups + line.group;
    const A g = static_cast<A>(grad[at]);
    return {g, weights ? (static_cast<A>(in[at]) - means[k]) * rstds[k] : A(0)};
  }
  TNP_HOST_DEVICE static State identity() { return State::none(); }
  TNP_HOST_DEVICE TNP_INLINE State reduce(const Line&, const Element (&piece)[kPiece], int count) const {
    return State::template of<kPiece>(count, [&](int j) { return State{piece[j].g, piece[j].g * piece[j].h}; });
  }
  TNP_HOST_DEVICE static State combine(const State& a, const State& b) { return State::combine(a, b); }
  TNP_HOST_DEVICE Result finish(const Line& line, const State& sums, bool writes) const {
    if (writes && weights) weights[line.channel] = sums.second;
    if (writes && biases) biases[line.channel] = sums.first;
    return sums;
  }
};

GroupsOfChannels groups_of(const ChannelBatch& b, int64_t groups) {
  return {groups, b.channels / groups, Division(b.length)};
}

}  // namespace
}  // namespace gpu

void native::native_batch_norm_cuda(const Tensor& input, const Tensor& weight, const Tensor& bias,
                                    const Tensor& running_mean, const Tensor& running_var, bool training, double eps,
                                    const Tensor& out, const Tensor& mean, const Tensor& rstd, const Tensor& variance) {
  using namespace gpu;
  const ChannelBatch b(input);
  visit<FloatingTypes>(input.dtype(), [&]<class S>() {
    using A = accumulate_t<S>;
    const Tensor none;
    const NormalizedChannels<S> rule{Channel(b),
                                     pointer<S>(input),
                                     Parameter<A>(weight),
                                     Parameter<A>(bias),
                                     Parameter<A>(training ? none : running_mean),
                                     Parameter<A>(training ? none : running_var),
                                     static_cast<A>(eps),
                                     pointer<S>(out),
                                     pointer<A>(mean),
                                     pointer<A>(rstd),
                                     pointer<A>(variance)};
    for_channels(b, [&](int64_t lines, int64_t n, bool side_by_side) {
      if (training)
        for_lines(rule, lines, n, side_by_side, out.device());
      else
        apply_to_lines(rule, lines, n, side_by_side, out.device());
    });
  });
}

void native::batch_norm_gradients_cuda(const Tensor& grad, const Tensor& input, const Tensor& mean, const Tensor& rstd,
                                       const Tensor& weight, bool training, std::span<const bool>,
                                       const Tensor& grad_input, const Tensor& grad_weight, const Tensor& grad_bias) {
  using namespace gpu;
  const ChannelBatch b(input);
  const bool parameters = grad_weight.defined() || grad_bias.defined();
  visit<FloatingTypes>(input.dtype(), [&]<class S>() {
    using A = accumulate_t<S>;
    const ChannelGradients<S> rule{
        Channel(b),           b.batch * b.length,   pointer<S>(grad), pointer<S>(input),      pointer<A>(mean),
        pointer<A>(rstd),     Parameter<A>(weight), training,         pointer<S>(grad_input), pointer<A>(grad_weight),
        pointer<A>(grad_bias)};
    for_channels(b, [&](int64_t lines, int64_t n, bool side_by_side) {
      if (!grad_input.defined() && parameters)
        for_lines(rule, lines, n, side_by_side, input.device());
      else if (grad_input.defined() && (training || parameters))
        for_lines(EachGradient<S>{rule}, lines, n, side_by_side, input.device());
      else if (grad_input.defined())
        apply_to_lines(EachGradient<S>{rule}, lines, n, side_by_side, input.device());
    });
  });
}

void native::native_group_norm_cuda(const Tensor& input, int64_t num_groups, const Tensor& weight, const Tensor& bias,
                                    double eps, const Tensor& out, const Tensor& mean, const Tensor& rstd) {
  using namespace gpu;
  const ChannelBatch b(input);
  const int64_t length = b.channels / num_groups * b.length;
  visit<FloatingTypes>(input.dtype(), [&]<class S>() {
    using A = accumulate_t<S>;
    for_lines(NormalizedLines<S, true, GroupsOfChannels>{length, groups_of(b, num_groups), pointer<S>(input),
                                                         Parameter<A>(weight), Parameter<A>(bias), static_cast<A>(eps),
                                                         pointer<S>(out), pointer<A>(mean), pointer<A>(rstd)},
              b.batch * num_groups, length, true, out.device());
  });
}

void native::group_norm_gradients_cuda(const Tensor& grad, const Tensor& input, int64_t num_groups, const Tensor& mean,
                                       const Tensor& rstd, const Tensor& weight, std::span<const bool>,
                                       const Tensor& grad_input, const Tensor& grad_weight, const Tensor& grad_bias) {
  using namespace gpu;
  const ChannelBatch b(input);
  const int64_t own = b.channels / num_groups, length = own * b.length;
  visit<FloatingTypes>(input.dtype(), [&]<class S>() {
    using A = accumulate_t<S>;
    if (grad_input.defined())
      for_lines(NormalizedGradient<S, true, GroupsOfChannels>{length, groups_of(b, num_groups), pointer<S>(grad),
                                                              pointer<S>(input), pointer<A>(mean), pointer<A>(rstd),
                                                              Parameter<A>(weight), pointer<S>(grad_input)},
                b.batch * num_groups, length, true, input.device());
    if (grad_weight.defined() || grad_bias.defined())
      for_channels(b, [&](int64_t lines, int64_t n, bool side_by_side) {
        for_lines(GroupParameterGradients<S>{Channel(b), num_groups, own, pointer<S>(grad), pointer<S>(input),
                                             pointer<A>(mean), pointer<A>(rstd), pointer<A>(grad_weight),
                                             pointer<A>(grad_bias)},
                  lines, n, side_by_side, input.device());
      });
  });
}

}  // namespace tnp
