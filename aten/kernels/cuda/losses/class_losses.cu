// Classification losses on a GPU. Cross entropy reads the input once in the forward pass and once
// in the backward pass. NLL loss reads only the input at the target. The kernels report classes out
// of bounds (aten/cuda/fault.h).
#include <cmath>

#include "aten/cuda/fault.h"
#include "aten/kernel_functions/losses.h"
#include "aten/kernels/class_lines.h"
#include "aten/kernels/cuda/normalization/exponential_sum.h"
#include "aten/kernels/cuda/operands.h"
#include "aten/kernels/cuda/reduction/line_kernel.h"
#include "aten/kernels/cuda/reduction/moments.h"

namespace tnp {

namespace gpu {
namespace {

// The target class of each line.
template <class A>
struct Targets {
  DenseLines lines;
  const int64_t* target;
  Parameter<A> weight;
  int64_t ignore_index;
  IndexFault* fault;

  static constexpr int64_t kNone = -1;

  // The class of a line, or kNone if the class is ignored or out of bounds. Reports a class out of
  // bounds.
  TNP_HOST_DEVICE int64_t of(int64_t line) const {
    const int64_t t = target[line];
    if (t == ignore_index) return kNone;
    if (t >= 0 && t < lines.n) return t;
    fault->report_class(ErrorKind::Index, t, lines.n);
    return kNone;
  }
  TNP_HOST_DEVICE A weight_of(int64_t t) const { return t == kNone ? A(0) : weight ? weight[t] : A(1); }
};

template <class A>
Targets<A> targets_of(const DenseLines& lines, const Tensor& target, const Tensor& weight, int64_t ignore_index) {
  return {lines, pointer<int64_t>(target), Parameter<A>(weight), ignore_index, fault_of(target.device())};
}

// Computes the loss and the log(sum(exp)) of each line. With smoothing, also computes the line's
// sums of weights and of weights times inputs.
template <class S, bool smoothed>
struct CrossEntropyLines {
  using A = accumulate_t<S>;
  static constexpr int kPiece = sizeof(A) == 8 ? 4 : 8;
  struct Line {
    int64_t index, first;
  };
  struct Element {
    A x, w;
  };
  struct State {
    ExponentialSum<A> exponentials;
    TwoSums<A> weighted;
  };
  struct Result {};
  Targets<A> targets;
  const S* in;
  A smoothing;
  S* out;  // exactly one of `out` and `losses` is not null
  A* losses;
  A* lse;

  TNP_HOST_DEVICE Line line(int64_t index) const { return {index, targets.lines.first(index)}; }
  TNP_HOST_DEVICE Element load(const Line& line, int64_t i) const {
    return {static_cast<A>(in[line.first + i * targets.lines.inner]),
            smoothed && targets.weight ? targets.weight[i] : A(1)};
  }
  TNP_HOST_DEVICE static State identity() { return {ExponentialSum<A>::none(), TwoSums<A>::none()}; }
  TNP_HOST_DEVICE TNP_INLINE State reduce(const Line&, const Element (&piece)[kPiece], int count) const {
    State s{ExponentialSum<A>::template of<kPiece>(count, [&](int j) { return piece[j].x; }), TwoSums<A>::none()};
    if constexpr (smoothed)
      s.weighted = TwoSums<A>::template of<kPiece>(
          count, [&](int j) { return TwoSums<A>{piece[j].w, piece[j].w * piece[j].x}; });
    return s;
  }
  TNP_HOST_DEVICE static State combine(const State& a, const State& b) {
    return {ExponentialSum<A>::combine(a.exponentials, b.exponentials),
            smoothed ? TwoSums<A>::combine(a.weighted, b.weighted) : a.weighted};
  }
  TNP_HOST_DEVICE Result finish(const Line& line, const State& state, bool writes) const {
    if (!writes) return {};
    const A log_sum = state.exponentials.logarithm();
    const int64_t t = targets.of(line.index);
    A loss(0);
    if (t != Targets<A>::kNone) {
      const A x = static_cast<A>(in[line.first + t * targets.lines.inner]);
      loss = (A(1) - smoothing) * targets.weight_of(t) * (log_sum - x);
      if constexpr (smoothed)
        loss += smoothing / A(targets.lines.n) * (log_sum * state.weighted.first - state.weighted.second);
    }
    lse[line.index] = log_sum;
    if (losses)
      losses[line.index] = loss;
    else
      out[line.index] = S(loss);
    return {};
  }
};

// (g ((1 - s) w_t + s / n sum(w))) softmax(x) - g s / n w - g (1 - s) w_t at the target. The sum of
// weights is only reduced with smoothing.
template <class S>
struct CrossEntropyGradient {
  using A = accumulate_t<S>;
  static constexpr int kPiece = 4;
  struct Line {
    int64_t index, first;
  };
  struct Element {
    A x, w;
  };
  struct State {
    A weights;
  };
  struct Result {
    A lse, whole, share, own;
    int64_t target;
  };
  Targets<A> targets;
  const S* in;
  Parameter<A> grad;
  const A *lse, *total;  // total: the sum of weights; null unless the loss is divided by it
  bool each;             // whether each line has a gradient of its own
  A smoothing;
  S* out;

