// Losses of classes: on the CPU one kernel forward and one backward, elsewhere compositions.
#include "aten/functions/losses.h"
#include "aten/core/recording.h"
#include "aten/functions/arithmetic.h"
#include "aten/functions/comparison.h"
#include "aten/functions/copies.h"
#include "aten/functions/creation.h"
#include "aten/functions/indexing.h"
#include "aten/functions/nn.h"
#include "aten/functions/reductions.h"
#include "aten/functions/shape.h"
#include "aten/functions/sorting.h"
#include "aten/iterator/dense.h"
#include "aten/kernels/cpu/softmax.h"
#include "aten/native_functions/losses.h"
#include "aten/ops/operators.h"

namespace tnp::native {

namespace {

// Where the classes are.
int64_t class_axis(const Tensor& input) { return input.dim() == 1 ? 0 : 1; }

void check(const Tensor& input, const Tensor& target, const Tensor& weight) {
  TNP_CHECK(is_floating(input.dtype()), ErrorKind::NotImplemented, "not implemented for ", input.dtype());
  TNP_CHECK(target.dtype() == ScalarType::Int64, ErrorKind::Dtype, "{target} is of ", target.dtype(), ", not int64");
  const int64_t axis = class_axis(input);
  DimVector expected;
  for (int64_t d = 0; d < input.dim(); ++d)
    if (d != axis) expected.push_back(input.size(d));
  TNP_CHECK(input.dim() > 0 && std::ranges::equal(expected, target.sizes()), ErrorKind::Shape, "{target} of shape ",
            target.sizes(), " does not fit {input} of shape ", input.sizes());
  const int64_t classes = input.size(axis);
  TNP_CHECK(!weight.defined() || (weight.dim() == 1 && weight.numel() == classes), ErrorKind::Shape,
            "{weight} is not of one number for each of ", classes, " classes");
  TNP_CHECK(target.device() == input.device() && (!weight.defined() || weight.device() == input.device()),
            ErrorKind::Runtime, "{input}, {target} and {weight} are on different devices");
}

void check_classes(const Tensor& target, int64_t classes, int64_t ignore_index) {
  if (!target.device().is_cpu()) return;
  const Tensor dense = to_dense(target, ScalarType::Int64);
  const auto* t = dense.data_ptr<int64_t>();
  for (int64_t i = 0; i < dense.numel(); ++i)
    TNP_CHECK(t[i] == ignore_index || (t[i] >= 0 && t[i] < classes), ErrorKind::Index, "Target ", t[i],
              " is out of bounds: there are ", classes, " classes");
}

// The target's classes with 0 in place of what is ignored, the weight of each, 0 for those, and along the classes'
// axis.
struct Targets {
  Tensor counted, classes, weights;
  Targets(const Tensor& input, const Tensor& target, const Tensor& weight, int64_t ignore_index) {
    const Tensor zero = wrapped_number(Scalar(int64_t{0}));
    counted = tnp::ne(target, wrapped_number(Scalar(ignore_index)));
    classes = tnp::where(counted, target, zero);
    if (weight.defined())
      weights = tnp::where(
          counted, tnp::reshape(tnp::index_select(weight, 0, tnp::reshape(classes, IntList{-1})), target.sizes()),
          zero);
    else
      weights = tnp::cast(counted, input.dtype());
  }
};

Tensor reduced(const Tensor& loss, const Tensor& total, int64_t reduction) {
  return reduction == 0 ? loss : reduction == 2 ? tnp::sum(loss, {}, false, {}) : tnp::sum(loss, {}, false, {}) / total;
}

// A number for each class, along the classes' axis.
Tensor along_classes(const Tensor& weight, const Tensor& input) {
  DimVector sizes(static_cast<size_t>(input.dim()), 1);
  sizes[static_cast<size_t>(class_axis(input))] = input.size(class_axis(input));
  return tnp::reshape(weight, sizes);
}

template <class T>
CrossEntropy<T> kernel(const Tensor& x, const Tensor& target, const Tensor& weight, int64_t ignore_index,
                       double smoothing) {
  const int64_t axis = class_axis(x), n = x.size(axis), outer = axis == 0 ? 1 : x.size(0);
  const int64_t inner = outer * n == 0 ? 1 : x.numel() / (outer * n);
  return {outer,
          n,
          inner,
          x.data_ptr<T>(),
          target.data_ptr<int64_t>(),
          weight.defined() ? weight.data_ptr<T>() : nullptr,
          ignore_index,
          smoothing};
}

// By kernels: also not of no elements, whose numbers of lines do not follow from that of elements.
bool has_kernel(const Tensor& input) { return input.device().is_cpu() && input.numel() > 0; }

Tensor wide(const Tensor& t, ScalarType dtype) { return t.defined() ? to_dense(t, dtype) : t; }

}  // namespace

std::tuple<Tensor, Tensor, Tensor> _cross_entropy(const Tensor& input, const Tensor& target, const Tensor& weight,
                                                  int64_t reduction, int64_t ignore_index, double label_smoothing) {
  check(input, target, weight);
  const int64_t axis = class_axis(input), n = input.size(axis);
  const ScalarType dtype = compute_type(input.dtype());
  if (has_kernel(input)) {
    const Tensor x = to_dense(input, dtype), t = to_dense(target, ScalarType::Int64), w = wide(weight, dtype);
    const Tensor loss = empty_tensor(target.sizes(), dtype), lse = empty_tensor(target.sizes(), dtype),
                 total = empty_tensor({}, dtype);
    Tensor result = loss;
    visit<FloatTypes>(dtype, [&]<class T>() {
      T* losses = loss.data_ptr<T>();
      const double weights = kernel<T>(x, t, w, ignore_index, label_smoothing).forward(losses, lse.data_ptr<T>());
      *total.data_ptr<T>() = static_cast<T>(weights);
      if (reduction == 0) return;
      double sum = 0;
      for (int64_t i = 0; i < loss.numel(); ++i) sum += static_cast<double>(losses[i]);
      result = empty_tensor({}, dtype);
      *result.data_ptr<T>() = static_cast<T>(reduction == 1 ? sum / weights : sum);
    });
    return {to_dense(result, input.dtype()), lse, total};
  }
  check_classes(target, n, ignore_index);
  const Tensor x = tnp::cast(input, dtype), w = weight.defined() ? tnp::cast(weight, dtype) : weight;
  const Tensor logarithms = tnp::log_softmax(x, axis, {});
  const Targets targets(x, target, w, ignore_index);
  const Tensor own = tnp::squeeze(tnp::gather(logarithms, axis, tnp::unsqueeze(targets.classes, axis)), IntList{axis});
  Tensor loss = -(own * targets.weights) * Scalar(1 - label_smoothing);
  if (label_smoothing != 0) {
    const Tensor weighted = w.defined() ? logarithms * along_classes(w, x) : logarithms;
    const Tensor all = tnp::sum(weighted, IntList{axis}, false, {}) * Scalar(-label_smoothing / static_cast<double>(n));
    loss = loss + tnp::where(targets.counted, all, wrapped_number(Scalar(0.0)));
  }
  const Tensor total = tnp::sum(targets.weights, {}, false, {});
  const Tensor lse = tnp::zeros_like(loss);  // of no use there
  return {tnp::cast(reduced(loss, total, reduction), input.dtype()), lse, total};
}

Tensor cross_entropy_backward(const Tensor& grad, const Tensor& input, const Tensor& target, const Tensor& lse,
                              const Tensor& total, const Tensor& weight, int64_t reduction, int64_t ignore_index,
                              double label_smoothing) {
  const ScalarType dtype = compute_type(input.dtype());
  const bool recorded = any_needs_recording(grad, input);
  if (has_kernel(input) && !recorded) {
    const Tensor x = to_dense(input, dtype), t = to_dense(target, ScalarType::Int64), w = wide(weight, dtype),
                 g = to_dense(grad, dtype), to = empty_tensor(input.sizes(), dtype);
    visit<FloatTypes>(dtype, [&]<class T>() {
      const double factor = reduction == 1 ? 1 / static_cast<double>(*total.data_ptr<T>()) : 1;
      kernel<T>(x, t, w, ignore_index, label_smoothing)
          .backward(g.data_ptr<T>(), reduction == 0 ? 1 : 0, factor, lse.data_ptr<T>(), to.data_ptr<T>());
    });
    return to;
  }
  const int64_t axis = class_axis(input), n = input.size(axis);
  const Tensor x = tnp::cast(input, dtype), w = weight.defined() ? tnp::cast(weight, dtype) : weight;
  const Targets targets(x, target, w, ignore_index);
  Tensor g = tnp::cast(grad, dtype);
  // Not `total` itself, which has the history of a result.
  if (reduction == 1) g = g / tnp::sum(targets.weights, {}, false, {});
  const Tensor none = wrapped_number(Scalar(0.0));
  const Tensor each = tnp::unsqueeze(tnp::where(targets.counted, g, none), axis);
  const Tensor own = tnp::unsqueeze(targets.weights, axis) * Scalar(1 - label_smoothing);
  const double share = n > 0 ? label_smoothing / static_cast<double>(n) : 0;
  const Tensor all =
      w.defined() ? tnp::sum(w, {}, false, {}) * Scalar(share) : wrapped_number(Scalar(share * static_cast<double>(n)));
  const Tensor places = along_classes(tnp::arange(Scalar(n), {}, x.device()), x);
  const Tensor is_own = tnp::eq(places, tnp::unsqueeze(targets.classes, axis));
  const Tensor shift = w.defined() ? along_classes(w, x) * Scalar(share) : wrapped_number(Scalar(share));
  return each * (tnp::softmax(x, axis, {}) * (own + all) - tnp::where(is_own, own, none) - shift);
}

Tensor _nll_loss(const Tensor& input, const Tensor& target, const Tensor& weight, int64_t reduction,
                 int64_t ignore_index) {
  check(input, target, weight);
  const int64_t axis = class_axis(input);
  check_classes(target, input.size(axis), ignore_index);
  const Targets targets(input, target, weight, ignore_index);
  const Tensor total = reduction == 1 ? tnp::sum(targets.weights, {}, false, {}) : Tensor();
  if (target.numel() == 0) return reduced(tnp::zeros_like(targets.weights), total, reduction);
  const Tensor own = tnp::squeeze(tnp::gather(input, axis, tnp::unsqueeze(targets.classes, axis)), IntList{axis});
  return reduced(tnp::where(targets.counted, -own * targets.weights, wrapped_number(Scalar(0.0))), total, reduction);
}

}  // namespace tnp::native
