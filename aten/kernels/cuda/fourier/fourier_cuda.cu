// cuFFT, opened at the first transform.
//
// Note [cuFFT plans] A plan owns its twiddle factor tables, on the device where the plan was
// created. For each transform, the plan gets its workspace from the caching allocator, so that
// consecutive plans share memory. A plan has one stream and one workspace at a time; a mutex is
// held until its launches are queued.
#include <cufftXt.h>

#include <algorithm>
#include <mutex>

#include "aten/core/tensor.h"
#include "aten/cuda/streams.h"
#include "aten/kernels/cuda/fourier/fourier.h"
#include "aten/kernels/cuda/shared_library.h"

namespace tnp::gpu {

namespace {

struct Library {
  decltype(&cufftCreate) create;
  decltype(&cufftDestroy) destroy;
  decltype(&cufftSetAutoAllocation) set_auto_allocation;
  decltype(&cufftXtMakePlanMany) make_plan;
  decltype(&cufftSetStream) set_stream;
  decltype(&cufftSetWorkArea) set_work_area;
  decltype(&cufftXtExec) run;
};

const Library& library() {
  static const Library loaded = [] {
    const SharedLibrary l("cuFFT", {"libcufft.so." TNP_STRING(CUFFT_VER_MAJOR), "libcufft.so"});
    return Library{l.get<decltype(&cufftCreate)>("cufftCreate"),
                   l.get<decltype(&cufftDestroy)>("cufftDestroy"),
                   l.get<decltype(&cufftSetAutoAllocation)>("cufftSetAutoAllocation"),
                   l.get<decltype(&cufftXtMakePlanMany)>("cufftXtMakePlanMany"),
                   l.get<decltype(&cufftSetStream)>("cufftSetStream"),
                   l.get<decltype(&cufftSetWorkArea)>("cufftSetWorkArea"),
                   l.get<decltype(&cufftXtExec)>("cufftXtExec")};
  }();
  return loaded;
}

// cuFFT has no function that returns an error's text.
const char* message(cufftResult result) {
  switch (result) {
    case CUFFT_INVALID_PLAN:
      return "the plan is invalid";
    case CUFFT_ALLOC_FAILED:
      return "out of memory for a plan";
    case CUFFT_INVALID_TYPE:
      return "it does not know the dtype";
    case CUFFT_INVALID_VALUE:
      return "an address or a parameter is invalid";
    case CUFFT_INTERNAL_ERROR:
      return "the driver failed";
    case CUFFT_EXEC_FAILED:
      return "the transform could not be launched";
    case CUFFT_SETUP_FAILED:
      return "the library could not be started";
    case CUFFT_INVALID_SIZE:
      return "it does not know transforms of this size";
    case CUFFT_INVALID_DEVICE:
      return "the plan is of another device";
    case CUFFT_NO_WORKSPACE:
      return "the plan has no workspace";
    case CUFFT_NOT_IMPLEMENTED:
    case CUFFT_NOT_SUPPORTED:
      return "it does not know these parameters";
    default:
      return "an error";
  }
}

void check(cufftResult result, const char* what) {
  TNP_CHECK(result == CUFFT_SUCCESS, result == CUFFT_ALLOC_FAILED ? ErrorKind::Memory : ErrorKind::Runtime,
            "cuFFT: ", what, ": ", message(result), " (", static_cast<int64_t>(result), ")");
}

class CufftPlan final : public FourierPlan {
 public:
  CufftPlan(const FourierLayout& layout, Device device) : device_(device) {
    DeviceGuard guard(device.index);
    cufftResult result = make(layout);
    // Plans allocate memory from the driver. The caching allocator may hold all of it, so its cache
    // is emptied.
    if (result == CUFFT_ALLOC_FAILED) {
      runtime_of(device).empty_cache();
      result = make(layout);
    }
    if (result != CUFFT_SUCCESS) destroy();
    check(result, "making a plan");
  }
  ~CufftPlan() override {
    try {
      DeviceGuard guard(device_.index);
      destroy();
    } catch (...) {  // the driver failed; the plan leaks
    }
  }

  void run(bool forward, void* in, void* out) override {
    DeviceGuard guard(device_.index);
    const Tensor work =
        empty_tensor({std::max<int64_t>(static_cast<int64_t>(work_bytes_), 1)}, ScalarType::UInt8, device_);
    const auto stream = reinterpret_cast<cudaStream_t>(current_stream(device_.index));
    // A graph would still use the addresses of the plan's tables after the plan is evicted.
    cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
    if (stream && cudaStreamIsCapturing(stream, &capture) != cudaSuccess) cudaGetLastError();
    TNP_CHECK(capture == cudaStreamCaptureStatusNone, ErrorKind::Runtime,
              "cuFFT: a transform cannot be part of a graph");
    std::lock_guard lock(mutex_);
    check(library().set_stream(handle_, stream), "stream");
    check(library().set_work_area(handle_, work.address()), "workspace");
    check(library().run(handle_, in, out, forward ? CUFFT_FORWARD : CUFFT_INVERSE), "transform");
  }

 private:
  cufftResult make(const FourierLayout& l) {
    destroy();
    cufftResult result = library().create(&handle_);
    if (result != CUFFT_SUCCESS) return result;
    exists_ = true;
    result = library().set_auto_allocation(handle_, 0);
    if (result != CUFFT_SUCCESS) return result;
    const cudaDataType real = l.double_precision ? CUDA_R_64F : CUDA_R_32F,
                       complex = l.double_precision ? CUDA_C_64F : CUDA_C_32F;
    long long n = l.n;
    // For a single axis, cuFFT ignores the values of these embedding sizes. But if they were null,
    // it would ignore the strides.
    long long around_in = l.kind == Fourier::ComplexToReal ? l.n / 2 + 1 : l.n,
              around_out = l.kind == Fourier::RealToComplex ? l.n / 2 + 1 : l.n;
    return library().make_plan(handle_, 1, &n, &around_in, l.stride_in, l.distance_in,
                               l.kind == Fourier::RealToComplex ? real : complex, &around_out, l.stride_out,
                               l.distance_out, l.kind == Fourier::ComplexToReal ? real : complex, l.lines, &work_bytes_,
                               complex);
  }
  void destroy() {
    if (exists_) library().destroy(handle_);
    exists_ = false;
  }

  Device device_;
  cufftHandle handle_ = 0;
  bool exists_ = false;
  size_t work_bytes_ = 0;
  std::mutex mutex_;
};

}  // namespace

std::shared_ptr<FourierPlan> make_fourier_plan(const FourierLayout& layout, Device device) {
  return std::make_shared<CufftPlan>(layout, device);
}

}  // namespace tnp::gpu
