// What the operators of random numbers share: broadcast parameters, and the generator with its lock.
#pragma once

#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

#include "aten/core/device_runtime.h"
#include "aten/core/generator.h"
#include "aten/core/parallel.h"
#include "aten/kernels/pointwise.h"
#include "aten/native_functions.h"

namespace tnp::native {

// The parameters as float64, and how each is read for element i of the row-major result.
class Broadcast {
 public:
  Broadcast(TensorList parameters, ScalarType dtype, OptIntList size) {
    for (const Tensor& p : parameters) {
      TNP_CHECK(dtype != ScalarType::Float64 || !p.is_complex(), ErrorKind::Type,
                "complex parameters are not accepted");
      values_.push_back(to_dtype(p, dtype));
      shape_ = broadcast_shapes(shape_, p.sizes());
    }
    if (size) {
      numel_of(*size);
      DimVector both = broadcast_shapes(*size, shape_);
      TNP_CHECK(IntList(both) == *size, ErrorKind::Value, "Output size ", *size,
                " is not compatible with broadcast dimensions of inputs ", IntList(shape_), ".");
      shape_ = *size;
    }
    scalar_ = std::all_of(values_.begin(), values_.end(), [](const Tensor& t) { return t.numel() == 1; });
    for (const Tensor& t : values_) {
      DimVector strides(shape_.size());
      size_t lead = shape_.size() - t.sizes().size();
      for (size_t d = lead; d < shape_.size(); ++d) {
        strides[d] = t.sizes()[d - lead] == 1 ? 0 : t.strides()[d - lead];
      }
      strides_.push_back(strides);
    }
  }
  IntList shape() const { return shape_; }
  bool scalar() const { return scalar_; }
  size_t count() const { return values_.size(); }
  const Tensor& value(size_t i) const { return values_[i]; }
  // Calls f(i, element offsets) for each element of the result in row-major order.
  template <class F>
  void for_each(F&& f) const {
    DimVector index(shape_.size()), offsets(values_.size());
    const int64_t n = numel_of(shape_);
    for (int64_t i = 0; i < n; ++i) {
      f(i, offsets.data());
      for (size_t d = shape_.size(); d-- > 0;) {
        bool wraps = ++index[d] == shape_[d];
        for (size_t k = 0; k < values_.size(); ++k)
          offsets[k] += wraps ? -strides_[k][d] * (shape_[d] - 1) : strides_[k][d];
        if (!wraps) break;
        index[d] = 0;
      }
    }
  }

 private:
  static Tensor to_dtype(const Tensor& t, ScalarType dtype) {
    Tensor dense = empty_tensor(t.sizes(), dtype);
    if (t.numel() > 0) copy_into(dense, t);
    return dense;
  }
  std::vector<Tensor> values_;
  std::vector<DimVector> strides_;
  DimVector shape_;
  bool scalar_ = true;
};

// Where the result goes: where the caller says, to a GPU that parameters are on, or to the default device.
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

// The generator to draw from, its lock, and what lets other threads run while many numbers are drawn. Members are
// destroyed in the reverse order: whoever waits for the lock may hold the front end's.
class Drawing {
 public:
  Drawing(Generator* g, int64_t numbers, Device device) : device_(device) {
    if (!device.is_cpu()) runtime_of(device);  // raises where there is none
    generator_ = intrusive_ptr<Generator>(g ? g : &default_generator(device));
    if (numbers > 10'000 && generator_->bits->kind() != BitGenerator::Kind::Foreign) long_work_.emplace();
    lock_ = generator_->bits->lock();
  }
  Generator& generator() { return *generator_; }
  // Where kernels draw. Note [Random numbers on devices].
  Device place() const { return generator_->bits->kind() == BitGenerator::Kind::Philox ? device_ : Device{}; }

 private:
  Device device_;
  intrusive_ptr<Generator> generator_;
  std::optional<LongWork> long_work_;
  std::unique_lock<std::mutex> lock_;
};

// Numbers of a distribution that is a function of base draws, drawn and computed at `place`, a device that draws;
// undefined if there is no such function.
Tensor draw_by_operators(std::string_view distribution, const Broadcast& parameters, Generator& g, Device place);

}  // namespace tnp::native
