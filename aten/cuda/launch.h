// Launching: a kernel is a struct of plain values with a member function for one thread. nvcc makes a __global__
// function of it; another compiler makes two loops, so that the same kernel runs, and is tested, on a machine without a
// GPU.
//
// Note [Kernels as structs] What a kernel has:
//
//   static constexpr uint32_t kThreads;                    // of a block
//   TNP_HOST_DEVICE void run(Place place) const;
//
// and, if the threads of a block work together,
//
//   struct Shared;                                         // of a block; not initialised
//   struct Private;                                        // of a thread
//   TNP_HOST_DEVICE int phases() const;                    // the same for all threads
//   TNP_HOST_DEVICE void run(int phase, Place place, Shared& shared, Private& own) const;
//
// with a barrier of the block between two phases. Within a phase no thread reads what another one writes: the emulation
// runs a phase thread by thread, in either direction (TORCH_NP_CUDA_EMULATED=2: backwards), and both must agree.
#pragma once

#include <cstdint>
#include <type_traits>

#include "aten/core/devices/device.h"
#include "aten/core/macros.h"
#include "aten/cuda/streams.h"

#if !defined(__CUDACC__)
#include <cstring>
#include <memory>

#include "aten/cuda/emulation.h"
#endif

namespace tnp::gpu {

struct Place {
  uint32_t block, blocks, thread;
};

// The largest grid that a launch here asks for. Kernels with more to do split it or use grid-stride loops
// (grid_stride.h).
inline constexpr uint32_t kMaxBlocks = 0x7fffffffu;

// For a launch into a device's current stream: makes it the current device, and puts back what was.
class LaunchScope {
 public:
  explicit LaunchScope(Device device) : guard_(device.index), stream_(current_stream(device.index)) {}
  void* stream() const { return reinterpret_cast<void*>(stream_); }
  void check() const;  // raises what went wrong

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

// What a launch does, in the calling thread.
template <class K>
void emulate(const K& kernel, uint32_t blocks, bool backwards) {
  auto each = [backwards](uint32_t n, auto&& body) {
    for (uint32_t i = 0; i < n; ++i) body(backwards ? n - 1 - i : i);
  };
  if constexpr (Cooperative<K>) {
    auto shared = std::make_unique_for_overwrite<typename K::Shared>();
    auto own = std::make_unique_for_overwrite<typename K::Private[]>(K::kThreads);
    each(blocks, [&](uint32_t block) {
      std::memset(static_cast<void*>(shared.get()), 0xcd, sizeof(typename K::Shared));  // a device's is not zero either
      for (int phase = 0; phase < kernel.phases(); ++phase) {
        each(K::kThreads, [&](uint32_t thread) { kernel.run(phase, {block, blocks, thread}, *shared, own[thread]); });
      }
    });
  } else {
    each(blocks,
         [&](uint32_t block) { each(K::kThreads, [&](uint32_t thread) { kernel.run({block, blocks, thread}); }); });
  }
}

template <class K>
void launch(const K& kernel, uint32_t blocks, Device device) {
  static_assert(std::is_trivially_copyable_v<K> && sizeof(K) <= 4096);
  if (blocks == 0) return;
  if (emulation::is_capturing()) return emulation::add_to_graph([=] { launch(kernel, blocks, device); });
  LaunchScope scope(device);
  emulation::Access access;
  emulate(kernel, blocks, emulation::backwards());
  scope.check();
}

#endif

}  // namespace tnp::gpu
