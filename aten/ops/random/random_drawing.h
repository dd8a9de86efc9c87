// Helpers of the random operators: parameters, the generator with its lock, and outputs for kernels
// to fill.
#pragma once

#include <mutex>
#include <optional>
#include <vector>

#include "aten/core/devices/device_runtime.h"
#include "aten/core/threads/parallel.h"
#include "aten/functions/copies.h"
#include "aten/iterator/copy.h"
#include "aten/kernels/pointwise.h"
#include "aten/native_functions/copies.h"
#include "aten/random/generator.h"

namespace tnp::native {

// A new row-major copy of `t` on the CPU.
inline Tensor parameter_copy(const Tensor& t, ScalarType dtype) {
  Tensor copy = empty_tensor(t.sizes(), dtype);
  if (t.numel() > 0) copy_into(copy, t);
  return copy;
}

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

// The generator of a draw, its lock, and a scope that lets other threads run during a long draw.
// Members are destroyed in reverse order, so the generator's lock is released before the front
// end's lock (the GIL) is acquired again. A thread that waits for the generator's lock may hold the
// GIL.
class Drawing {
 public:
  // Without a generator, `torch` selects the default one of the torch-style face.
  Drawing(Generator* g, int64_t numbers, Device device, bool torch = false) : device_(device) {
    if (device.is_cuda()) runtime_of(device);  // raises an error if there is no GPU
    generator_ = intrusive_ptr<Generator>(g       ? g
                                          : torch ? &default_torch_generator(device)
                                                  : &default_generator(device));
    const bool is_long = numbers > 10'000 && generator_->bits->kind() != BitGenerator::Kind::Foreign;
    if (is_long) long_work_.emplace();
    lock_ = generator_->bits->lock(is_long);
  }
  Generator& generator() { return *generator_; }
  // The device whose kernels draw the numbers. See Note [Random numbers on devices].
  Device place() const { return generator_->bits->kind() == BitGenerator::Kind::Philox ? device_ : Device{}; }

 private:
  Device device_;
  intrusive_ptr<Generator> generator_;
  std::optional<LongWork> long_work_;
  BitLock lock_;
};

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