  TNP_HOST_DEVICE Line line(int64_t index) const { return {index, targets.lines.first(index)}; }
  TNP_HOST_DEVICE Element load(const Line& line, int64_t i) const {
    return {static_cast<A>(in[line.first + i * targets.lines.inner]),
            smoothing != A(0) && targets.weight ? targets.weight[i] : A(1)};
  }
  TNP_HOST_DEVICE static State identity() { return {A(0)}; }
  TNP_HOST_DEVICE TNP_INLINE State reduce(const Line&, const Element (&piece)[kPiece], int count) const {
    A sum(0);
    TNP_UNROLL
    for (int j = 0; j < kPiece; ++j)
      if (j < count) sum += piece[j].w;
    return {sum};
  }
  TNP_HOST_DEVICE static State combine(const State& a, const State& b) { return {a.weights + b.weights}; }
  TNP_HOST_DEVICE Result finish(const Line& line, const State& state, bool) const {
    const int64_t t = targets.of(line.index);
    if (t == Targets<A>::kNone) return {A(0), A(0), A(0), A(0), t};
    const A g = total ? grad[0] / *total : grad[each ? line.index : 0];
    const A own = g * (A(1) - smoothing) * targets.weight_of(t), share = g * (smoothing / A(targets.lines.n));
    return {lse[line.index], own + share * state.weights, share, own, t};
  }
  TNP_HOST_DEVICE void apply(const Line& line, int64_t i, const Element& e, const Result& r) const {
    A v(0);  // 0 for ignored lines, even if the input is infinite
    if (r.whole != A(0)) v = std::exp(e.x - r.lse) * r.whole - r.share * e.w;
    out[line.first + i * targets.lines.inner] = S(i == r.target ? v - r.own : v);
  }
};

// Sums of the losses of all lines and of their targets' weights. A line's loss is read from
// `losses`, or is -weight times the element of `in` at its target.
template <class S>
struct LossSums {
  using A = accumulate_t<S>;
  static constexpr int kPiece = 4;
  struct Line {};
  struct Element {
    A loss, weight;
  };
  using State = TwoSums<A>;
  using Result = State;
  Targets<A> targets;
  const A* losses;
  const S* in;
  LossReduction how;
  S* out;
  A* total;

  TNP_HOST_DEVICE Line line(int64_t) const { return {}; }
  TNP_HOST_DEVICE Element load(const Line&, int64_t i) const {
    const int64_t t = targets.of(i);
    if (t == Targets<A>::kNone) return {A(0), A(0)};
    const A w = targets.weight_of(t);
    if (!in) return {losses ? losses[i] : A(0), w};
    return {-w * static_cast<A>(in[targets.lines.first(i) + t * targets.lines.inner]), w};
  }
  TNP_HOST_DEVICE static State identity() { return State::none(); }
  TNP_HOST_DEVICE TNP_INLINE State reduce(const Line&, const Element (&piece)[kPiece], int count) const {
    return State::template of<kPiece>(count, [&](int j) { return State{piece[j].loss, piece[j].weight}; });
  }
  TNP_HOST_DEVICE static State combine(const State& a, const State& b) { return State::combine(a, b); }
  TNP_HOST_DEVICE Result finish(const Line&, const State& sums, bool writes) const {
    if (!writes) return sums;
    *total = sums.second;
    if (how != LossReduction::None) *out = S(how == LossReduction::Mean ? sums.first / sums.second : sums.first);
    return sums;
  }
};

// Like LossSums, and writes the loss of each line.
template <class S>
struct EachLoss : LossSums<S> {
  TNP_HOST_DEVICE void apply(const typename LossSums<S>::Line&, int64_t i, const typename LossSums<S>::Element& e,
                             const typename LossSums<S>::Result&) const {
    this->out[i] = S(e.loss);
  }
};

template <class S>
struct NllGradient {
  using A = accumulate_t<S>;
  static constexpr int kPiece = 4;
  struct Line {
    int64_t index, first;
  };
  struct Element {};
  struct State {};
  struct Result {
    int64_t target;
    A own;
  };
  Targets<A> targets;
  const S* grad;
  const A* total;  // the sum of weights; null unless the loss is divided by it
  bool each;
  S* out;

