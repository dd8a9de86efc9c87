// Launches on the emulated device: they run in the calling thread, as two nested loops.
#include <cstddef>
#include <cstring>
#include <memory>
#include <vector>

#include "aten/cuda/emulation.h"
#include "aten/cuda/launch.h"

namespace tnp::gpu {

namespace {

template <class F>
void for_each_index(uint32_t n, bool backwards, F&& body) {
  for (uint32_t i = 0; i < n; ++i) body(backwards ? n - 1 - i : i);
}

}  // namespace

void emulate(const EmulatedKernel& k, uint32_t blocks, bool backwards) {
  auto shared = std::make_unique_for_overwrite<std::byte[]>(k.shared_bytes);
  auto own = std::make_unique_for_overwrite<std::byte[]>(k.private_bytes * k.threads);
  const int phases = k.run ? 1 : k.phases(k.kernel);
  for_each_index(blocks, backwards, [&](uint32_t block) {
    // Fills the memory with garbage, because shared memory of a GPU is not zeroed either.
    std::memset(shared.get(), 0xcd, k.shared_bytes);
    for (int phase = 0; phase < phases; ++phase) {
      for_each_index(k.threads, backwards, [&](uint32_t thread) {
        const Place place{block, blocks, thread};
        if (k.run)
          k.run(k.kernel, place);
        else
          k.run_phase(k.kernel, phase, place, shared.get(), own.get() + thread * k.private_bytes);
      });
    }
  });
}

void launch(const EmulatedKernel& kernel, uint32_t blocks, Device device) {
  if (blocks == 0) return;
  if (emulation::is_capturing()) {
    const auto* bytes = static_cast<const std::byte*>(kernel.kernel);
    return emulation::add_to_graph([=, kept = std::vector(bytes, bytes + kernel.bytes)] {
      EmulatedKernel again = kernel;
      again.kernel = kept.data();
      launch(again, blocks, device);
    });
  }
  LaunchScope scope(device);
  emulation::Access access;
  emulate(kernel, blocks, emulation::backwards());
  scope.check();
}

}  // namespace tnp::gpu
