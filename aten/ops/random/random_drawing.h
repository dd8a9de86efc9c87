// Helpers of the random operators: parameters, and outputs for kernels to fill.
#pragma once

#include <optional>
#include <vector>

#include "aten/functions/copies.h"
#include "aten/iterator/dense.h"
#include "aten/kernels/pointwise.h"
#include "aten/native_functions/copies.h"
#include "aten/random/drawing.h"

namespace tnp::native {

// A new row-major copy of `t` on the CPU.
inline Tensor parameter_copy(const Tensor& t, ScalarType dtype) { return dense_copy(t, dtype, Device{}); }

// The broadcast shape of the parameters, or `size`. Raises Value if they do not broadcast to
// `size`.
DimVector drawn_shape(TensorList parameters, OptIntList size);

// The parameters of a draw, on the CPU, and their broadcast shape, or `size`.
class Parameters {
 public:
  Parameters(TensorList given, ScalarType dtype, OptIntList size);
  IntList shape() const { return shape_; }
  bool scalar() const { return scalar_; }  // whether each parameter is one number
  size_t count() const { return dense_.size(); }
  const Tensor& dense(size_t i) const { return dense_[i]; }  // parameter i in its own shape, row-major
  std::vector<Tensor> broadcast() const;                     // the parameters as views of shape shape()
  double number(size_t i) const { return *dense_[i].data_ptr<double>(); }

 private:
  std::vector<Tensor> dense_;
  DimVector shape_;
  bool scalar_ = true;
};

// The device of the result: the given device, the GPU of a parameter, or the default device.
inline Device result_device(std::optional<Device> device, TensorList parameters = {}) {
  if (device) return *device;
  for (const Tensor& p : parameters) {
    if (!p.device().is_cpu()) return p.device();
  }
  return default_device();
}

inline Tensor on_device(const Tensor& drawn, Device device) {
  return drawn.device() == device ? drawn : native::transfer(drawn, device, false);
}

// A new tensor at `place`, filled by fill(tensor). If fill() returns false, the device could not
// draw; the tensor is then filled on the CPU and copied.
template <class F>
Tensor filled(IntList size, ScalarType dtype, Device place, F&& fill) {
  Tensor out = empty_tensor(size, dtype, place);
  if (fill(out)) return out;
  const Tensor drawn = empty_tensor(size, dtype);
  fill(drawn);
  return on_device(drawn, place);
}

// The memory of a draw from PyTorch's stream, which only the CPU draws: `to` itself, if it is dense
// there and of `dtype`, or a new tensor. publish() copies the latter to `to`.
class HostDraw {
 public:
  HostDraw(const Tensor& to, ScalarType dtype)
      : to_(to),
        in_place_(to.is_contiguous() && to.dtype() == dtype && to.device().is_cpu()),
        drawn_(in_place_ ? to : empty_tensor(to.sizes(), dtype)) {}
  const Tensor& tensor() const { return drawn_; }
  void publish() const {
    if (!in_place_) copy_into(to_, on_device(drawn_, to_.device()));
  }

 private:
  const Tensor& to_;
  bool in_place_;
  Tensor drawn_;
};

// Numbers of a base distribution (random_fill), drawn at `place`.
Tensor draw_base(Distribution distribution, IntList size, double offset, double scale, ScalarType dtype, Device place,
                 Generator& g);
// Numbers of a distribution without parameters (standard normal, uniform in [0, 1), ...), cast to
// `dtype`.
Tensor draw_default(Distribution distribution, IntList size, ScalarType dtype, std::optional<Device> device,
                    Generator* generator);
// Draws from a distribution that can be computed from a base distribution by tensor operators.
// Draws and computes on the device `place`. Returns an undefined tensor if the distribution has no
// such formula.
Tensor draw_by_operators(Distribution distribution, const Parameters& parameters, Generator& g, Device place);

}  // namespace tnp::native
