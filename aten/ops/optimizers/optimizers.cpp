// Optimiser steps. Computes the coefficients of each parameter from its step count, and updates all
// parameters of a device and dtype with one kernel call.
#include <algorithm>
#include <cmath>
#include <vector>

#include "aten/core/threads/thread_state.h"
#include "aten/functions/optimizers.h"
#include "aten/iterator/copy.h"
#include "aten/iterator/dense.h"
#include "aten/native_functions/optimizers.h"

namespace tnp::native {

namespace {

// Whether both tensors are dense and have the same order of axes.
bool alike_and_dense(const Tensor& a, const Tensor& b) {
  if (a.is_contiguous() && b.is_contiguous()) return true;
  return !a.is_unaligned() && !b.is_unaligned() && std::ranges::equal(a.strides(), b.strides()) &&
         a.is_fortran_contiguous();
}

bool is_dense(const Tensor& t) { return t.is_contiguous() || (!t.is_unaligned() && t.is_fortran_contiguous()); }

// Views a dense `t` as a vector of real numbers.
Tensor flat(const Tensor& t) {
  const bool complex = t.is_complex();
  return view_of(t, {t.numel() * (complex ? 2 : 1)}, {1}, t.address(),
                 !complex                             ? t.dtype()
                 : t.dtype() == ScalarType::Complex64 ? ScalarType::Float32
                                                      : ScalarType::Float64);
}

// One step for all parameters: their tensors and coefficients, grouped by device and dtype.
class Step {
 public:
  // `others` contains `arrays` lists of tensors with the parameters' shapes (gradients and
  // moments), followed by `scalars` lists of 0-d tensors (step counts).
  Step(TensorList parameters, TensorList others, size_t arrays, size_t scalars)
      : parameters_(parameters), others_(others), arrays_(arrays) {
    TNP_CHECK(others.size() == parameters.size() * (arrays + scalars), ErrorKind::Value, "{others} has ", others.size(),
              " tensors, not ", arrays + scalars, " for each of ", parameters.size(), " {parameters}");
    for (size_t k = 0; k < parameters.size(); ++k) {
      const Tensor& p = parameters[k];
      TNP_CHECK(is_floating(p.dtype()) || p.is_complex(), ErrorKind::Dtype, "{parameters} of dtype ", p.dtype(),
                " cannot be optimised");
      check_writeable(p, "{parameters}");
      for (size_t a = 0; a < arrays; ++a) {
        const Tensor& t = array(a, k);
        TNP_CHECK(std::ranges::equal(t.sizes(), p.sizes()) && t.dtype() == p.dtype() && t.device() == p.device(),
                  ErrorKind::Shape, "{others} has a tensor of shape ", t.sizes(), ", dtype ", t.dtype(), " and device ",
                  t.device(), " for a parameter of shape ", p.sizes(), ", dtype ", p.dtype(), " and device ",
                  p.device());
      }
      for (size_t s = 0; s < scalars; ++s)
        TNP_CHECK(scalar(s, k).numel() == 1, ErrorKind::Shape, "{others} has a tensor of shape ", scalar(s, k).sizes(),
                  " where one number is expected");
    }
  }

  size_t size() const { return parameters_.size(); }
  const Tensor& scalar(size_t which, size_t k) const { return others_[(arrays_ + which) * size() + k]; }
  // Increments the step count of parameter k and returns it.
  double count(size_t which, size_t k) const {
    const double now = scalar(which, k).item<double>() + 1;
    fill_with(scalar(which, k), Scalar(now));
    return now;
  }

  // Updates all parameters. `numbers`: the coefficients of all parameters, one parameter after the
  // other, with the same number of coefficients for each.
  void run(std::string_view rule, const std::vector<double>& numbers) const {
    const NoGradGuard no_grad;
    const size_t n = size();
    std::vector<bool> done(n);
    for (size_t first = 0; first < n; ++first) {
      if (!done[first]) run_alike(rule, numbers, first, done);
    }
  }

 private:
  const Tensor& array(size_t which, size_t k) const { return others_[which * size() + k]; }

