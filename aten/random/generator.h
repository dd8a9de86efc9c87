// Random numbers: BitGenerator is a stream of random bits, Generator a user of one that turns bits into distributions.
//
// Both follow NumPy bit for bit: for the same bit generator and seed, every distribution gives NumPy's values.
// Several Generators may share a BitGenerator, as `Generator(bits)` and `RandomState(bits)` do in NumPy.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "aten/core/devices/device.h"
#include "aten/core/macros.h"
#include "aten/core/memory/intrusive_ptr.h"
#include "aten/core/threads/fork.h"

namespace tnp {

class BitGenerator;

// A lock that others have around the memory of a bit generator, which they draw from, too.
class TNP_API OuterLock {
 public:
  virtual ~OuterLock() = default;
  // `long_draw`: other threads of the front end may run meanwhile. False: it need not be taken, nor given back.
  virtual bool lock(bool long_draw) = 0;
  virtual void unlock() noexcept = 0;
};

// Held while somebody draws.
class TNP_API BitLock {
 public:
  BitLock() = default;
  BitLock(BitLock&& o) noexcept : inner_(std::move(o.inner_)), outer_(std::exchange(o.outer_, nullptr)) {}
  BitLock& operator=(BitLock&& o) noexcept {
    release();
    inner_ = std::move(o.inner_);
    outer_ = std::exchange(o.outer_, nullptr);
    return *this;
  }
  ~BitLock() { release(); }

 private:
  friend class BitGenerator;
  void release() noexcept {
    if (TNP_UNLIKELY(outer_ != nullptr)) std::exchange(outer_, nullptr)->unlock();
    if (inner_) inner_.unlock();
  }
  std::unique_lock<ForkSafeMutex> inner_;
  OuterLock* outer_ = nullptr;
};

class TNP_API BitGenerator : public RefCounted {
 public:
  enum class Kind : uint8_t { PCG64, PCG64DXSM, MT19937, Philox, SFC64, Foreign };

  explicit BitGenerator(Kind kind) : kind_(kind) {}
  Kind kind() const { return kind_; }

  virtual uint64_t next_uint64() = 0;
  virtual uint32_t next_uint32() = 0;
  virtual double next_double() = 0;  // 53 bits, in [0, 1)
  virtual uint64_t next_raw() { return next_uint64(); }

  // The whole state in 64-bit words, in an order of each generator's own (see bit_generators.h).
  virtual std::vector<uint64_t> state() const = 0;
  // Raises Value unless there are as many words as state() gives.
  virtual void set_state(const std::vector<uint64_t>& words) = 0;

  // Held by who draws or reads the state: long draws let other threads of the front end run. A foreign generator may
  // call the front end back, and so must not be waited for; it is drawn from under the front end's own lock. Who waits
  // for it lets other threads run meanwhile: the holder may need the front end's lock before it lets go.
  BitLock lock(bool long_draw = false);

 protected:
  std::unique_ptr<OuterLock> outer_;  // of memory that is not only ours

 private:
  Kind kind_;
  ForkSafeMutex mutex_;
};

// A new one with all-zero state; set_state follows. Raises Value for a name that NumPy does not know.
TNP_API intrusive_ptr<BitGenerator> make_bit_generator(const char* name);

// The polar method makes two Gaussians at a time; the second waits here. As NumPy's RandomState has it in memory.
struct WaitingGauss {
  int is_there = 0;
  double value = 0;
};

class TNP_API Generator : public RefCounted {
 public:
  // `legacy`: draws as numpy.random.RandomState does (polar Gaussians, masked rejection), not as
  // numpy.random.Generator.
  explicit Generator(intrusive_ptr<BitGenerator> bits, bool legacy = false) : bits(std::move(bits)), legacy(legacy) {}

  intrusive_ptr<BitGenerator> bits;
  bool legacy;
  WaitingGauss* gauss = &own_gauss_;  // or in memory that is not only ours
  // Draws as PyTorch's CPU generator does, from an MT19937 (random/torch_stream.h); `gauss` is the second number of its
  // pairs.
  bool torch = false;
  uint64_t seed = 0;  // what seed_bits() was given last
  Device device;      // what it was made for; numbers do not depend on it

 private:
  WaitingGauss own_gauss_;
};

// What operators of NumPy's face use that were given no generator, seeded from the system's entropy until somebody
// seeds it: for the CPU a legacy MT19937, which numpy.random's functions share; for each GPU a Philox, whose numbers
// are drawn there. The caller serialises (in Python, the GIL does).
TNP_API Generator& default_generator(Device device = {});
// What those of PyTorch's face use: for the CPU one that draws as PyTorch's does, for a GPU that GPU's.
TNP_API Generator& default_torch_generator(Device device = {});
// A new MT19937 that draws as PyTorch's CPU generator, not seeded.
TNP_API intrusive_ptr<Generator> make_torch_generator();
TNP_API void set_default_generator(intrusive_ptr<Generator> generator);  // the CPU's
// Seeds it from one number: an MT19937 as numpy.random.seed does (of wider seeds the halves are combined; PyTorch takes
// the lower), the others by splitmix64. Raises NotImplemented for a foreign one.
TNP_API void seed_bits(Generator& generator, uint64_t seed);
// torch.manual_seed: seeds the default generators of PyTorch's face, also those of GPUs that nobody has drawn from yet.
TNP_API void manual_seed(uint64_t seed);
// A seed from the system's entropy.
TNP_API uint64_t random_seed();

}  // namespace tnp