  TNP_HOST_DEVICE Line line(int64_t index) const { return {index, targets.lines.first(index)}; }
  TNP_HOST_DEVICE Element load(const Line&, int64_t) const { return {}; }
  TNP_HOST_DEVICE static State identity() { return {}; }
  TNP_HOST_DEVICE State reduce(const Line&, const Element (&)[kPiece], int) const { return {}; }
  TNP_HOST_DEVICE static State combine(const State&, const State&) { return {}; }
  TNP_HOST_DEVICE Result finish(const Line& line, const State&, bool) const {
    const int64_t t = targets.of(line.index);
    if (t == Targets<A>::kNone) return {t, A(0)};
    const A g = static_cast<A>(grad[each ? line.index : 0]);
    return {t, -targets.weight_of(t) * (total ? g / *total : g)};
  }
  TNP_HOST_DEVICE void apply(const Line& line, int64_t i, const Element&, const Result& r) const {
    out[line.first + i * targets.lines.inner] = S(i == r.target ? r.own : A(0));
  }
};

}  // namespace
}  // namespace gpu

void native::cross_entropy_cuda(const Tensor& input, const Tensor& target, const Tensor& weight, int64_t reduction,
                                int64_t ignore_index, double label_smoothing, const Tensor& loss, const Tensor& lse,
                                const Tensor& total) {
  using namespace gpu;
  const auto how = static_cast<LossReduction>(reduction);
  const Device device = input.device();
  const DenseLines lines = class_lines(input);
  visit<FloatingTypes>(input.dtype(), [&]<class S>() {
    using A = accumulate_t<S>;
    const auto targets = targets_of<A>(lines, target, weight, ignore_index);
    const Tensor own = how == LossReduction::None ? Tensor() : empty_tensor(target.sizes(), scalar_type_of<A>, device);
    auto run = [&]<bool smoothed>(std::bool_constant<smoothed>) {
      for_lines(CrossEntropyLines<S, smoothed>{targets, pointer<S>(input), static_cast<A>(label_smoothing),
                                               pointer<S>(loss), pointer<A>(own), pointer<A>(lse)},
                lines.count(), lines.n, lines.inner == 1, device);
    };
    if (label_smoothing != 0)
      run(std::true_type());
    else
      run(std::false_type());
    for_lines(LossSums<S>{targets, pointer<A>(own), nullptr, how, pointer<S>(loss), pointer<A>(total)}, 1,
              lines.count(), true, device);
  });
  check_fault(device);
}

void native::cross_entropy_gradient_cuda(const Tensor& grad, const Tensor& input, const Tensor& target,
                                         const Tensor& lse, const Tensor& total, const Tensor& weight,
                                         int64_t reduction, int64_t ignore_index, double label_smoothing,
                                         const Tensor& out) {
  using namespace gpu;
  if (out.numel() == 0) return;
  const auto how = static_cast<LossReduction>(reduction);
  const DenseLines lines = class_lines(input);
  visit<FloatingTypes>(input.dtype(), [&]<class S>() {
    using A = accumulate_t<S>;
    const CrossEntropyGradient<S> rule{targets_of<A>(lines, target, weight, ignore_index),
                                       pointer<S>(input),
                                       Parameter<A>(grad),
                                       pointer<A>(lse),
                                       how == LossReduction::Mean ? pointer<A>(total) : nullptr,
                                       how == LossReduction::None,
                                       static_cast<A>(label_smoothing),
                                       pointer<S>(out)};
    if (label_smoothing != 0)
      for_lines(rule, lines.count(), lines.n, lines.inner == 1, out.device());
    else
      apply_to_lines(rule, lines.count(), lines.n, lines.inner == 1, out.device());
  });
}

void native::nll_loss_cuda(const Tensor& input, const Tensor& target, const Tensor& weight, int64_t reduction,
                           int64_t ignore_index, const Tensor& loss, const Tensor& total) {
  using namespace gpu;
  const auto how = static_cast<LossReduction>(reduction);
  const DenseLines lines = class_lines(input);
  visit<FloatingTypes>(input.dtype(), [&]<class S>() {
    using A = accumulate_t<S>;
    const LossSums<S> rule{targets_of<A>(lines, target, weight, ignore_index),
                           nullptr,
                           pointer<S>(input),
                           how,
                           pointer<S>(loss),
                           pointer<A>(total)};
    if (how == LossReduction::None)
      for_lines(EachLoss<S>{rule}, 1, lines.count(), true, input.device());
    else
      for_lines(rule, 1, lines.count(), true, input.device());
  });
  check_fault(input.device());
}

void native::nll_loss_backward_cuda(const Tensor& grad_output, const Tensor& target, IntList sizes, const Tensor& total,
                                    const Tensor& weight, int64_t reduction, int64_t ignore_index, const Tensor& out) {
  using namespace gpu;
  if (out.numel() == 0) return;
  const auto how = static_cast<LossReduction>(reduction);
  const DenseLines lines(sizes, class_axis(out));
  visit<FloatingTypes>(out.dtype(), [&]<class S>() {
    using A = accumulate_t<S>;
    apply_to_lines(NllGradient<S>{targets_of<A>(lines, target, weight, ignore_index), pointer<S>(grad_output),
                                  how == LossReduction::Mean ? pointer<A>(total) : nullptr, how == LossReduction::None,
                                  pointer<S>(out)},
                   lines.count(), lines.n, lines.inner == 1, out.device());
  });
}

}  // namespace tnp
