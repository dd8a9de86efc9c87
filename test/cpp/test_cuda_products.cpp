// Calls of the library of products: operands are passed in place, and the number of calls is
// minimal.
#include <gtest/gtest.h>

#include <vector>

#include "aten/core/devices/device_runtime.h"
#include "aten/functions.h"
#include "aten/kernels/cuda/linalg/blas_emulated.h"

extern "C" void torch_np_register_cuda();  // aten/cuda/library/runtime.cpp

namespace tnp::gpu {
namespace {

constexpr Device kGpu{DeviceType::CUDA, 0};

class CudaProducts : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (!loaded_device_runtime()) torch_np_register_cuda();
  }
  static Tensor on_gpu(IntList sizes, ScalarType dtype = ScalarType::Float32) {
    const Tensor numbers = tnp::reshape(tnp::arange(Scalar(numel_of(sizes)), ScalarType::Int64), sizes);
    return tnp::to(tnp::cast(numbers, dtype), std::optional(kGpu));
  }
  // Multiplies, compares with the CPU, and returns the number and the arguments of library calls.
  static emulation::ProductsAsked multiply(const Tensor& a, const Tensor& b) {
    emulation::products_asked() = {};
    const Tensor out = tnp::matmul(a, b);
    const emulation::ProductsAsked asked = emulation::products_asked();
    auto on_cpu = [](const Tensor& t) { return tnp::to(t, std::optional(Device())); };
    const Tensor got = on_cpu(out), expected = tnp::matmul(on_cpu(a), on_cpu(b));
    EXPECT_EQ(DimVector(got.sizes()), DimVector(expected.sizes()));
    EXPECT_TRUE(tnp::all(tnp::eq(got, expected), std::nullopt, false).item<bool>());
    return asked;
  }
};

TEST_F(CudaProducts, ReadTransposedOperandsWhereTheyLie) {
  const Tensor a = on_gpu({6, 4}), b = on_gpu({5, 4}), rows = on_gpu({12, 8});
  auto asked = multiply(a, tnp::transpose(b, 0, 1));
  EXPECT_EQ(asked.last.a.data, a.address());
  EXPECT_EQ(asked.last.b.data, b.address());
  EXPECT_FALSE(asked.last.a.transposed);
  EXPECT_TRUE(asked.last.b.transposed);
  EXPECT_EQ(asked.last.b.leading, 4);
  const Tensor part = tnp::narrow(tnp::slice(rows, 0, 0, 6, 2), 1, 2, 4);  // every second row, columns 2 to 5
  asked = multiply(part, tnp::transpose(part, 0, 1));
  EXPECT_EQ(asked.last.a.data, part.address());
  EXPECT_EQ(asked.last.a.leading, 16);
  EXPECT_EQ(asked.last.b.data, part.address());
}

TEST_F(CudaProducts, RepeatedMatricesHaveSteps0) {
  const Tensor a = on_gpu({3, 2, 4}), b = on_gpu({4, 5});
  auto asked = multiply(b, on_gpu({7, 5, 2}));
  EXPECT_EQ(asked.count, 1);
  EXPECT_EQ(asked.last.count, 7);
  EXPECT_EQ(asked.last.a.step, 0);
  EXPECT_EQ(asked.last.a.data, b.address());
  asked = multiply(tnp::expand(tnp::unsqueeze(b, 0), {7, 4, 5}), on_gpu({7, 5, 2}));
  EXPECT_EQ(asked.last.a.step, 0);
  EXPECT_EQ(asked.last.a.data, b.address());
  asked = multiply(a, b);  // one matrix for many: as a single product with more rows
  EXPECT_EQ(asked.last.count, 1);
  EXPECT_EQ(asked.last.m, 6);
}

TEST_F(CudaProducts, StacksThatBroadcastAgainstEachOtherAreNotCopied) {
  const Tensor a = on_gpu({2, 1, 3, 4}), b = on_gpu({1, 5, 4, 6});
  const auto asked = multiply(a, b);
  EXPECT_EQ(asked.count, 2);
  EXPECT_EQ(asked.last.count, 5);
  EXPECT_EQ(asked.last.a.step, 0);
  EXPECT_EQ(asked.last.b.data, b.address());
  // too many calls otherwise, so they are copied
  const Tensor many = on_gpu({70, 1, 2, 2}), others = on_gpu({1, 80, 2, 2});
  EXPECT_EQ(multiply(many, others).count, 1);
}

TEST_F(CudaProducts, OfEveryLayoutAreRight) {
  const Tensor base = on_gpu({2, 3, 4, 4});
  std::vector<Tensor> operands{base,
                               tnp::transpose(base, 2, 3),
                               tnp::transpose(base, 0, 1),
                               tnp::flip_view(base, IntList{2}),
                               tnp::flip_view(base, IntList{0}),
                               tnp::slice(base, 1, 0, 1, 1),
                               tnp::select(base, 0, 1),
                               tnp::select(tnp::select(base, 0, 1), 0, 2),
                               tnp::expand(tnp::slice(base, 2, 0, 1, 1), {2, 3, 4, 4})};
  for (const Tensor& a : operands) {
    for (const Tensor& b : operands) {
      const bool fit = a.dim() < 4 || b.dim() < 4 ||
                       (a.size(0) == b.size(0) && (a.size(1) == b.size(1) || a.size(1) == 1 || b.size(1) == 1));
      if (fit && !(a.dim() == 3 && b.dim() == 4 && b.size(1) == 2) && !(b.dim() == 3 && a.dim() == 4 && a.size(1) == 2))
        multiply(a, b);
    }
  }
  // rows of a stack, one from each matrix
  multiply(tnp::select(base, 2, 0), tnp::select(tnp::select(base, 0, 1), 0, 1));
  multiply(on_gpu({4, 1, 3}), on_gpu({3, 2}));
  multiply(tnp::slice(on_gpu({8, 1, 3}), 0, 0, 4, 2), on_gpu({3, 2}));
  multiply(on_gpu({3, 4}, ScalarType::Float16), on_gpu({2, 4, 2}, ScalarType::Float16));
  multiply(on_gpu({3, 4}, ScalarType::Int32), tnp::transpose(on_gpu({2, 4}, ScalarType::Int32), 0, 1));
}

TEST_F(CudaProducts, AreToldOfThePrecision) {
  const Tensor a = on_gpu({4, 4});
  EXPECT_EQ(float32_matmul_precision(), Float32MatmulPrecision::Highest);
  EXPECT_EQ(multiply(a, a).last.precision, Float32MatmulPrecision::Highest);
  for (Float32MatmulPrecision precision :
       {Float32MatmulPrecision::High, Float32MatmulPrecision::Medium, Float32MatmulPrecision::Highest}) {
    set_float32_matmul_precision(precision);
    EXPECT_EQ(multiply(a, a).last.precision, precision);
  }
}

}  // namespace
}  // namespace tnp::gpu
