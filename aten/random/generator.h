// Random numbers: a BitGenerator is a stream of random bits; a Generator turns its bits into
// distributions.
//
// Both match NumPy bit for bit: for the same bit generator and seed, every distribution gives
// NumPy's values. Several Generators may share a BitGenerator, as `Generator(bits)` and
// `RandomState(bits)` do in NumPy.
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

// An external lock around a bit generator's memory that foreign code also draws from.
class TNP_API OuterLock {
 public:
  virtual ~OuterLock() = default;
  // If `long_draw` is true, the front end's other threads may run during the draw. Returns false if
  // no locking is needed; unlock() must then not be called.
  virtual bool lock(bool long_draw) = 0;
  virtual void unlock() noexcept = 0;
};

// RAII lock of a bit generator, held during draws.
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

  // The whole state as 64-bit words, in an order specific to each generator (see bit_generators.h).
  virtual std::vector<uint64_t> state() const = 0;
  // Raises Value unless the number of words is that of state().
  virtual void set_state(const std::vector<uint64_t>& words) = 0;

  // Lock for drawing or reading the state. Long draws let the front end's other threads run. A
  // foreign generator may call back into the front end and is therefore not locked here; it is used
  // under the front end's own lock. While a thread waits for the lock, the front end's other
  // threads run, since the holder may need the front end's lock before it unlocks.
  BitLock lock(bool long_draw = false);

 protected:
  std::unique_ptr<OuterLock> outer_;  // for memory shared with foreign code

 private:
  Kind kind_;
  ForkSafeMutex mutex_;
};

// A new generator with all-zero state, to be followed by set_state(). Raises Value for a name that
// NumPy does not know.
TNP_API intrusive_ptr<BitGenerator> make_bit_generator(const char* name);

// The second Gaussian of the polar method's pair, kept for the next draw. Has the layout of NumPy's
// RandomState.
struct WaitingGauss {
  int is_there = 0;
  double value = 0;
};

class TNP_API Generator : public RefCounted {
 public:
  // `legacy`: draws as numpy.random.RandomState does (polar Gaussians, masked rejection) instead of
  // as numpy.random.Generator.
  explicit Generator(intrusive_ptr<BitGenerator> bits, bool legacy = false) : bits(std::move(bits)), legacy(legacy) {}

  intrusive_ptr<BitGenerator> bits;
  bool legacy;
  WaitingGauss* gauss = &own_gauss_;  // or in memory shared with foreign code
  // If true, numbers are drawn as by PyTorch's CPU generator, from an MT19937
  // (random/torch_stream.h). `gauss` then holds the second number of a pair.
  bool torch = false;
  uint64_t seed = 0;  // the last argument of seed_bits()
  Device device;      // the device it was created for; the numbers do not depend on it

 private:
  WaitingGauss own_gauss_;
};

// The default generator of NumPy's face, seeded from the system's entropy until the program seeds
// it. For the CPU it is a legacy MT19937, shared with numpy.random's functions. For each GPU it is
// a Philox, whose numbers are drawn on that GPU. The caller must serialise calls (in Python, the
// GIL does).
TNP_API Generator& default_generator(Device device = {});
// The default generator of PyTorch's face. For the CPU, a generator that draws as PyTorch's does;
// for a GPU, default_generator(device).
TNP_API Generator& default_torch_generator(Device device = {});
// A new, unseeded MT19937 that draws as PyTorch's CPU generator does.
TNP_API intrusive_ptr<Generator> make_torch_generator();
TNP_API void set_default_generator(intrusive_ptr<Generator> generator);  // sets the CPU's
// Seeds a generator from one number. MT19937 follows numpy.random.seed; seeds wider than 32 bits
// are folded by xor of the halves (PyTorch uses the lower half). All other kinds use splitmix64.
// Raises NotImplemented for a foreign generator.
TNP_API void seed_bits(Generator& generator, uint64_t seed);
// torch.manual_seed: seeds the default generators of PyTorch's face, including GPU generators
// created later.
TNP_API void manual_seed(uint64_t seed);
// A seed from the system's entropy.
TNP_API uint64_t random_seed();

}  // namespace tnp
