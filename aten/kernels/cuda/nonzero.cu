// The places of elements that are not zero: each one's number among them is a running sum, and where it goes.
#include "aten/functions.h"
#include "aten/kernels/cuda/launch.h"
#include "aten/native_functions.h"

namespace tnp {

namespace gpu {
namespace {

constexpr int kAxes = kMaxDims;

struct Places {
  static constexpr uint32_t kThreads = 256;
  const uint8_t* mask;
  const int64_t* numbers;  // running sums of the mask
  int64_t* rows;           // (axes, count)
  int64_t numel, count;
  int32_t axes;
  int64_t sizes[kAxes];
  TNP_HOST_DEVICE void run(Place place) const {
    int64_t i = static_cast<int64_t>(place.block) * kThreads + place.thread;
    if (i >= numel || !mask[i]) return;
    const int64_t at = numbers[i] - 1;
    for (int d = axes - 1; d >= 0; --d) {
      const int64_t rest = i / sizes[d];
      rows[d * count + at] = i - rest * sizes[d];
      i = rest;
    }
  }
};

}  // namespace
}  // namespace gpu

// One row for each axis. The count is read on the CPU: how large a result is must be known there.
Tensor native::nonzero_rows_cuda(const Tensor& input) {
  const Tensor mask = tnp::contiguous(tnp::ne(input, wrapped_number(Scalar(0))));
  const int64_t n = mask.numel(), axes = mask.dim();
  if (n == 0) return empty_tensor({axes, 0}, ScalarType::Int64, input.device());
  const Tensor numbers = native::cumsum_cuda(tnp::view(mask, {n}), 0, ScalarType::Int64);
  const int64_t count = tnp::select(numbers, 0, n - 1).item<int64_t>();
  Tensor rows = empty_tensor({axes, count}, ScalarType::Int64, input.device());
  if (rows.numel() == 0) return rows;
  gpu::Places kernel{};
  kernel.mask = reinterpret_cast<const uint8_t*>(mask.address());
  kernel.numbers = reinterpret_cast<const int64_t*>(numbers.address());
  kernel.rows = reinterpret_cast<int64_t*>(rows.address());
  kernel.numel = n;
  kernel.count = count;
  kernel.axes = static_cast<int32_t>(axes);
  for (int64_t d = 0; d < axes; ++d) kernel.sizes[d] = mask.size(d);
  const int64_t blocks = (n + gpu::Places::kThreads - 1) / gpu::Places::kThreads;
  TNP_CHECK(blocks <= gpu::kMaxBlocks, ErrorKind::NotImplemented, "nonzero() of ", n, " elements on ", input.device());
  gpu::launch(kernel, static_cast<uint32_t>(blocks), input.device());
  return rows;
}

}  // namespace tnp
