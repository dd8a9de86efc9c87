#include "aten/kernels/cuda/linalg.h"

#include "aten/iterator/copy.h"
#include "aten/kernels/cuda/grid_stride.h"

namespace tnp::gpu {

namespace {

template <class T>
struct KeepTriangle {
  static constexpr uint32_t kThreads = kGridStrideThreads;
  T* matrices;
  int64_t rows, cols, total;
  bool upper;
  TNP_HOST_DEVICE void run(Place place) const {
    grid_stride_loop(place, total, [this](int64_t i) {
      const int64_t c = i % cols, r = i / cols % rows;
      if (upper ? c < r : c > r) matrices[i] = T(0);
    });
  }
};

// Of the numbers that complex ones are made of, too. All that find one write the same.
template <class T>
struct FindNotFinite {
  static constexpr uint32_t kThreads = kGridStrideThreads;
  const T* x;
  int64_t count;
  int32_t* found;
  TNP_HOST_DEVICE void run(Place place) const {
    grid_stride_loop(place, count, [this](int64_t i) {
      if (!(x[i] - x[i] == T(0))) *found = 1;
    });
  }
};

}  // namespace

void keep_triangle(const Tensor& t, bool upper) {
  visit<native::BlasTypes>(t.dtype(), [&]<class T>() {
    launch(KeepTriangle<T>{reinterpret_cast<T*>(t.address()), t.size(-2), t.size(-1), t.numel(), upper},
           grid_stride_blocks(t.numel()), t.device());
  });
}

void check_info(const Tensor& info, const char* message, ErrorKind kind) {
  const Tensor host = empty_tensor(info.sizes(), info.dtype());
  copy_across(host, info, false);
  const int32_t* values = host.data_ptr<int32_t>();
  for (int64_t i = 0; i < host.numel(); ++i) TNP_CHECK(values[i] == 0, kind, message);
}

void check_finite(const Tensor& t, const char* message, ErrorKind kind) {
  const Tensor found = empty_tensor({1}, ScalarType::Int32, t.device());
  fill_with(found, Scalar(0));
  const int64_t count = t.is_complex() ? 2 * t.numel() : t.numel();
  visit<FloatTypes>(to_real(t.dtype()), [&]<class T>() {
    launch(
        FindNotFinite<T>{reinterpret_cast<const T*>(t.address()), count, reinterpret_cast<int32_t*>(found.address())},
        grid_stride_blocks(count), t.device());
  });
  check_info(found, message, kind);
}

}  // namespace tnp::gpu
