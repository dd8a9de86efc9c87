// Kernel launches. A kernel is a struct of plain values with a member function that one thread
// executes. nvcc makes it a __global__ function. Other compilers compile it as two nested loops, so
// that the same kernel runs, and is tested, on a machine without a GPU.
//
// Note [Kernels as structs] Members of a kernel:
//
//   static constexpr uint32_t kThreads;  // number of threads in a block
//   TNP_HOST_DEVICE void run(Place place) const;
//
// and, if the threads of a block cooperate,
//
//   struct Shared;                       // memory that a block shares; not initialised
//   struct Private;                      // state of a thread between phases
//   TNP_HOST_DEVICE int phases() const;  // number of phases; the same for all threads
//   TNP_HOST_DEVICE void run(int phase, Place place, Shared& shared, Private& own) const;
//
// A barrier of the block separates consecutive phases. Within a phase no thread may read a value
// that another thread writes in that phase. The emulation runs a phase thread by thread, forwards
// or backwards (TORCH_NP_CUDA_EMULATED=2), and both directions must give the same result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "aten/core/devices/device.h"
#include "aten/core/macros.h"
#include "aten/cuda/streams.h"

namespace tnp::gpu {

struct Place {
  uint32_t block, blocks, thread;
};

// The largest grid of a launch. Kernels with more work split it, or use grid-stride loops
// (grid_stride.h).
inline constexpr uint32_t kMaxBlocks = 0x7fffffffu;

// Scope of a launch into a device's current stream: makes the device current, and restores the
// previous one.
class LaunchScope {
 public:
  explicit LaunchScope(Device device) : guard_(device.index), stream_(current_stream(device.index)) {}
  void* stream() const { return reinterpret_cast<void*>(stream_); }
  void check() const;  // raises if the launch failed

 private:
  DeviceGuard guard_;
  StreamHandle stream_;
};

template <class K>
concept Cooperative = requires { typename K::Shared; };

#if defined(__CUDACC__)

template <class K>
__global__ void __launch_bounds__(K::kThreads) run_kernel(const __grid_constant__ K kernel) {
  const Place place{blockIdx.x, gridDim.x, threadIdx.x};
  if constexpr (Cooperative<K>) {
    __shared__ alignas(16) unsigned char memory[sizeof(typename K::Shared)];
    auto& shared = *reinterpret_cast<typename K::Shared*>(memory);
    typename K::Private own;
    const int phases = kernel.phases();
    for (int phase = 0; phase < phases; ++phase) {
      if (phase > 0) __syncthreads();
      kernel.run(phase, place, shared, own);
    }
  } else {
    kernel.run(place);
  }
}

template <class K>
void launch(const K& kernel, uint32_t blocks, Device device) {
  static_assert(std::is_trivially_copyable_v<K> && sizeof(K) <= 4096);
  if (blocks == 0) return;
  LaunchScope scope(device);
  run_kernel<K><<<blocks, K::kThreads, 0, static_cast<cudaStream_t>(scope.stream())>>>(kernel);
  scope.check();
}

#else

// A kernel without its type: the emulation is compiled once instead of once per kernel.
struct EmulatedKernel {
  const void* kernel;
  size_t bytes;
  uint32_t threads;
  void (*run)(const void* kernel, Place place);  // null if the threads of a block cooperate
  size_t shared_bytes = 0, private_bytes = 0;
  int (*phases)(const void* kernel) = nullptr;
  void (*run_phase)(const void* kernel, int phase, Place place, void* shared, void* own) = nullptr;
};

template <class K>
EmulatedKernel emulated(const K& kernel) {
  static_assert(std::is_trivially_copyable_v<K> && sizeof(K) <= 4096);
  EmulatedKernel e{.kernel = &kernel, .bytes = sizeof(K), .threads = K::kThreads, .run = nullptr};
  if constexpr (Cooperative<K>) {
    using Shared = typename K::Shared;
    using Private = typename K::Private;
    static_assert(std::is_trivially_default_constructible_v<Private> && alignof(Shared) <= 16);
    e.shared_bytes = sizeof(Shared);
    e.private_bytes = sizeof(Private);
    e.phases = [](const void* k) { return static_cast<const K*>(k)->phases(); };
    e.run_phase = [](const void* k, int phase, Place place, void* shared, void* own) {
      static_cast<const K*>(k)->run(phase, place, *static_cast<Shared*>(shared), *static_cast<Private*>(own));
    };
  } else {
    e.run = [](const void* k, Place place) { static_cast<const K*>(k)->run(place); };
  }
  return e;
}

// Executes a launch in the calling thread.
void emulate(const EmulatedKernel& kernel, uint32_t blocks, bool backwards);
void launch(const EmulatedKernel& kernel, uint32_t blocks, Device device);

template <class K>
void launch(const K& kernel, uint32_t blocks, Device device) {
  launch(emulated(kernel), blocks, device);
}

#endif

}  // namespace tnp::gpu
