// Matrix products with one thread per element of the result, for dtypes that cuBLAS does not
// support.
#include "aten/cuda/launch.h"
#include "aten/kernels/cuda/atomic_add.h"
#include "aten/kernels/cuda/linalg/blas.h"

namespace tnp::gpu {

namespace {

template <class T>
struct Product {
  static constexpr uint32_t kThreads = 256;
  const T *a, *b;
  T* out;
  int64_t a_row, a_col, a_step, b_row, b_col, b_step, out_step, m, n, k, total;
  TNP_HOST_DEVICE void run(Place place) const {
    const int64_t i = static_cast<int64_t>(place.block) * kThreads + place.thread;
    if (i >= total) return;
    const int64_t col = i % n, row = i / n % m, matrix = i / n / m;
    const T *x = a + matrix * a_step + row * a_row, *y = b + matrix * b_step + col * b_col;
    T sum = T(0);
    for (int64_t j = 0; j < k; ++j, x += a_col, y += b_row) {
      if constexpr (std::is_same_v<T, bool>)
        sum = sum || (load(x) && load(y));
      else if constexpr (std::is_integral_v<T>)
        sum = sum_of(sum, static_cast<T>(static_cast<uint64_t>(*x) * static_cast<uint64_t>(*y)));
      else
        sum = sum + *x * *y;
    }
    out[matrix * out_step + row * n + col] = sum;
  }
  TNP_HOST_DEVICE static bool load(const T* p) { return *reinterpret_cast<const stored_t<T>*>(p) != stored_t<T>(0); }
};

}  // namespace

void multiply_elements(const MatrixProduct& p, Device device) {
  auto rows = [](const MatrixStack& s) { return s.transposed ? 1 : s.leading; };
  auto cols = [](const MatrixStack& s) { return s.transposed ? s.leading : 1; };
  const int64_t total = p.count * p.m * p.n;
  visit<ComputeTypes>(p.dtype, [&]<class T>() {
    using Kernel = Product<T>;
    const int64_t blocks = (total + Kernel::kThreads - 1) / Kernel::kThreads;
    TNP_CHECK(blocks <= kMaxBlocks, ErrorKind::NotImplemented, "a product of ", total, " elements of ", p.dtype, " on ",
              device, " is not implemented");
    launch(Kernel{static_cast<const T*>(p.a.data), static_cast<const T*>(p.b.data), static_cast<T*>(p.out), rows(p.a),
                  cols(p.a), p.a.step, rows(p.b), cols(p.b), p.b.step, p.out_step, p.m, p.n, p.k, total},
           static_cast<uint32_t>(blocks), device);
  });
}

}  // namespace tnp::gpu
