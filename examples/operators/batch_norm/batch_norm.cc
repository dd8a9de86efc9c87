// Batch normalisation of the columns of x, with running statistics in two inputs that are updated
// in place.
//
// y = (x - mean) / sqrt(variance + eps) * weight + bias; running = (1 - momentum) * running + momentum * of this batch.
// Ioffe and Szegedy, Batch Normalization, ICML 2015; the stored variance is the unbiased one, as in
// PyTorch.
#include <torch_np/extension.h>

#include <cmath>

using namespace torch_np;

namespace {

// These throw unless the values are numbers, or True and False.
double momentum_of(const Attributes& attributes) { return attributes.number("momentum", 0.1); }
double eps_of(const Attributes& attributes) { return attributes.number("eps", 1e-5); }
bool is_training(const Attributes& attributes) { return attributes.boolean("training", true); }

struct Moments {
  double mean, variance;
};
Moments moments(const double* x, int64_t n, int64_t columns, int64_t c) {
  double mean = 0, variance = 0;
  for (int64_t i = 0; i < n; ++i) mean += x[i * columns + c] / static_cast<double>(n);
  for (int64_t i = 0; i < n; ++i) variance += std::pow(x[i * columns + c] - mean, 2) / static_cast<double>(n);
  return {mean, variance};
}

MXReturnValue parseAttrs(const Attributes& attributes, int* num_in, int* num_out) {
  attributes.expect_only({"momentum", "eps", "training"});
  momentum_of(attributes), eps_of(attributes), is_training(attributes);
  *num_in = 5, *num_out = 1;  // x, weight, bias, running mean, running variance
  return MX_SUCCESS;
}

MXReturnValue inferType(const Attributes&, std::vector<int>& in, std::vector<int>& out) {
  for (int dtype : in)
    if (dtype != kFloat64) throw TypeError("expected float64, got " + dtype_name(dtype));
  out[0] = kFloat64;
  return MX_SUCCESS;
}

MXReturnValue inferShape(const Attributes&, std::vector<std::vector<int64_t>>& in,
                         std::vector<std::vector<int64_t>>& out) {
  if (in[0].size() != 2) throw ValueError("expected a matrix x");
  for (size_t i = 1; i < in.size(); ++i)
    if (in[i] != std::vector<int64_t>{in[0][1]})
      throw ValueError("expected an element for each column of x in input " + std::to_string(i));
  out[0] = in[0];
  return MX_SUCCESS;
}

MXReturnValue mutateInputs(const Attributes&, std::vector<int>& indices) {
  indices = {3, 4};
  return MX_SUCCESS;
}

MXReturnValue forward(const Attributes& attributes, MXTensors& in, MXTensors& out, const OpResource&) {
  const int64_t n = in[0].shape[0], columns = in[0].shape[1];
  const double momentum = momentum_of(attributes), eps = eps_of(attributes);
  const double *x = in[0].data<double>(), *weight = in[1].data<double>(), *bias = in[2].data<double>();
  double *running_mean = in[3].data<double>(), *running_variance = in[4].data<double>(), *y = out[0].data<double>();
  for (int64_t c = 0; c < columns; ++c) {
    Moments m{running_mean[c], running_variance[c]};
    if (is_training(attributes)) {
      m = moments(x, n, columns, c);
      const double unbiased = n > 1 ? m.variance * static_cast<double>(n) / static_cast<double>(n - 1) : m.variance;
      running_mean[c] += momentum * (m.mean - running_mean[c]);
      running_variance[c] += momentum * (unbiased - running_variance[c]);
    }
    const double factor = weight[c] / std::sqrt(m.variance + eps);
    for (int64_t i = 0; i < n; ++i) y[i * columns + c] = (x[i * columns + c] - m.mean) * factor + bias[c];
  }
  return MX_SUCCESS;
}

// in: the gradient of y, the inputs, y.
MXReturnValue backward(const Attributes& attributes, MXTensors& in, MXTensors& out, const OpResource&) {
  const int64_t n = in[1].shape[0], columns = in[1].shape[1];
  const double eps = eps_of(attributes);
  const double *grad = in[0].data<double>(), *x = in[1].data<double>(), *weight = in[2].data<double>();
  const double *running_mean = in[4].data<double>(), *running_variance = in[5].data<double>();
  double *grad_x = out[0].data<double>(), *grad_weight = out[1].data<double>(), *grad_bias = out[2].data<double>();
  const bool training = is_training(attributes);
  for (int64_t c = 0; c < columns; ++c) {
    const Moments m = training ? moments(x, n, columns, c) : Moments{running_mean[c], running_variance[c]};
    const double inverse = 1 / std::sqrt(m.variance + eps);
    double sum = 0, dot = 0;
    for (int64_t i = 0; i < n; ++i) {
      sum += grad[i * columns + c];
      dot += grad[i * columns + c] * (x[i * columns + c] - m.mean) * inverse;
    }
    grad_bias[c] = sum, grad_weight[c] = dot;
    for (int64_t i = 0; i < n; ++i) {
      const double normal = (x[i * columns + c] - m.mean) * inverse;
      const double through_moments = training ? (sum + normal * dot) / static_cast<double>(n) : 0;
      grad_x[i * columns + c] = (grad[i * columns + c] - through_moments) * weight[c] * inverse;
    }
  }
  return MX_SUCCESS;
}

}  // namespace

REGISTER_OP(my_batch_norm)
    .setDoc(
        "Normalises the columns of x; inputs: x, weight, bias, running mean, running variance. Attributes: momentum "
        "(0.1), eps (1e-5), "
        "training (True).")
    .setParseAttrs(parseAttrs)
    .setInferType(inferType)
    .setInferShape(inferShape)
    .setMutateInputs(mutateInputs)
    .setForward(forward, "cpu")
    .setBackward(backward, "cpu");
