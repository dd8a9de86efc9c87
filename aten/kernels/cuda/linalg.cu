#include "aten/kernels/cuda/linalg.h"

#include "aten/kernels/cuda/launch.h"

namespace tnp::gpu {

namespace {

template <class T>
struct CopyTriangle {
  static constexpr uint32_t kThreads = 256;
  const T* in;
  T* out;
  int64_t step, row_stride, col_stride, rows, cols, total;
  bool upper;
  TNP_HOST_DEVICE void run(Place place) const {
    const int64_t i = static_cast<int64_t>(place.block) * kThreads + place.thread;
    if (i >= total) return;
    const int64_t c = i % cols, r = i / cols % rows, matrix = i / cols / rows;
    out[i] = (upper ? c >= r : c <= r) ? in[matrix * step + r * row_stride + c * col_stride] : T(0);
  }
};

}  // namespace

void copy_triangle(const Tensor& out, const Tensor& in, bool upper) {
  if (out.numel() == 0) return;
  visit<native::BlasTypes>(out.dtype(), [&]<class T>() {
    using Kernel = CopyTriangle<T>;
    const int64_t blocks = (out.numel() + Kernel::kThreads - 1) / Kernel::kThreads;
    TNP_CHECK(blocks <= kMaxBlocks, ErrorKind::NotImplemented, "a triangle of ", out.numel(), " elements on ", out.device());
    launch(Kernel{reinterpret_cast<const T*>(in.address()), reinterpret_cast<T*>(out.address()), in.stride(0), in.stride(1), in.stride(2),
                  out.size(1), out.size(2), out.numel(), upper},
           static_cast<uint32_t>(blocks), out.device());
  });
}

void check_info(const Tensor& info, const char* message) {
  const Tensor host = tnp::to(info, std::optional(Device()));
  const int32_t* values = host.data_ptr<int32_t>();
  for (int64_t i = 0; i < host.numel(); ++i) TNP_CHECK(values[i] == 0, ErrorKind::LinAlg, message);
}

void check_finite(const Tensor& t, const char* message) {
  TNP_CHECK(tnp::all(tnp::isfinite(t)).item<bool>(), ErrorKind::LinAlg, message);
}

}  // namespace tnp::gpu