  void run_alike(std::string_view rule, const std::vector<double>& numbers, size_t first,
                 std::vector<bool>& done) const {
    const size_t n = size(), each = numbers.size() / n;
    const Tensor& like = parameters_[first];
    std::vector<Tensor> tensors;
    std::vector<double> own;
    struct CopyBack {
      const Tensor& to;
      Tensor from;
    };
    std::vector<CopyBack> copies;
    tensors.reserve((n - first) * (arrays_ + 1));
    own.reserve(numbers.size());
    for (size_t k = first; k < n; ++k) {
      const Tensor& p = parameters_[k];
      if (done[k] || p.dtype() != like.dtype() || p.device() != like.device()) continue;
      done[k] = true;
      bool direct = is_dense(p);
      for (size_t a = 0; a < arrays_ && direct; ++a) direct = alike_and_dense(p, array(a, k));
      auto add = [&](const Tensor& t, bool changed) {
        if (direct) {
          if (changed) {
            t.storage().prepare_change();
            t.bump_version();
          }
          tensors.push_back(flat(t));
          return;
        }
        const Tensor dense = dense_copy(t, t.dtype());
        tensors.push_back(flat(dense));
        if (changed) copies.push_back({t, dense});
      };
      add(p, true);
      for (size_t a = 0; a < arrays_; ++a) add(array(a, k), a > 0);
      own.insert(own.end(), numbers.begin() + static_cast<int64_t>(k * each),
                 numbers.begin() + static_cast<int64_t>((k + 1) * each));
    }
    tnp::update_parameters_(tensors[0], tensors, rule, own);
    for (const CopyBack& c : copies) copy_into(c.to, c.from);
  }

