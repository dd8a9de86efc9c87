#include "aten/kernels/planned_product.h"

#include "aten/kernels/blas.h"
#include "aten/kernels/cpu/linalg/matmul_one.h"
#include "aten/kernels/cpu/linalg/same_products.h"

namespace tnp::native {

std::optional<PlannedProduct> PlannedProduct::of(const Tensor& input, const Tensor& other) {
  const bool is_real = input.dtype() == ScalarType::Float32 || input.dtype() == ScalarType::Float64;
  if (!is_real || other.dtype() != input.dtype() || input.dim() != 2 || other.dim() != 2) return {};
  const auto is_readable = [](const Tensor& t) { return readable(t.size(0), t.size(1), t.stride(0), t.stride(1)); };
  if (!is_readable(input) || !is_readable(other)) return {};
  PlannedProduct p;
  p.dtype_ = input.dtype();
  p.m_ = input.size(0);
  p.k_ = input.size(1);
  p.n_ = other.size(1);
  if (p.work() == 0) return {};
  for (int d = 0; d < 2; ++d) {
    p.input_strides_[d] = input.stride(d);
    p.other_strides_[d] = other.stride(d);
  }
  return p;
}

template <class T>
bool PlannedProduct::run_as(const char* input, const char* other, char* out, bool is_watched) const {
  const Matrix<T> a{reinterpret_cast<const T*>(input), m_, k_, input_strides_[0], input_strides_[1]};
  const Matrix<T> b{reinterpret_cast<const T*>(other), k_, n_, other_strides_[0], other_strides_[1]};
  return multiply_one(a, b, reinterpret_cast<T*>(out), is_watched);
}

bool PlannedProduct::run(const char* input, const char* other, char* out, bool is_watched) const {
  return dtype_ == ScalarType::Float32 ? run_as<float>(input, other, out, is_watched)
                                       : run_as<double>(input, other, out, is_watched);
}

bool PlannedProduct::is_share(const Tensor& input, const Tensor& other) const {
  // Measured on an Intel Xeon (family 6, model 207): a second thread saves no time for four
  // products of 2^17 multiplications, and a fifth of the time for 2^19. The results of the second
  // thread must be fetched from the other core's cache.
  constexpr int64_t kLeast = 1 << 18;
  if (m_ < 2 || n_ < 2 || work() < kLeast || work() >= kWorkOfOne) return false;
  const auto has_threads = [&]<class T>(T) {
    return !blas::prefers_loops<T>(m_, n_, k_) && blas::library_for<T>(blas::Work::Product, work()).has_threads();
  };
  return !(dtype_ == ScalarType::Float32 ? has_threads(float()) : has_threads(double())) ||
         has_same_bits(input, other, [&](const Tensor& a, const Tensor& b, const Tensor& out) {
           run_alone(a.data(), b.data(), out.data());
         });
}

bool PlannedProduct::is_shared() const {
  const bool by_loops =
      dtype_ == ScalarType::Float32 ? blas::prefers_loops<float>(m_, n_, k_) : blas::prefers_loops<double>(m_, n_, k_);
  return by_loops ? work() >= kWorkOfOne : work() > kWorkOfOne;
}

}  // namespace tnp::native
