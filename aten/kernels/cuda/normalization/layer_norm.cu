// Layer normalisation on a GPU, as rules of lines (line_kernel.h): one launch for the forward pass,
// one for the gradient of the input, and one for the gradients of weight and bias. The lines of the
// last launch are the columns.
#include "aten/kernel_functions/nn.h"
#include "aten/kernel_functions/normalization.h"
#include "aten/kernels/cuda/normalization/normalized_lines.h"
#include "aten/kernels/cuda/reduction/line_kernel.h"
#include "aten/kernels/normalized_rows.h"

namespace tnp {

namespace gpu {
namespace {

// Sums over the rows of grad h and of grad, for each column.
template <class S>
struct ParameterGradients {
  using A = accumulate_t<S>;
  static constexpr int kPiece = 4;
  struct Line {
    int64_t column;
  };
  struct Element {
    A g, h;
  };
  using State = TwoSums<A>;
  using Result = State;
  int64_t length;
  const S *grad, *in;
  const A *means, *rstds;
  A *weights, *biases;  // null if that gradient is not needed

  TNP_HOST_DEVICE Line line(int64_t index) const { return {index}; }
  TNP_HOST_DEVICE Element load(const Line& line, int64_t row) const {
    const int64_t at = row * length + line.column;
    const A g = static_cast<A>(grad[at]);
    if (!weights) return {g, A(0)};
    const A x = static_cast<A>(in[at]);
    return {g, (means ? x - means[row] : x) * rstds[row]};
  }
  TNP_HOST_DEVICE static State identity() { return State::none(); }
  TNP_HOST_DEVICE TNP_INLINE State reduce(const Line&, const Element (&piece)[kPiece], int count) const {
    return State::template of<kPiece>(count, [&](int j) { return State{piece[j].g, piece[j].g * piece[j].h}; });
  }
  TNP_HOST_DEVICE static State combine(const State& a, const State& b) { return State::combine(a, b); }
  TNP_HOST_DEVICE Result finish(const Line& line, const State& sums, bool writes) const {
    if (writes && weights) weights[line.column] = sums.second;
    if (writes && biases) biases[line.column] = sums.first;
    return sums;
  }
};

template <bool centred>
void normalize_rows(const Tensor& input, IntList normalized_shape, const Tensor& weight, const Tensor& bias, double eps,
                    const Tensor& out, const Tensor& mean, const Tensor& rstd) {
  const NormalizedRows rows(input, normalized_shape);
  visit<FloatingTypes>(input.dtype(), [&]<class S>() {
    using A = accumulate_t<S>;
    for_lines(NormalizedLines<S, centred, EachItsOwn>{rows.length,
                                                      {},
                                                      pointer<S>(input),
                                                      Parameter<A>(weight),
                                                      Parameter<A>(bias),
                                                      static_cast<A>(eps),
                                                      pointer<S>(out),
                                                      pointer<A>(mean),
                                                      pointer<A>(rstd)},
              rows.count, rows.length, true, out.device());
  });
}

}  // namespace
}  // namespace gpu

void native::native_layer_norm_cuda(const Tensor& input, IntList normalized_shape, const Tensor& weight,
                                    const Tensor& bias, double eps, const Tensor& out, const Tensor& mean,
                                    const Tensor& rstd) {
  gpu::normalize_rows<true>(input, normalized_shape, weight, bias, eps, out, mean, rstd);
}

void native::native_rms_norm_cuda(const Tensor& input, IntList normalized_shape, const Tensor& weight, double eps,
                                  const Tensor& out, const Tensor& rstd) {
  gpu::normalize_rows<false>(input, normalized_shape, weight, Tensor(), eps, out, Tensor(), rstd);
}

void native::layer_norm_gradients_cuda(const Tensor& grad, const Tensor& input, IntList normalized_shape,
                                       const Tensor& mean, const Tensor& rstd, const Tensor& weight,
                                       std::span<const bool>, const Tensor& grad_input, const Tensor& grad_weight,
                                       const Tensor& grad_bias) {
  using namespace gpu;
  const NormalizedRows rows(input, normalized_shape);
  const Device device = input.device();
  visit<FloatingTypes>(input.dtype(), [&]<class S>() {
    using A = accumulate_t<S>;
    auto for_input = [&]<bool centred>(std::bool_constant<centred>) {
      for_lines(NormalizedGradient<S, centred, EachItsOwn>{rows.length,
                                                           {},
                                                           pointer<S>(grad),
                                                           pointer<S>(input),
                                                           pointer<A>(mean),
                                                           pointer<A>(rstd),
                                                           Parameter<A>(weight),
                                                           pointer<S>(grad_input)},
                rows.count, rows.length, true, device);
    };
    if (grad_input.defined() && mean.defined()) for_input(std::true_type());
    if (grad_input.defined() && !mean.defined()) for_input(std::false_type());
    if (grad_weight.defined() || grad_bias.defined())
      for_lines(ParameterGradients<S>{rows.length, pointer<S>(grad), pointer<S>(input), pointer<A>(mean),
                                      pointer<A>(rstd), pointer<A>(grad_weight), pointer<A>(grad_bias)},
                rows.length, rows.count, false, device);
  });
}

}  // namespace tnp
