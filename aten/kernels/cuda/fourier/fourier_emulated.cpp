// Fourier transforms of the emulated device: the CPU's transforms on its memory.
#include "aten/core/tensor.h"
#include "aten/cuda/emulation.h"
#include "aten/kernels/cuda/fourier/fourier.h"

namespace tnp::gpu {

namespace {

// A CPU tensor (lines, points) over the memory at `data`.
Tensor in_host_memory(void* data, ScalarType dtype, int64_t lines, int64_t distance, int64_t points, int64_t stride) {
  const auto bytes = static_cast<size_t>(((lines - 1) * distance + (points - 1) * stride + 1) * element_size(dtype));
  auto storage = make_intrusive<Storage>(data, bytes, Device{}, [] {});
  return Tensor(make_intrusive<TensorImpl>(std::move(storage), dtype, IntList{{lines, points}},
                                           IntList{{distance, stride}}, static_cast<char*>(data)));
}

class EmulatedPlan final : public FourierPlan {
 public:
  explicit EmulatedPlan(const FourierLayout& layout) : layout_(layout) {}

  void run(bool forward, void* in, void* out) override {
    emulation::Access access;
    const FourierLayout& l = layout_;
    const ScalarType real = l.double_precision ? ScalarType::Float64 : ScalarType::Float32, complex = to_complex(real);
    const int64_t half = l.n / 2 + 1;
    const bool from_real = l.kind == Fourier::RealToComplex, to_reals = l.kind == Fourier::ComplexToReal;
    transform_lines(
        l.kind,
        to_reals    ? false
        : from_real ? true
                    : forward,
        1.0, l.n,
        in_host_memory(in, from_real ? real : complex, l.lines, l.distance_in, to_reals ? half : l.n, l.stride_in),
        in_host_memory(out, to_reals ? real : complex, l.lines, l.distance_out, from_real ? half : l.n, l.stride_out),
        1);
  }

 private:
  FourierLayout layout_;
};

}  // namespace

std::shared_ptr<FourierPlan> make_fourier_plan(const FourierLayout& layout, Device) {
  return std::make_shared<EmulatedPlan>(layout);
}

}  // namespace tnp::gpu