  TensorList parameters_, others_;
  size_t arrays_;
};

double sign_of(bool maximize) { return maximize ? -1 : 1; }

// Appends the first coefficients of the optimisers with two moments (Adam, NAdam, ...).
void add_moments(std::vector<double>& c, double lr, double beta1, double beta2, double weight_decay, bool decoupled,
                 bool maximize) {
  c.insert(c.end(),
           {sign_of(maximize), decoupled ? 0 : weight_decay, decoupled ? 1 - lr * weight_decay : 1, beta1, beta2});
}

}  // namespace

void _fused_sgd_(TensorList parameters, TensorList others, double lr, double momentum, double dampening,
                 double weight_decay, bool nesterov, bool maximize, std::span<const bool> first) {
  const bool with_momentum = momentum != 0;
  const Step step(parameters, others, with_momentum ? 2 : 1, 0);
  TNP_CHECK(!with_momentum || first.size() == step.size(), ErrorKind::Value, "{first} has ", first.size(),
            " elements for ", step.size(), " {parameters}");
  std::vector<double> c;
  for (size_t k = 0; k < step.size(); ++k) {
    c.insert(c.end(), {sign_of(maximize), weight_decay, lr});
    if (with_momentum) c.insert(c.end(), {momentum, dampening, nesterov ? 1.0 : 0.0, first[k] ? 1.0 : 0.0});
  }
  step.run(with_momentum ? "sgd_momentum" : "sgd", c);
}

void _fused_adam_(TensorList parameters, TensorList others, double lr, double beta1, double beta2, double eps,
                  double weight_decay, bool amsgrad, bool maximize, bool decoupled_weight_decay) {
  const Step step(parameters, others, amsgrad ? 4 : 3, 1);
  std::vector<double> c;
  for (size_t k = 0; k < step.size(); ++k) {
    const double t = step.count(0, k);
    add_moments(c, lr, beta1, beta2, weight_decay, decoupled_weight_decay, maximize);
    c.insert(c.end(), {lr / (1 - std::pow(beta1, t)), std::sqrt(1 - std::pow(beta2, t)), eps});
  }
  step.run(amsgrad ? "amsgrad" : "adam", c);
}

void _fused_rmsprop_(TensorList parameters, TensorList others, double lr, double alpha, double eps, double weight_decay,
                     double momentum, bool centered, bool maximize) {
  const bool with_momentum = momentum > 0;
  const Step step(parameters, others, size_t{2} + centered + with_momentum, 1);
  std::vector<double> c;
  for (size_t k = 0; k < step.size(); ++k) {
    step.count(0, k);
    c.insert(c.end(), {sign_of(maximize), weight_decay, lr, alpha, eps, momentum});
  }
  step.run(centered ? (with_momentum ? "rmsprop_centered_momentum" : "rmsprop_centered")
                    : (with_momentum ? "rmsprop_momentum" : "rmsprop"),
           c);
}

void _fused_adagrad_(TensorList parameters, TensorList others, double lr, double lr_decay, double eps,
                     double weight_decay, bool maximize) {
  const Step step(parameters, others, 2, 1);
  std::vector<double> c;
  for (size_t k = 0; k < step.size(); ++k) {
    const double t = step.count(0, k);
    c.insert(c.end(), {sign_of(maximize), weight_decay, lr / (1 + (t - 1) * lr_decay), eps});
  }
  step.run("adagrad", c);
}

void _fused_adadelta_(TensorList parameters, TensorList others, double lr, double rho, double eps, double weight_decay,
                      bool maximize) {
  const Step step(parameters, others, 3, 1);
  std::vector<double> c;
  for (size_t k = 0; k < step.size(); ++k) {
    step.count(0, k);
    c.insert(c.end(), {sign_of(maximize), weight_decay, lr, rho, eps});
  }
  step.run("adadelta", c);
}

void _fused_adamax_(TensorList parameters, TensorList others, double lr, double beta1, double beta2, double eps,
                    double weight_decay, bool maximize) {
  const Step step(parameters, others, 3, 1);
  std::vector<double> c;
  for (size_t k = 0; k < step.size(); ++k) {
    const double t = step.count(0, k);
    c.insert(c.end(), {sign_of(maximize), weight_decay, lr / (1 - std::pow(beta1, t)), beta1, beta2, eps});
  }
  step.run("adamax", c);
}

void _fused_nadam_(TensorList parameters, TensorList others, double lr, double beta1, double beta2, double eps,
                   double weight_decay, double momentum_decay, bool decoupled_weight_decay, bool maximize) {
  const Step step(parameters, others, 3, 2);
  std::vector<double> c;
  for (size_t k = 0; k < step.size(); ++k) {
    const double t = step.count(1, k);
    const double mu = beta1 * (1 - 0.5 * std::pow(0.96, t * momentum_decay));
    const double next = beta1 * (1 - 0.5 * std::pow(0.96, (t + 1) * momentum_decay));
    // Computes the product in the dtype of the state tensor, as PyTorch does. By default this is
    // float32.
    const Tensor& running = step.scalar(0, k);
    const double before = running.item<double>();
    fill_with(running,
              Scalar(running.dtype() == ScalarType::Float32 ? static_cast<float>(before) * static_cast<float>(mu)
                                                            : before * mu));
    const double product = running.item<double>();
    add_moments(c, lr, beta1, beta2, weight_decay, decoupled_weight_decay, maximize);
    c.insert(c.end(), {lr * (1 - mu) / (1 - product), lr * next / (1 - product * next), 1 - std::pow(beta2, t), eps});
  }
  step.run("nadam", c);
}

void _fused_radam_(TensorList parameters, TensorList others, double lr, double beta1, double beta2, double eps,
                   double weight_decay, bool decoupled_weight_decay, bool maximize) {
  const Step step(parameters, others, 3, 1);
  std::vector<double> c;
  for (size_t k = 0; k < step.size(); ++k) {
    const double t = step.count(0, k), power = std::pow(beta2, t), correction = 1 - power;
    const double longest = 2 / (1 - beta2) - 1, length = longest - 2 * t * power / correction;
    const double rectification =
        length > 5 ? std::sqrt((length - 4) * (length - 2) * longest / ((longest - 4) * (longest - 2) * length)) : 0;
    add_moments(c, lr, beta1, beta2, weight_decay, decoupled_weight_decay, maximize);
    c.insert(c.end(), {lr, 1 - std::pow(beta1, t), std::sqrt(correction), eps, rectification});
  }
  step.run("radam", c);
}

void _fused_rprop_(TensorList parameters, TensorList others, double etaminus, double etaplus, double step_size_min,
                   double step_size_max, bool maximize) {
  const Step step(parameters, others, 3, 1);
  std::vector<double> c;
  for (size_t k = 0; k < step.size(); ++k) {
    step.count(0, k);
    c.insert(c.end(), {sign_of(maximize), etaminus, etaplus, step_size_min, step_size_max});
  }
  step.run("rprop", c);
}

void _fused_asgd_(TensorList parameters, TensorList others, double lr, double lambd, double alpha, double t0,
                  double weight_decay, bool maximize) {
  const Step step(parameters, others, 2, 3);
  std::vector<double> c;
  for (size_t k = 0; k < step.size(); ++k) {
    const double t = step.count(2, k), mu = step.scalar(0, k).item<double>(), eta = step.scalar(1, k).item<double>();
    c.insert(c.end(), {sign_of(maximize), weight_decay, 1 - lambd * eta, eta, mu});
    fill_with(step.scalar(1, k), Scalar(lr / std::pow(1 + lambd * lr * t, alpha)));
    fill_with(step.scalar(0, k), Scalar(1 / std::max(1.0, t - t0)));
  }
  step.run("asgd", c);
}

}  // namespace tnp::native
