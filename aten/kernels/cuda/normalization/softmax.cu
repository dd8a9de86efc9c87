// Softmax and log-softmax on a GPU. Each element is read once if a line fits into the registers of
// its threads. One pass finds the maximum and the sum: Milakov and Gimelshein, arXiv 1805.02867.
#include <cmath>
#include <limits>

#include "aten/kernel_functions/nn.h"
#include "aten/kernels/cuda/normalization/exponential_sum.h"
#include "aten/kernels/cuda/operands.h"
#include "aten/kernels/cuda/reduction/line_kernel.h"
#include "aten/kernels/dense_lines.h"

namespace tnp {

namespace gpu {
namespace {

template <class S>
struct Softmax {
  using A = accumulate_t<S>;
  static constexpr int kPiece = sizeof(A) == 8 ? 4 : 8;
  struct Line {
    int64_t first;
  };
  struct Element {
    A x;
  };
  using State = ExponentialSum<A>;
  struct Result {
    A most, sum, logarithm;
  };
  DenseLines lines;
  const S* in;
  S* out;
  bool logarithm;

  TNP_HOST_DEVICE Line line(int64_t index) const { return {lines.first(index)}; }
  TNP_HOST_DEVICE Element load(const Line& line, int64_t i) const {
    return {static_cast<A>(in[line.first + i * lines.inner])};
  }
  TNP_HOST_DEVICE static State identity() { return State::none(); }
  TNP_HOST_DEVICE TNP_INLINE State reduce(const Line&, const Element (&piece)[kPiece], int count) const {
    return State::template of<kPiece>(count, [&](int j) { return piece[j].x; });
  }
  TNP_HOST_DEVICE static State combine(const State& a, const State& b) { return State::combine(a, b); }
  TNP_HOST_DEVICE Result finish(const Line&, const State& state, bool) const {
    return {state.most, state.sum, logarithm ? std::log(state.sum) : A(0)};
  }
  TNP_HOST_DEVICE void apply(const Line& line, int64_t i, const Element& e, const Result& r) const {
    out[line.first + i * lines.inner] = S(logarithm ? (e.x - r.most) - r.logarithm : std::exp(e.x - r.most) / r.sum);
  }
};

// Gradient of softmax: y (g - sum(g y)); of log-softmax: g - exp(y) sum(g).
template <class S>
struct SoftmaxGradient {
  using A = accumulate_t<S>;
  static constexpr int kPiece = sizeof(A) == 8 ? 2 : 4;
  struct Line {
    int64_t first;
  };
  struct Element {
    A g, y;
  };
  struct State {
    A sum;
  };
  using Result = State;
  DenseLines lines;
  const S *grad, *result;
  S* out;
  bool logarithm;

  TNP_HOST_DEVICE Line line(int64_t index) const { return {lines.first(index)}; }
  TNP_HOST_DEVICE Element load(const Line& line, int64_t i) const {
    const int64_t at = line.first + i * lines.inner;
    return {static_cast<A>(grad[at]), static_cast<A>(result[at])};
  }
  TNP_HOST_DEVICE static State identity() { return {A(0)}; }
  TNP_HOST_DEVICE TNP_INLINE State reduce(const Line&, const Element (&piece)[kPiece], int count) const {
    A sum(0);
    TNP_UNROLL
    for (int j = 0; j < kPiece; ++j)
      if (j < count) sum += logarithm ? piece[j].g : piece[j].g * piece[j].y;
    return {sum};
  }
  TNP_HOST_DEVICE static State combine(const State& a, const State& b) { return {a.sum + b.sum}; }
  TNP_HOST_DEVICE Result finish(const Line&, const State& state, bool) const { return state; }
  TNP_HOST_DEVICE void apply(const Line& line, int64_t i, const Element& e, const Result& r) const {
    out[line.first + i * lines.inner] = S(logarithm ? e.g - std::exp(e.y) * r.sum : e.y * (e.g - r.sum));
  }
};

void softmax(const Tensor& input, int64_t dim, bool logarithm, const Tensor& out) {
  if (out.numel() == 0) return;
  const DenseLines lines(input.sizes(), dim);
  visit<FloatingTypes>(input.dtype(), [&]<class S>() {
    for_lines(Softmax<S>{lines, pointer<S>(input), pointer<S>(out), logarithm}, lines.count(), lines.n,
              lines.inner == 1, out.device());
  });
}

}  // namespace
}  // namespace gpu

void native::softmax_cuda(const Tensor& input, int64_t dim, std::optional<ScalarType>, const Tensor& out) {
  gpu::softmax(input, dim, false, out);
}
void native::log_softmax_cuda(const Tensor& input, int64_t dim, std::optional<ScalarType>, const Tensor& out) {
  gpu::softmax(input, dim, true, out);
}

void native::softmax_gradient_cuda(const Tensor& grad, const Tensor& output, int64_t dim, bool logarithm,
                                   const Tensor& out) {
  if (out.numel() == 0) return;
  const DenseLines lines(output.sizes(), dim);
  visit<FloatingTypes>(output.dtype(), [&]<class S>() {
    using namespace gpu;
    for_lines(SoftmaxGradient<S>{lines, pointer<S>(grad), pointer<S>(output), pointer<S>(out), logarithm},
              lines.count(), lines.n, lines.inner == 1, out.device());
  });
}

}  // namespace tnp
