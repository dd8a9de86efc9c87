// The scope of a draw: the generator with its lock.
#pragma once

#include <mutex>
#include <optional>

#include "aten/core/devices/device_runtime.h"
#include "aten/core/threads/parallel.h"
#include "aten/random/generator.h"

namespace tnp::native {

// The generator of a draw, its lock, and a scope that lets other threads run during a long draw.
// Members are destroyed in reverse order, so the generator's lock is released before the front
// end's lock (the GIL) is acquired again. A thread that waits for the generator's lock may hold the
// GIL.
class Drawing {
 public:
  // Without a generator, `torch` selects the default one of the torch-style face.
  Drawing(Generator* g, int64_t numbers, Device device, bool torch = false) : device_(device) {
    require_runtime(device);
    generator_ = intrusive_ptr<Generator>(g       ? g
                                          : torch ? &default_torch_generator(device)
                                                  : &default_generator(device));
    const bool is_long = numbers > 10'000 && generator_->bits->kind() != BitGenerator::Kind::Foreign;
    if (is_long) long_work_.emplace();
    lock_ = generator_->bits->lock(is_long);
  }
  Generator& generator() { return *generator_; }
  // The device whose kernels draw the numbers. See Note [Random numbers on devices].
  Device place() const { return generator_->bits->kind() == BitGenerator::Kind::Philox ? device_ : Device{}; }

 private:
  Device device_;
  intrusive_ptr<Generator> generator_;
  std::optional<LongWork> long_work_;
  BitLock lock_;
};

}  // namespace tnp::native
