#include "aten/kernels/cpu/linalg/same_products.h"

#include <cstring>

#include "aten/kernel_functions/products.h"

namespace tnp::native {

Tensor random_operand(const Tensor& geometry, uint64_t seed) {
  const Tensor t = empty_strided_tensor(geometry.sizes(), geometry.strides(), geometry.dtype());
  uint64_t state = seed;
  const auto fill = [&]<class T>(T* x) {
    for (int64_t i = 0; i < t.size(0); ++i)
      for (int64_t j = 0; j < t.size(1); ++j) {
        state = state * 6364136223846793005u + 1442695040888963407u;  // constants of Knuth's MMIX
        x[i * t.stride(0) + j * t.stride(1)] = static_cast<T>(static_cast<double>(state >> 11) * 0x1p-52 - 1.0);
      }
  };
  t.dtype() == ScalarType::Float32 ? fill(t.data_ptr<float>()) : fill(t.data_ptr<double>());
  return t;
}

bool has_same_bits(const Tensor& input, const Tensor& other,
                   function_ref<void(const Tensor&, const Tensor&, const Tensor&)> multiply) {
  constexpr uint64_t kDraws = 2;
  const DimVector sizes{input.size(0), other.size(1)};
  const Tensor expected = empty_tensor(sizes, input.dtype()), got = empty_tensor(sizes, input.dtype());
  for (uint64_t draw = 0; draw < kDraws; ++draw) {
    const Tensor a = random_operand(input, 1 + 2 * draw), b = random_operand(other, 2 + 2 * draw);
    matmul_cpu(a, b, expected);
    multiply(a, b, got);
    if (std::memcmp(got.data(), expected.data(), static_cast<size_t>(expected.numel() * expected.itemsize())) != 0)
      return false;
  }
  return true;
}

}  // namespace tnp::native
