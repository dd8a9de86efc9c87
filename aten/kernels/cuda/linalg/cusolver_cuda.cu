#include "aten/kernels/cuda/linalg/cusolver.h"

#include <algorithm>

#include "aten/cuda/backend.h"
#include "aten/kernels/cuda/grid_stride.h"
#include "aten/kernels/cuda/handle_pool.h"

namespace tnp::gpu::solver {

const SharedLibrary& cusolver() {
  static const SharedLibrary library("cuSOLVER", {"libcusolver.so." TNP_STRING(CUSOLVER_VER_MAJOR), "libcusolver.so"});
  return library;
}

namespace {

const char* status_text(cusolverStatus_t status) {  // the library has no such function
  switch (status) {
    case CUSOLVER_STATUS_NOT_INITIALIZED:
      return "not initialized";
    case CUSOLVER_STATUS_ALLOC_FAILED:
      return "out of memory";
    case CUSOLVER_STATUS_INVALID_VALUE:
      return "invalid value";
    case CUSOLVER_STATUS_ARCH_MISMATCH:
      return "this GPU is not supported";
    case CUSOLVER_STATUS_EXECUTION_FAILED:
      return "execution failed";
    case CUSOLVER_STATUS_INTERNAL_ERROR:
      return "internal error";
    case CUSOLVER_STATUS_MATRIX_TYPE_NOT_SUPPORTED:
      return "matrix type not supported";
    case CUSOLVER_STATUS_NOT_SUPPORTED:
      return "not supported";
    case CUSOLVER_STATUS_INVALID_WORKSPACE:
      return "invalid workspace";
    default:
      return "failed";
  }
}

struct Handles {
  cusolverDnHandle_t handle = nullptr;
  cusolverDnParams_t params = nullptr;
};

struct Addresses {
  static constexpr uint32_t kThreads = kGridStrideThreads;
  char* first;
  int64_t step, count;
  char** out;
  TNP_HOST_DEVICE void run(Place place) const {
    grid_stride_loop(place, count, [this](int64_t i) { out[i] = first + i * step; });
  }
};

}  // namespace

void check(cusolverStatus_t status, const char* what) {
  TNP_CHECK(status == CUSOLVER_STATUS_SUCCESS,
            status == CUSOLVER_STATUS_ALLOC_FAILED ? ErrorKind::Memory : ErrorKind::Runtime, "cuSOLVER: ", what, ": ",
            status_text(status), " (status ", static_cast<int>(status), ")");
}

CusolverScope::CusolverScope(Device device) : guard_(device.index) {
  const Handles own = HandlePool<Handles>::of(device.index, [] {
    Handles made;
    check(TNP_CUSOLVER(cusolverDnCreate)(&made.handle), "start");
    check(TNP_CUSOLVER(cusolverDnCreateParams)(&made.params), "start");
    return made;
  });
  check(TNP_CUSOLVER(cusolverDnSetStream)(own.handle, reinterpret_cast<cudaStream_t>(current_stream(device.index))),
        "stream");
  handle_ = own.handle;
  params_ = own.params;
}

Workspace::Workspace(Device device, size_t on_device, size_t on_host)
    : device_bytes(on_device),
      host_bytes(on_host),
      device_(device),
      on_device_(empty_tensor({static_cast<int64_t>(std::max<size_t>(on_device, 1))}, ScalarType::UInt8, device)),
      on_host_(on_host > 0 ? new char[on_host] : nullptr) {}

Workspace::~Workspace() {
  if (!on_host_) return;
  try {
    DeviceGuard guard(device_.index);
    backend::synchronize(current_stream(device_.index));
  } catch (const Error&) {
    // Ignores the error. If the device is broken, the next call raises.
  }
}

Tensor addresses_of(const Tensor& stack) {
  const int64_t count = stack.size(0);
  Tensor out = empty_tensor({count}, ScalarType::Int64, stack.device());
  launch(Addresses{stack.address(), stack.numel() / count * stack.itemsize(), count,
                   reinterpret_cast<char**>(out.address())},
         grid_stride_blocks(count), stack.device());
  return out;
}

}  // namespace tnp::gpu::solver
