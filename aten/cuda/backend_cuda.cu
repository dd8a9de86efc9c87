// Backend of real GPUs: the CUDA runtime.
#include <cuda_runtime.h>

#include "aten/core/threads/fork.h"
#include "aten/cuda/backend.h"

namespace tnp::gpu::backend {

namespace {

void check(cudaError_t status, const char* what) {
  if (TNP_LIKELY(status == cudaSuccess)) return;
  cudaGetLastError();  // clears the error, so that the next call does not report it again
  TNP_CHECK(status != cudaErrorInitializationError || fork_count() == 0, ErrorKind::Runtime, "CUDA: ", what,
            ": this process was forked from one that may have used the GPU, so it cannot use the GPU; start it with "
            "multiprocessing.get_context('spawn')");
  TNP_RAISE(ErrorKind::Runtime, "CUDA: ", what, ": ", cudaGetErrorString(status), " (", cudaGetErrorName(status), ")");
}

cudaStream_t stream_of(StreamHandle s) { return reinterpret_cast<cudaStream_t>(s); }
cudaEvent_t event_of(EventHandle e) { return reinterpret_cast<cudaEvent_t>(e); }

bool is_ready(cudaError_t status, const char* what) {
  if (status == cudaErrorNotReady) {
    cudaGetLastError();
    return false;
  }
  check(status, what);
  return true;
}

}  // namespace

int device_count() {
  int n = 0;
  if (cudaGetDeviceCount(&n) != cudaSuccess) {
    cudaGetLastError();
    return 0;
  }
  return n < 128 ? n : 127;
}

DeviceProperties properties(int device) {
  cudaDeviceProp p;
  check(cudaGetDeviceProperties(&p, device), "properties of a device");
  return {p.name, p.totalGlobalMem, p.major, p.minor, p.multiProcessorCount};
}

int current_device() {
  int device = 0;
  check(cudaGetDevice(&device), "current device");
  return device;
}
void set_current_device(int device) { check(cudaSetDevice(device), "choosing a device"); }
void synchronize_device() { check(cudaDeviceSynchronize(), "waiting for a device"); }

void* allocate(size_t bytes) {
  void* data = nullptr;
  cudaError_t status = cudaMalloc(&data, bytes);
  if (status == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    return nullptr;
  }
  check(status, "allocation");
  return data;
}
void free(void* data) noexcept {
  // At exit the driver may have been unloaded already.
  if (cudaFree(data) != cudaSuccess) cudaGetLastError();
}
void memory_info(size_t& free, size_t& total) { check(cudaMemGetInfo(&free, &total), "size of memory"); }

void* allocate_host(size_t bytes) {
  void* data = nullptr;
  cudaError_t status = cudaHostAlloc(&data, bytes, cudaHostAllocDefault);
  if (status == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    return nullptr;
  }
  check(status, "allocation of pinned memory");
  return data;
}
void free_host(void* data) noexcept {
  if (cudaFreeHost(data) != cudaSuccess) cudaGetLastError();
}

void copy(void* to, const void* from, size_t bytes, Copy kind, StreamHandle stream) {
  if (kind != Copy::WithinDevice && stream != 0) {
    // A graph would store the host's address. When the graph is launched, other data may be there.
    cudaStreamCaptureStatus status;
    check(cudaStreamIsCapturing(stream_of(stream), &status), "state of a stream");
    TNP_CHECK(status == cudaStreamCaptureStatusNone, ErrorKind::Runtime,
              "CUDA: a copy from or to the host cannot be part of a graph");
  }
  cudaMemcpyKind direction = kind == Copy::HostToDevice   ? cudaMemcpyHostToDevice
                             : kind == Copy::DeviceToHost ? cudaMemcpyDeviceToHost
                                                          : cudaMemcpyDeviceToDevice;
  check(cudaMemcpyAsync(to, from, bytes, direction, stream_of(stream)), "copy");
}
void copy_between(void* to, int to_device, const void* from, int from_device, size_t bytes, StreamHandle stream) {
  check(cudaMemcpyPeerAsync(to, to_device, from, from_device, bytes, stream_of(stream)), "copy between devices");
}
void check_launch() { check(cudaGetLastError(), "launch"); }

StreamHandle new_stream(int priority) {
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, priority), "new stream");
  return reinterpret_cast<StreamHandle>(stream);
}
void delete_stream(StreamHandle stream) noexcept {
  if (cudaStreamDestroy(stream_of(stream)) != cudaSuccess) cudaGetLastError();
}
bool is_done(StreamHandle stream) { return is_ready(cudaStreamQuery(stream_of(stream)), "state of a stream"); }
void synchronize(StreamHandle stream) { check(cudaStreamSynchronize(stream_of(stream)), "waiting for a stream"); }

EventHandle new_event(bool timing) {
  cudaEvent_t event = nullptr;
  check(cudaEventCreateWithFlags(&event, timing ? cudaEventDefault : cudaEventDisableTiming), "new event");
  return reinterpret_cast<EventHandle>(event);
}
void delete_event(EventHandle event) noexcept {
  if (cudaEventDestroy(event_of(event)) != cudaSuccess) cudaGetLastError();
}
void record(EventHandle event, StreamHandle stream) {
  check(cudaEventRecord(event_of(event), stream_of(stream)), "recording an event");
}
void wait(StreamHandle stream, EventHandle event) {
  check(cudaStreamWaitEvent(stream_of(stream), event_of(event), 0), "waiting for an event");
}
bool event_is_done(EventHandle event) { return is_ready(cudaEventQuery(event_of(event)), "state of an event"); }
void synchronize_event(EventHandle event) { check(cudaEventSynchronize(event_of(event)), "waiting for an event"); }
double elapsed_milliseconds(EventHandle begin, EventHandle end) {
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, event_of(begin), event_of(end)), "time between events");
  return milliseconds;
}

// Relaxed mode: the allocator may call cudaMalloc during the capture.
void begin_capture(StreamHandle stream) {
  check(cudaStreamBeginCapture(stream_of(stream), cudaStreamCaptureModeRelaxed), "capture of a graph");
}
GraphHandle end_capture(StreamHandle stream) noexcept {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  if (cudaStreamEndCapture(stream_of(stream), &graph) != cudaSuccess || !graph ||
      cudaGraphInstantiate(&executable, graph, 0) != cudaSuccess) {
    cudaGetLastError();
    executable = nullptr;
  }
  if (graph) cudaGraphDestroy(graph);
  return reinterpret_cast<GraphHandle>(executable);
}
void launch_graph(GraphHandle graph, StreamHandle stream) {
  check(cudaGraphLaunch(reinterpret_cast<cudaGraphExec_t>(graph), stream_of(stream)), "launch of a graph");
}
void delete_graph(GraphHandle graph) noexcept {
  if (graph && cudaGraphExecDestroy(reinterpret_cast<cudaGraphExec_t>(graph)) != cudaSuccess) cudaGetLastError();
}

}  // namespace tnp::gpu::backend
