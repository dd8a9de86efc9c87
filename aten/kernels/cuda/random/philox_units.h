// Random draws that use a fixed number of bits per number. Each thread computes blocks of a Philox
// stream, and the thread block then writes their units contiguously.
#pragma once

#include "aten/cuda/launch.h"
#include "aten/random/generator.h"
#include "aten/random/philox.h"

namespace tnp::gpu {

// Unit: uint64_t, or uint32_t where NumPy draws halves of words. `write(i, unit)` stores the i-th
// unit of the stream.
template <class Unit, class Write>
struct EveryUnit {
  static constexpr uint32_t kThreads = 256;
  static constexpr int kUnits = static_cast<int>(kThreads * 4 * sizeof(uint64_t) / sizeof(Unit));
  struct Shared {
    Unit window[kUnits];
  };
  struct Private {};
  random::PhiloxStream stream;
  Write write;
  int64_t units;

  TNP_HOST_DEVICE static int phases() { return 2; }
  TNP_HOST_DEVICE void run(int phase, Place place, Shared& shared, Private&) const {
    const int64_t first = static_cast<int64_t>(place.block) * kUnits, left = units - first;
    const int count = left < kUnits ? static_cast<int>(left) : kUnits;
    if (phase == 1) {
      for (int k = static_cast<int>(place.thread); k < count; k += kThreads) write(first + k, shared.window[k]);
      return;
    }
    const int64_t last = stream.block_of<Unit>(first + count - 1);
    for (int64_t b = stream.block_of<Unit>(first) + place.thread; b <= last; b += kThreads) {
      stream.each_unit<Unit>(b, [&](int64_t at, Unit unit) {
        if (at >= first && at < first + count) shared.window[at - first] = unit;
      });
    }
  }
};

// Writes the next `units` units and advances the generator past them.
template <class Unit, class Write>
void write_units(Generator& g, int64_t units, const Write& write, Device device) {
  using Kernel = EveryUnit<Unit, Write>;
  const Kernel kernel{random::philox_stream(g), write, units};
  const int64_t blocks = (units + Kernel::kUnits - 1) / Kernel::kUnits;
  TNP_CHECK(blocks <= kMaxBlocks, ErrorKind::NotImplemented, "drawing ", units, " random numbers at once on ", device,
            " is not implemented");
  launch(kernel, static_cast<uint32_t>(blocks), device);
  if constexpr (sizeof(Unit) == 8)
    random::skip_words(g, units);
  else
    random::skip_halves(g, units);
}

}  // namespace tnp::gpu
